"""Locking a study, from its pages and by command alike: only what the one list of readiness lets pass."""

from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext as _

from console.selectors.design import Assumptions, Design
from console.selectors.readiness import Readiness, readiness
from studies.models import Study, StudyStatus, User
from studies.services.drafts import draft_sha256
from studies.services.events import StudyEventKind, event_record
from studies.services.readiness import StudyNotReady
from studies.services.refusals import Refused
from studies.services.studies import StudyNotDraft, study_freeze, study_lock


class LockRefused(Refused):
    """It is not what was shown; the study is a draft still."""


def require_lockable(study: Study, now: datetime, *, without_item_bank: bool = False) -> Readiness:
    """What is on the list beside what would keep the study from being locked.

    Raises StudyNotDraft, or StudyNotReady with every sentence of the list that blocks.
    """
    if study.status != StudyStatus.DRAFT:
        raise StudyNotDraft(study)
    ready = readiness(study, now, without_item_bank=without_item_bank)
    if ready.blocking:
        raise StudyNotReady([entry.sentence for entry in ready.blocking])
    return ready


def require_seen(study: Study, names: Sequence[str], seen: str) -> None:
    """Raise LockRefused unless `seen` is the fingerprint of what is stored under these `names`."""
    if seen != draft_sha256(study, names):
        raise LockRefused(
            _("The study was changed after you opened this page. It is not locked; read it once more below.")
        )


@transaction.atomic
def study_lock_ready(
    *,
    study: Study,
    now: datetime,
    actor: User | None,
    names: Sequence[str] = (),
    seen: str | None = None,
    without_item_bank: bool = False,
) -> Study:
    """Lock a study that lacks nothing, and as it was shown: see `require_seen`; a command shows nothing.

    Raises LockRefused, or what `require_lockable` and `study_freeze` raise.
    """
    study = study_lock(study)
    require_lockable(study, now, without_item_bank=without_item_bank)
    if seen is not None:
        require_seen(study, names, seen)
    return study_freeze(study=study, now=now, actor=actor)


@transaction.atomic
def plan_keep(
    *, study: Study, assumed: Assumptions, design: Design, now: datetime, actor: User | None
) -> None:
    """Keep what the design can show with the study, as it is now."""
    event_record(
        study_lock(study), StudyEventKind.PLANNED, now, actor=actor, assumed=asdict(assumed),
        found=asdict(design),
    )  # fmt: skip
