"""How far a judging run is, derived from its rows and calls: three queries whatever its size, one
of a run that has been over for a while.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

from django.db.models import Count, FilteredRelation, Max, Min, Q, Sum

from judging.judges.course import LOST
from judging.models import CriterionScore, JudgeCall, JudgingRun, RowOrigin, RowState, ScoringRun
from judging.selectors.run_progress import ZERO, JudgeProgress, Progress, minute_shown

# Speed is told by the last minutes, since the run last began to ask.
SPEED_MINUTES = 2
MIN_SPEED_SECONDS = 10


def judging_progress(run: JudgingRun, now: datetime) -> Progress:
    """Count everything that is known about the run at `now`."""
    since = max(run.resumed_at, now - timedelta(minutes=SPEED_MINUTES))
    minutes = (now - since).total_seconds() / 60
    rows, calls = _counts(run, now, since)
    # In their order, with what is under way: how many calls, their worst, until when.
    judges_of_run = (
        ScoringRun.objects.filter(pk__in=list(rows))
        .select_related("config")
        .annotate(
            under_way=FilteredRelation(
                "calls", condition=Q(calls__judging_run=run, calls__due_at__isnull=False)
            ),
            calls_under_way=Count("under_way"),
            set_aside=Sum("under_way__cost"),
            set_aside_until=Max("under_way__due_at", filter=Q(under_way__cost__gt=0)),
        )
        .order_by("pk")
    )
    judges = tuple(
        _progress_of(scores, rows[scores.pk], calls.get(scores.pk, []), now, minutes)
        for scores in judges_of_run
    )
    every_row, every_call = _flat(rows), _flat(calls)
    moments = [
        run.resumed_at,
        *(row["newest"] for row in every_row if row["origin"] != RowOrigin.CACHED),
        *(call["newest"] for call in every_call),
    ]
    waiting = [row["next_at"] for row in every_row if row["next_at"] is not None]
    return Progress(
        run=run,
        now=now,
        judges=judges,
        next_at=min(waiting, default=None),
        moved_at=max((moment for moment in moments if moment and moment <= now), default=run.resumed_at),
        calls_in_minute=_by(every_call, "minute"),
    )


Counts = tuple[dict[int, list[dict[str, Any]]], dict[int, list[dict[str, Any]]]]
MOMENTS = ("newest", "next_at", "minute")


def run_counts(run: JudgingRun, now: datetime) -> dict[str, list[dict[str, Any]]]:
    """Rows and calls of a run that is over, as JSON has them."""
    counted = {"rows": list(_row_counts(run, now, now)), "calls": list(_call_counts(run, now, now))}
    for row in (*counted["rows"], *counted["calls"]):
        for name, value in row.items():
            if isinstance(value, datetime):
                row[name] = value.isoformat()
            elif isinstance(value, Decimal):
                row[name] = str(value)
    return counted


def _counts(run: JudgingRun, now: datetime, since: datetime) -> Counts:
    """Rows and calls by judge."""
    if run.counts is None:
        return _by_run(_row_counts(run, now, since)), _by_run(_call_counts(run, now, since))
    # As JSON has them, where moments are texts.
    rows, calls = (
        [
            {**row, **{name: datetime.fromisoformat(row[name]) for name in MOMENTS if row.get(name)}}
            for row in run.counts[of]
        ]
        for of in ("rows", "calls")
    )
    return _by_run(rows), _by_run(calls)


def _row_counts(run: JudgingRun, now: datetime, since: datetime) -> Iterable[Any]:
    """The rows of the plan by judge and what became of them. A lease that ran out holds nothing."""
    held = Q(lease__isnull=False, available_at__gt=now)
    free = Q(state=RowState.OPEN, asked_with=None) & ~held
    rows = CriterionScore.objects.filter(judging_run=run).order_by()
    return rows.values("run_id", "state", "origin", "unscored_reason").annotate(
        number=Count("pk"),
        held=Count("pk", filter=held),
        recent=Count("pk", filter=Q(decided_at__gte=since)),
        newest=Max("decided_at"),
        next_at=Min("available_at", filter=free),
    )


def _call_counts(run: JudgingRun, now: datetime, since: datetime) -> Iterable[Any]:
    calls = JudgeCall.objects.filter(judging_run=run).order_by()
    return calls.values("run_id", "outcome", minute=minute_shown(run, now)).annotate(
        number=Count("pk"),
        prompt=Sum("prompt_tokens"),
        completion=Sum("completion_tokens"),
        money=Sum("cost"),
        free=Count("pk", filter=Q(cost=None)),
        recent=Count("pk", filter=Q(called_at__gte=since)),
        newest=Max("called_at"),
    )


def _by_run(rows: Iterable[Any]) -> dict[int, list[dict[str, Any]]]:
    by_run: dict[int, list[dict[str, Any]]] = {}
    for row in rows:
        by_run.setdefault(row["run_id"], []).append(row)
    return by_run


def _flat(groups: Mapping[Any, Sequence[dict[str, Any]]]) -> list[dict[str, Any]]:
    return [row for group in groups.values() for row in group]


def _progress_of(
    run: Any,
    rows: Sequence[dict[str, Any]],
    calls: Sequence[dict[str, Any]],
    now: datetime,
    minutes: float,
) -> JudgeProgress:
    """`run` with what is under way of it."""
    config = run.config
    lost = [call for call in calls if call["outcome"] == LOST]
    known = [call for call in calls if call["outcome"] != LOST]
    priced = [Decimal(call["money"]) for call in known if call["money"] is not None]
    opened = [row for row in rows if row["state"] == RowState.OPEN]
    decided_recently = sum(row["recent"] for row in rows if row["origin"] != RowOrigin.CACHED)
    return JudgeProgress(
        run=run,
        planned=_total(rows),
        open=_total(opened),
        being_asked=_total(opened, "held"),
        **{
            origin.value: _total(
                row for row in rows if row["state"] == RowState.SCORED and row["origin"] == origin
            )
            for origin in RowOrigin
        },
        unscored=_reasons(row for row in rows if row["state"] == RowState.UNSCORED),
        waiting_again=_reasons(row for row in opened if row["unscored_reason"]),
        calls=_by(calls, "outcome"),
        prompt_tokens=_total(known, "prompt"),
        completion_tokens=_total(known, "completion"),
        # Nothing for judges that ask no model; not known where there are no prices to go by.
        cost=None if config and config.input_price is None and not priced else sum(priced, ZERO),
        unknown_costs=_total(known, "free"),
        set_aside=run.set_aside or ZERO,
        set_aside_until=run.set_aside_until,
        possibly_spent=sum((Decimal(call["money"] or 0) for call in lost), ZERO),
        is_asked=(
            config.leased_until is not None and config.leased_until > now
            if config
            else _total(opened, "held") > 0
        ),
        calls_under_way=run.calls_under_way,
        calls_per_minute=_speed(_total(calls, "recent"), minutes),
        rows_per_minute=_speed(decided_recently, minutes),
    )


def _total(rows: Iterable[dict[str, Any]], name: str = "number") -> int:
    return sum(row[name] or 0 for row in rows)


def _by(rows: Iterable[dict[str, Any]], column: str) -> dict[Any, int]:
    """How many for each value of the column that is there; one value may come in several rows."""
    numbers: dict[Any, int] = {}
    for row in rows:
        if row[column] is not None:
            numbers[row[column]] = numbers.get(row[column], 0) + row["number"]
    return numbers


def _reasons(rows: Iterable[dict[str, Any]]) -> dict[str, int]:
    """How many for each reason, the most frequent first."""
    return dict(sorted(_by(rows, "unscored_reason").items(), key=lambda counted: -counted[1]))


def _speed(number: int, minutes: float) -> float | None:
    """A minute's worth; None right after the start, when it would mean nothing."""
    return number / minutes if minutes * 60 >= MIN_SPEED_SECONDS else None
