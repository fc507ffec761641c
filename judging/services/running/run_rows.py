"""The rows of a judging run: made from its frozen plan, and opened again when it is resumed.

They are stored, decided and deleted in slices, with time between for others who write.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime
from itertools import groupby, islice
from operator import itemgetter
from typing import Any

from django.db.models import Q

from judging.judges.reasons import UnscoredReason
from judging.models import CriterionScore, JudgingRun, RowOrigin, RowState
from judging.services.running.claim import lease_time
from judging.services.running.deciding import runs_lock, scored
from judging.services.running.plan_file import Values
from judging.services.running.planning import JudgePlan
from studies.services.database import (
    column_values,
    one_of_many_writes,
    rows_update,
    slices,
    values_insert,
)

# Some tens of milliseconds.
ROWS_A_SLICE = 1000
ROW = CriterionScore._meta
OF_ROW = (
    "request_sha256", "answer_id", "revision", "criterion_id", "place", "has_followers", "asked_with_id",
)  # fmt: skip


def rows_create(run: JudgingRun, plan: JudgePlan, now: datetime, keep: Callable[[], None]) -> None:
    """The rows to claim first, in the order in which they will be; then those that they decide, too; those
    whose verdicts are known last. `keep` is called in the transaction of every slice, and raises where the
    draft is to be no more.

    The last are as if a worker had claimed them until `known_decide` decides them. Where its process is
    ended, another claims them in time, finds the verdicts and sends nothing.
    """
    own = {"judging_run": run, "run": plan.run, "available_at": now}
    # Of each call the first row of its own: any others follow it.
    leaders = (next(rows) for _, rows in groupby(plan.file.own_rows(), itemgetter(0)))
    _insert(own, ((request, *row, bool(more), None) for _, request, more, *row in leaders), keep)
    keys = _keys(run, plan)
    keep()  # whoever deletes rows of the draft called it off before
    _insert(own, _followers(plan, keys), keep)
    known = ((request, *row[:4], False, None) for request, *row in plan.file.known_rows())
    _insert(own | {"available_at": now + lease_time()}, known, keep)


def _followers(plan: JudgePlan, keys: Iterator[int]) -> Iterator[Values]:
    """The rows that calls decide beside their first one, each with that one's key."""
    leaders = zip((call for call, _ in groupby(plan.file.own_rows(), itemgetter(0))), keys, strict=False)
    for call, rows in groupby(plan.file.followers(), itemgetter(0)):
        key = next((key for leader, key in leaders if leader == call), None)
        if key is None:  # the draft was called off, which whoever publishes it is told
            return
        yield from ((request, *row, False, key) for _, request, *row in rows)


def known_decide(run: JudgingRun, plan: JudgePlan, now: datetime) -> None:
    """Decide the rows whose verdicts are known, where nobody was faster, until the run is over."""
    asked = sum(plan.counted[:2])
    keys = islice(_keys(run, plan), asked, None) if plan.counted[2] else ()
    rows = (
        CriterionScore(pk=key, **scored(*verdict, RowOrigin.CACHED, now))
        for key, (*_, score, confidence, explanation) in zip(keys, plan.file.known_rows(), strict=True)
        for verdict in [(score, confidence, explanation)]
    )
    names = [*scored(None, None, "", RowOrigin.CACHED, now)]
    for some in slices(rows, ROWS_A_SLICE):
        with one_of_many_writes():
            runs_lock({run.pk})
            if JudgingRun.objects.filter(pk=run.pk, ended_at__isnull=False).exists():
                return
            rows_update(some, names, " AND state = 'open' AND lease IS NULL")


def rows_delete(run: JudgingRun) -> None:
    """Delete all rows of a run, the last first: they name earlier ones."""
    rows = CriterionScore.objects.filter(judging_run=run)
    for some in slices(rows.order_by("-pk").values_list("pk", flat=True), ROWS_A_SLICE):
        piece = rows.filter(pk__gte=some[-1])
        with one_of_many_writes():
            # Nothing else refers to rows that nobody saw.
            piece._raw_delete(piece.db)


def _keys(run: JudgingRun, plan: JudgePlan) -> Iterator[int]:
    """Of this judge's rows that are there, in the order in which they were stored; read a few at a time."""
    rows = CriterionScore.objects.filter(judging_run=run, run=plan.run).order_by("pk")
    last = 0
    while some := list(rows.filter(pk__gt=last).values_list("pk", flat=True)[:ROWS_A_SLICE]):
        yield from some
        last = some[-1]


def _insert(own: Mapping[str, Any], rows: Iterable[Values], keep: Callable[[], None]) -> None:
    """Rows with what is their `own` and the fields of OF_ROW, the request as its bytes."""
    fields = [field for field in ROW.concrete_fields if field.attname not in (*OF_ROW, "id")]
    same = column_values(CriterionScore(**own), fields)
    columns = [*OF_ROW, *(str(field.column) for field in fields)]
    for some in slices(rows, ROWS_A_SLICE):
        values = [((request or b"").hex(), *row, *same) for request, *row in some]
        insert = values_insert(CriterionScore, columns, values)
        with one_of_many_writes():
            keep()
            insert()


def rows_reopen(run: JudgingRun, now: datetime) -> int:
    """Let rows that the judge's own failures left unscored be asked again."""
    rows = CriterionScore.objects.filter(judging_run=run)
    # Nobody asks about them, or whoever did was gone before the end.
    free = rows.filter(Q(lease=None) | Q(available_at__lte=now))
    waiting = free.filter(Q(available_at__gt=now) | Q(starts__gt=0))
    waiting.filter(state=RowState.OPEN).update(available_at=now, starts=0)
    failures = [reason.value for reason in UnscoredReason if reason.rule.counts_against_endpoint]
    return rows.filter(state=RowState.UNSCORED, unscored_reason__in=failures).update(
        state=RowState.OPEN, origin="", decided_at=None, lease=None, starts=0, available_at=now
    )
