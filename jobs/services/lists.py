"""Long lists as files: asked for again by a job in the name of whoever asked, who takes them within an hour.

The page itself writes its list, under the same rights and filter, so that a list is one whoever writes it.
"""

import json
import shutil
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, BinaryIO
from uuid import uuid4

import structlog
from django.conf import settings
from django.db import transaction
from django.db.models.signals import post_save
from django.dispatch import receiver
from django.utils import timezone
from django.utils.crypto import salted_hmac
from django.utils.translation import get_language, gettext as _

from jobs.models import OPEN, Job, JobState
from jobs.services.starting import job_start
from studies.models import Study, StudyEvent, User
from studies.selectors.roles import study_rights
from studies.services.events import LEAVING, departures
from studies.services.refusals import Refused
from studies.services.studies import study_lock

KIND = "list"
KEPT = timedelta(hours=1)
ASKED, TAKEN, LIST = "asked.json", "list.json", "list.csv"

log = structlog.get_logger("chiron.jobs")


class ListGone(Refused):
    """The file is not there any more, or not for this person."""


def list_start(*, path: str, study: Study, actor: User, now: datetime) -> Job:
    """Ask for the list at this address. Pressed twice it is the same job. Raises what `job_start` raises.

    What was asked for lies beside the file and not in the job: a filter may name somebody. The job names the
    folder, which is its alone.
    """
    asked = {
        "path": path,
        "language": get_language() or "en",
        "zone": timezone.get_current_timezone_name(),
        "rights": sorted(study_rights(actor, study)),
    }
    text = json.dumps(asked)
    same = salted_hmac(KIND, f"{actor.pk} {study.pk} {text}").hexdigest()[:32]
    with transaction.atomic():
        study_lock(study)  # between looking and asking nobody else asks
        open_jobs = Job.objects.filter(kind=KIND, study=study, actor=actor, state__in=OPEN)
        if (found := open_jobs.filter(arguments__same=same).first()) is not None:
            return found
        arguments = {"token": uuid4().hex, "same": same}
        job = job_start(kind=KIND, study=study, actor=actor, arguments=arguments, now=now)
        folder = list_folder(arguments["token"])
        folder.mkdir(mode=0o700, parents=True)
        (folder / ASKED).write_text(text)
    return job


def list_folder(token: str) -> Path:
    """Where the file lies. Only the site itself reads there."""
    return Path(settings.DATA_DIR) / "lists" / token


def list_asked(token: str) -> dict[str, Any]:
    """What was asked for. Raises ListGone."""
    return _note(token, ASKED)


def list_take(*, job: Job, user: User) -> tuple[BinaryIO, dict[str, Any]]:
    """The file, opened, and what the trail says of it. Only whoever asked for it takes it, who has lost no
    right in the study since; and nobody once somebody left the study. Raises ListGone.
    """
    if job.state != JobState.DONE:
        raise ListGone(_gone())
    if _is_left(job):
        list_delete(job)
        raise ListGone(
            _("Somebody withdrew after this list was made; nobody takes it away. Ask for it again.")
        )
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
        raise ListGone(_gone()) from None
    return found


def _gone() -> str:
    return _("This list is not there any more: it is kept for an hour. Ask for it again.")


def _is_left(job: Job) -> bool:
    """Whether somebody left the study since the job began to write."""
    counted = int(job.result.get("facts", {}).get("departures", 0))
    return job.study is not None and counted < departures(job.study)


def list_delete(job: Job) -> None:
    shutil.rmtree(list_folder(str(job.arguments["token"])), ignore_errors=True)


def list_tidy(*, token: str, **_arguments: Any) -> None:
    """What failed or was called off leaves nothing."""
    if not Job.objects.filter(kind=KIND, arguments__token=token, state=JobState.DONE).exists():
        shutil.rmtree(list_folder(token), ignore_errors=True)


def list_folders(study: Study) -> list[Path]:
    """Where the study's lists may lie."""
    tokens = Job.objects.filter(kind=KIND, study=study).values_list("arguments__token", flat=True)
    return [list_folder(token) for token in tokens]


@receiver(post_save, sender=StudyEvent)
def _somebody_left(instance: StudyEvent, created: bool, **_sent: object) -> None:
    """The event alone blocks the study's lists; once it is committed, they go. What a crash leaves of them
    goes with the next `lists_expire`.
    """
    if created and instance.kind in LEAVING:
        # Robust: whatever is wrong with a file, who withdrew is told that they have.
        transaction.on_commit(lambda: _left_lists_delete(instance.study), robust=True)


def _left_lists_delete(study: Study) -> None:
    """Those that are being written are refused at their end."""
    for job in Job.objects.filter(kind=KIND, study=study, state=JobState.DONE).select_related("study"):
        if _is_left(job):
            list_delete(job)


def lists_expire(*, now: datetime) -> None:
    """Delete lists whose time is over or that somebody has left, but for those that a job is to write."""
    for folder in (Path(settings.DATA_DIR) / "lists").glob("*"):
        try:
            if folder.is_dir() and _is_over(folder, now):
                shutil.rmtree(folder)
        except FileNotFoundError:  # somebody else was faster
            continue
        except OSError as error:
            log.error("a list cannot be deleted", folder=folder.name, reason=str(error.strerror))


def _is_over(folder: Path, now: datetime) -> bool:
    job = Job.objects.select_related("study").filter(kind=KIND, arguments__token=folder.name).first()
    if job is not None and job.is_open:
        return False
    if job is not None and _is_left(job):
        return True
    newest = max(path.stat().st_mtime for path in (folder, *folder.iterdir()))
    return now.timestamp() - newest > KEPT.total_seconds()
