"""In which state a study is, in the one word that every page of it says."""

from datetime import datetime

from django.db.models import TextChoices
from django.utils.translation import gettext_lazy as _

from studies.models import Study, StudyStatus
from studies.selectors.studies import study_is_open


class StudyState(TextChoices):
    DRAFT = "draft", _("Draft")
    LOCKED = "locked", _("Locked, not open")
    RUNNING = "running", _("Running")
    PAUSED = "paused", _("Recruiting paused")
    OVER = "over", _("Answering is over")
    RESULTS = "results", _("Results")
    CLOSED = "closed", _("Closed")

    @property
    def look(self) -> str:
        """The class of its pill."""
        return LOOKS.get(self, "")


LOOKS = {
    StudyState.RUNNING: "live", StudyState.PAUSED: "warn", StudyState.RESULTS: "good",
    StudyState.CLOSED: "plain",
}  # fmt: skip


def study_state(study: Study, now: datetime, *, has_ended: bool, has_results: bool) -> StudyState:
    """`has_ended`: somebody's session has; `has_results`: some are computed."""
    if study.status != StudyStatus.FROZEN:
        return StudyState(study.status)
    if study_is_open(study, now):
        return StudyState.PAUSED if study.recruiting_paused_at else StudyState.RUNNING
    if not has_ended:
        return StudyState.LOCKED
    return StudyState.RESULTS if has_results else StudyState.OVER


def day_of(study: Study, now: datetime) -> int | None:
    """Which day of answering it is, from 1; None before the first."""
    began = [at for at in (study.frozen_at, study.opens_at) if at is not None]
    return (now - max(began)).days + 1 if began and max(began) <= now else None
