"""Reads of studies, and of the software that runs them."""

import tomllib
from datetime import datetime
from pathlib import Path

from django.conf import settings

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


def software() -> str:
    """Name and version of this project."""
    project = tomllib.loads((Path(settings.BASE_DIR) / "pyproject.toml").read_text(encoding="utf-8"))[
        "project"
    ]
    return f"{project['name']} {project['version']}"
