"""Amendments beside the results of their study."""

from collections.abc import Sequence
from datetime import datetime

from django.db.models import Min

from studies.models import Amendment, Study


def results_first_at(study: Study) -> datetime | None:
    """When results of the study were computed first; None before there were any.

    From then on they count as seen: the site keeps no record of who looks at a page.
    """
    found: datetime | None = Study.objects.filter(pk=study.pk).aggregate(
        at=Min("scoring_runs__result_sets__computed_at")
    )["at"]
    return found


def made_after_results(study: Study, amendments: Sequence[Amendment] | None = None) -> list[Amendment]:
    """The study's amendments that were made when results could have been seen, in their order."""
    made = list(study.amendments.order_by("number")) if amendments is None else amendments
    first = results_first_at(study) if made else None
    return [one for one in made if first is not None and one.made_at >= first]
