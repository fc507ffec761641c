"""The report of a study: the lead's answers to its checklist, and its files in a folder."""

import shutil
import tempfile
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path

from django.db import transaction
from django.utils.translation import gettext as _

from reporting.models import ChecklistAnswer
from reporting.selectors.checklist_items import ITEMS
from scoring.export.folder import move_into_place
from studies.models import Study, StudyEvent, User
from studies.services.refusals import Refused
from studies.services.studies import study_lock

CHECKLIST_ANSWERED = "checklist_answered"


class UnknownItem(Refused):
    """The checklist has no such item."""


class ReportRefused(Refused):
    """Nothing was written; what was there before is untouched."""


@transaction.atomic
def checklist_answer(*, study: Study, item: str, text: str, actor: User, now: datetime) -> ChecklistAnswer:
    """Store the lead's answer to one item in place of an earlier one, which stays in the trail.

    The same text again changes nothing and leaves no event.
    """
    if item not in ITEMS:
        raise UnknownItem(_("The checklist has no item %(item)s.") % {"item": item})
    study_lock(study)
    earlier = ChecklistAnswer.objects.filter(study=study, item=item).first()
    if earlier is not None and earlier.text == text:
        return earlier
    answer, _made = ChecklistAnswer.objects.update_or_create(
        study=study, item=item, defaults={"text": text, "answered_by": actor, "answered_at": now}
    )
    StudyEvent.objects.create(
        study=study, kind=CHECKLIST_ANSWERED, details={"item": item, "text": text}, actor=actor,
        happened_at=now,
    )  # fmt: skip
    return answer


def report_write(*, target: Path, files: Mapping[str, bytes], replace: bool) -> None:
    """Write the files into the folder `target`, which appears whole or not at all.

    With `replace` an earlier report gives way; a folder that holds anything else is never touched.
    Raises ReportRefused.
    """
    target = target.resolve()
    check_target(target, set(files), replace=replace)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        draft = Path(tempfile.mkdtemp(prefix=f".{target.name}.partial-", dir=target.parent))
        try:
            for name, content in files.items():
                (draft / name).write_bytes(content)
            move_into_place(draft, target)
        finally:
            shutil.rmtree(draft, ignore_errors=True)
    except OSError as error:
        raise ReportRefused(
            f"{target} cannot be written: {error.strerror or error}; nothing was kept."
        ) from error


def check_target(target: Path, names: set[str], *, replace: bool) -> None:
    """Refuse to touch anything but a free name, an empty folder or, with `replace`, an earlier report."""
    if not target.exists():
        return
    held = {path.name for path in target.iterdir()} if target.is_dir() else None
    if held is None or held - names:
        raise ReportRefused(f"{target} exists and is not an earlier report; name another folder.")
    if held and not replace:
        raise ReportRefused(f"{target} holds an earlier report; name another folder or add --replace.")
