"""Letting nobody new in for a while; whoever works goes on."""

from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext as _

from studies.models import Study, StudyStatus, User
from studies.roles import Can
from studies.services.events import StudyEventKind, event_record
from studies.services.refusals import Refused
from studies.services.staff.roles import require_right
from studies.services.studies import study_lock


class PauseRefused(Refused):
    """Recruiting is as it was asked to be already, or the study recruits nobody."""


def recruiting_pause(*, study: Study, reason: str, actor: User, now: datetime) -> Study:
    """From now on nobody accepts an invitation or starts; running sessions are untouched.

    Raises PauseRefused.
    """
    return _set(study, paused=True, reason=reason, actor=actor, now=now)


def recruiting_resume(*, study: Study, reason: str, actor: User, now: datetime) -> Study:
    """Let people in again. Raises PauseRefused."""
    return _set(study, paused=False, reason=reason, actor=actor, now=now)


def _set(study: Study, *, paused: bool, reason: str, actor: User, now: datetime) -> Study:
    reason = reason.strip()
    if not reason:
        raise PauseRefused(_("Write why; the reason is kept in the history."))
    with transaction.atomic():
        study = study_lock(study)
        require_right(actor, study, Can.PAUSE)
        if study.status != StudyStatus.FROZEN:
            raise PauseRefused(_("Only a locked study recruits people, so there is nothing to pause."))
        if paused == (study.recruiting_paused_at is not None):
            raise PauseRefused(
                _("Recruiting is paused already.") if paused else _("Recruiting is not paused.")
            )
        study.recruiting_paused_at = now if paused else None
        study.save(update_fields=["recruiting_paused_at"])
        kind = StudyEventKind.RECRUITING_PAUSED if paused else StudyEventKind.RECRUITING_RESUMED
        event_record(study, kind, now, actor=actor, reason=reason)
    return study
