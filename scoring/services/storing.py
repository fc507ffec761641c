"""Store measures as rows of a set of results or of compared judges."""

from collections.abc import Callable, Iterable

from psychometrics.inference.measure import Block, Measure, Scope, stored_columns
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
    rows = []
    for measure in measures:
        columns = stored_columns(measure)
        if columns["value"] is None and not columns["reason"]:
            raise ValueError(f"{measure.name} {measure.group} {measure.subset} has no value and no reason")
        rows.append(MeasureRow(**subject, **columns, may_leave=may_leave(measure)))
    MeasureRow.objects.bulk_create(rows, batch_size=ROWS_AT_ONCE)
