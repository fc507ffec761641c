"""Reads of studies."""

from datetime import datetime

from django.db.models import QuerySet

from studies.models import Study, StudyStatus


def study_by_slug(slug: str) -> Study | None:
    """The study with everything its protocol refers to."""
    related = ("bank_version__bank", "item_bank", "judge_protocol")
    return Study.objects.select_related(*related).filter(slug=slug).first()


def study_is_open(study: Study, now: datetime) -> bool:
    """Whether people may start: frozen, and within the opening times where it has any."""
    return (
        study.status == StudyStatus.FROZEN
        and (study.opens_at is None or study.opens_at <= now)
        and (study.closes_at is None or now < study.closes_at)
    )


def studies_newest_first() -> QuerySet[Study]:
    """Every study with its bank, for lists."""
    return Study.objects.select_related("bank_version__bank").order_by("-created_at")
