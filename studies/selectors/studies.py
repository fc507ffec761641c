"""Reads of studies, and of the software that runs them."""

import tomllib
from datetime import datetime
from pathlib import Path

from django.conf import settings
from django.db.models import Count, OuterRef, Q, QuerySet, Subquery

from studies.models import Study, StudyStatus, User, VettingStatus
from studies.selectors.contact import open_threads
from studies.selectors.participants import withdrew
from studies.selectors.roles import studies_of_staff


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


def studies_with_people(user: User) -> QuerySet[Study]:
    """The studies this member of the staff has a part in, newest first, with how many people there are.

    `people` in all, `waiting` for a vetting decision, `unanswered` for a reply of the team.
    """
    submitted = Q(participants__vetting_status=VettingStatus.SUBMITTED)
    waiting = Count("participants", filter=submitted & ~withdrew("participants"))
    open_in_study = open_threads().filter(study=OuterRef("pk")).order_by()
    unanswered = open_in_study.values("study").annotate(number=Count("pk")).values("number")
    return (
        studies_of_staff(user)
        .select_related("bank_version__bank")
        .annotate(people=Count("participants"), waiting=waiting, unanswered=Subquery(unanswered))
        .order_by("-created_at", "-id")
    )


def software() -> str:
    """Name and version of this project."""
    project = tomllib.loads((Path(settings.BASE_DIR) / "pyproject.toml").read_text(encoding="utf-8"))[
        "project"
    ]
    return f"{project['name']} {project['version']}"
