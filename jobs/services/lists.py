"""Long lists as files: asked for again by a job in the name of whoever asked, who takes them within an hour.

The page itself writes its list, under the same rights and filter, so that a list is one whoever writes it.
"""

import json
import shutil
import time
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, BinaryIO

from django.conf import settings
from django.utils import timezone
from django.utils.crypto import salted_hmac
from django.utils.translation import get_language, gettext as _

from jobs.models import OPEN, Job
from jobs.services.starting import job_start
from studies.models import Study, User
from studies.selectors.roles import study_rights
from studies.services.refusals import Refused

KIND = "list"
KEPT = timedelta(hours=1)
ASKED, TAKEN, LIST = "asked.json", "list.json", "list.csv"


class ListGone(Refused):
    """The file is not there any more, or not for this person."""


def list_start(*, path: str, study: Study, actor: User, now: datetime) -> Job:
    """Ask for the list at this address. Pressed twice it is the same job. Raises what `job_start` raises.

    What was asked for lies beside the file and not in the job: a filter may name somebody.
    """
    asked = {
        "path": path,
        "language": get_language() or "en",
        "zone": timezone.get_current_timezone_name(),
        "rights": sorted(study_rights(actor, study)),
    }
    text = json.dumps(asked)
    token = salted_hmac(KIND, f"{actor.pk} {study.pk} {text}").hexdigest()[:32]
    same = Job.objects.filter(kind=KIND, study=study, actor=actor, state__in=OPEN)
    if (found := same.filter(arguments__token=token).first()) is not None:
        return found
    folder = list_folder(token)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    (folder / ASKED).write_text(text)
    return job_start(kind=KIND, study=study, actor=actor, arguments={"token": token}, now=now)


def list_folder(token: str) -> Path:
    """Where the file lies. Only the site itself reads there."""
    return Path(settings.DATA_DIR) / "lists" / token


def list_asked(token: str) -> dict[str, Any]:
    """What was asked for. Raises ListGone."""
    return _note(token, ASKED)


def list_take(*, job: Job, user: User) -> tuple[BinaryIO, dict[str, Any]]:
    """The file, opened, and what the trail says of it. Only whoever asked for it takes it, who has lost no
    right in the study since. Raises ListGone.
    """
    token = str(job.arguments.get("token", ""))
    facts, asked = _note(token, TAKEN), list_asked(token)
    held = study_rights(user, job.study) if job.study else frozenset()
    if user.pk != job.actor_id or not set(asked["rights"]) <= held:
        raise ListGone(_("Your part in the study has changed since. Ask for the list again."))
    return (list_folder(token) / LIST).open("rb"), facts


def _note(token: str, name: str) -> dict[str, Any]:
    try:
        found: dict[str, Any] = json.loads((list_folder(token) / name).read_text())
    except FileNotFoundError:
        raise ListGone(
            _("This list is not there any more: it is kept for an hour. Ask for it again.")
        ) from None
    return found


def lists_expire() -> None:
    """Delete lists whose time is over, but for those that a job is to write."""
    waited_for = set(Job.objects.filter(kind=KIND, state__in=OPEN).values_list("arguments__token", flat=True))
    for folder in (Path(settings.DATA_DIR) / "lists").glob("*"):
        with suppress(FileNotFoundError):  # somebody else was faster
            if folder.name not in waited_for and time.time() - _newest(folder) > KEPT.total_seconds():
                shutil.rmtree(folder)


def _newest(folder: Path) -> float:
    return max(path.stat().st_mtime for path in (folder, *folder.iterdir()))
