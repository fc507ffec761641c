"""Store measures as rows of a set of results or of compared judges."""

from collections.abc import Callable, Iterable
from typing import Any

from psychometrics.inference.estimates import none_if_nan
from psychometrics.inference.measure import Block, Measure, Scope
from scoring.models import JudgeComparison, MeasureRow, ResultSet

ROWS_AT_ONCE = 1000


def measures_store(
    measures: Iterable[Measure],
    block: Block,
    *,
    scope: Scope,
    may_leave: Callable[[Measure], bool],
    results: ResultSet | None = None,
    comparison: JudgeComparison | None = None,
) -> None:
    """Store the numbers of one block and one subject, in their order.

    Raises ValueError where a number is absent without a reason.
    """
    subject = {"results": results, "comparison": comparison, "scope": scope, "block": block}
    rows = (MeasureRow(**subject, **row_values(one), may_leave=may_leave(one)) for one in measures)
    MeasureRow.objects.bulk_create(rows, batch_size=ROWS_AT_ONCE)


def row_values(one: Measure) -> dict[str, Any]:
    """The columns of a measure; None for what is absent."""
    estimate = one.estimate
    ends = {name: none_if_nan(getattr(estimate, name)) for name in ("value", "se", "low", "high")}
    if ends["value"] is None and estimate.reason is None:
        raise ValueError(f"{one.name} {one.group} {one.subset} has no value and no reason")
    names = ("name", "group", "subset", "participant", "prompt_id", "n", "people", "prompts", "clusters")
    return {
        **ends,
        **{name: getattr(one, name) for name in names},
        "reason": estimate.reason or "",
        "details": dict(one.details),
    }
