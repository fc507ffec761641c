"""How many people count under each declared rule set, as measured; rules that look at scores are left out."""

from dataclasses import dataclass

from django.db.models import Subquery

from psychometrics.inference.measure import Block, Scope
from scoring.models import MeasureRow
from studies.models import Study


@dataclass(frozen=True)
class RuleCount:
    """One declared rule set, by its key, and the people who count under it."""

    rule: str
    counted: int


def rule_counts(study: Study) -> list[RuleCount]:
    """Those of the newest measurement, in the order they are declared; empty before there is one."""
    rows = MeasureRow.objects.filter(
        results__run__study=study, block=Block.EXCLUSIONS, scope=Scope.ALL, name="rule.removed"
    )
    newest = rows.order_by("-results").values("results")[:1]
    return [
        RuleCount(row.details["rule"]["key"], (row.people or 0) - round(row.value))
        for row in rows.filter(results=Subquery(newest)).order_by("pk")
        if row.value is not None and not row.details["score_based"]
    ]
