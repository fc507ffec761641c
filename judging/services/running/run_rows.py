"""The rows of a judging run: made from its frozen plan, and opened again when it is resumed.

They are stored, decided and deleted in slices, with time between for others who write.
"""

from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Any

from django.db import connection
from django.db.models import Q

from judging.judges.reasons import UnscoredReason
from judging.models import CriterionScore, JudgingRun, RowOrigin, RowState
from judging.services.running.claims import lease_time, scored
from judging.services.running.planning import JudgePlan, PlannedRow
from studies.services.database import column_values, one_of_many_writes, rows_insert, slices

# Some tens of milliseconds.
ROWS_A_SLICE = 1000
ROW = CriterionScore._meta


def rows_create(run: JudgingRun, plan: JudgePlan, now: datetime, keep: Callable[[], None]) -> None:
    """The rows to claim first, in the order in which they will be; then those that they decide, too; those
    whose verdicts are known last. `keep` is called in the transaction of every slice, and raises where the
    draft is to be no more.

    The last are as if a worker had claimed them until `known_decide` decides them. Where its process is
    ended, another claims them in time, finds the verdicts and sends nothing.
    """
    own = {"judging_run": run, "run": plan.run, "available_at": now}
    leaders = (
        _row_of(call.own[0], call.request_sha256, **own, has_followers=len(call.own) + len(call.shared) > 1)
        for call in plan.calls
    )
    _insert(leaders, keep)
    keys = _keys(run, plan)
    keep()  # whoever deletes rows of the draft called it off before
    followers = (
        _row_of(row, call.request_sha256, **own, asked_with_id=leader)
        for call, leader in zip(plan.calls, keys, strict=True)
        for row in (*call.own[1:], *call.shared)
    )
    _insert(followers, keep)
    claimed = own | {"available_at": now + lease_time()}
    _insert((_row_of(row, key, **claimed) for key, row in plan.cached), keep)


def known_decide(run: JudgingRun, plan: JudgePlan, now: datetime) -> None:
    """Decide the rows whose verdicts are known, where nobody was faster."""
    keys = _keys(run, plan)
    rows = (
        CriterionScore(pk=key, **scored(*row.known, RowOrigin.CACHED, now))
        for key, (_, row) in zip(keys[len(keys) - len(plan.cached) :], plan.cached, strict=True)
        if row.known is not None
    )
    decided = scored(None, None, "", RowOrigin.CACHED, now)
    fields = [field for field in ROW.concrete_fields if field.name in decided]
    columns = ", ".join(f'"{field.column}" = %s' for field in fields)
    sql = (
        f'UPDATE "{ROW.db_table}" SET {columns} '  # noqa: S608  # names are the model's own
        "WHERE id = %s AND state = 'open' AND lease IS NULL"
    )
    for some in slices(rows, ROWS_A_SLICE):
        values = [column_values(row, [*fields, ROW.pk]) for row in some]
        with one_of_many_writes(), connection.cursor() as cursor:
            cursor.executemany(sql, values)


def rows_delete(run: JudgingRun) -> None:
    """Delete all rows of a run, the last first: they name earlier ones."""
    rows = CriterionScore.objects.filter(judging_run=run)
    for some in slices(rows.order_by("-pk").values_list("pk", flat=True), ROWS_A_SLICE):
        piece = rows.filter(pk__gte=some[-1])
        with one_of_many_writes():
            # Nothing else refers to rows that nobody saw.
            piece._raw_delete(piece.db)


def _keys(run: JudgingRun, plan: JudgePlan) -> list[int]:
    """Of this judge's rows that are there, in the order in which they were stored."""
    rows = CriterionScore.objects.filter(judging_run=run, run=plan.run)
    return list(rows.order_by("pk").values_list("pk", flat=True))


def _insert(rows: Iterable[CriterionScore], keep: Callable[[], None]) -> None:
    for some in slices(rows, ROWS_A_SLICE):
        insert = rows_insert(CriterionScore, some)
        with one_of_many_writes():
            keep()
            insert()


def _row_of(row: PlannedRow, key: str, **fields: Any) -> CriterionScore:
    return CriterionScore(
        answer_id=row.answer_id,
        revision=row.revision,
        criterion_id=row.criterion_id,
        request_sha256=key,
        place=row.place,
        **fields,
    )


def rows_reopen(run: JudgingRun, now: datetime) -> int:
    """Let rows that the judge's own failures left unscored be asked again."""
    rows = CriterionScore.objects.filter(judging_run=run)
    waiting = rows.filter(Q(available_at__gt=now) | Q(rounds__gt=0) | Q(starts__gt=0), lease=None)
    waiting.filter(state=RowState.OPEN).update(available_at=now, rounds=0, starts=0)
    failures = [reason.value for reason in UnscoredReason if reason.rule.counts_against_endpoint]
    return rows.filter(state=RowState.UNSCORED, unscored_reason__in=failures).update(
        state=RowState.OPEN, origin="", decided_at=None, lease=None, rounds=0, starts=0, available_at=now
    )
