"""Reads of studies, of their amendments beside the results, and of the software that runs them."""

import tomllib
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from django.conf import settings
from django.db.models import Min

from studies.models import Amendment, Study, StudyStatus


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


def results_first_at(study: Study) -> datetime | None:
    """When results of the study were computed first; None before there were any.

    From then on they count as seen: the site keeps no record of who looks at a page.
    """
    first_at: datetime | None = Study.objects.filter(pk=study.pk).aggregate(
        at=Min("scoring_runs__result_sets__computed_at")
    )["at"]
    return first_at


def made_after_results(study: Study, amendments: Sequence[Amendment] | None = None) -> list[Amendment]:
    """The study's amendments that were made when results could have been seen, in their order."""
    made = list(study.amendments.order_by("number")) if amendments is None else amendments
    first = results_first_at(study) if made else None
    return [amendment for amendment in made if first is not None and amendment.made_at >= first]
