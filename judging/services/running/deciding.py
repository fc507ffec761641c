"""Rows that are open, and what decides them without a request: the judge said it before, or the answer counts
no more.

The same judge is never paid twice for the same request. A judge is the same by what decides its scores, the
texts it is asked in included; its address does not matter. A replicate is asked again on purpose. Looked up
when a run is planned, and again when its rows are claimed; only requests that are under way in two runs at
the same moment are made twice.
"""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import F, Q, QuerySet

from judging.judges.reasons import UnscoredReason
from judging.models import CriterionScore, JudgingRun, RowOrigin, RowState, RunState, ScoringRun

KEYS_AT_ONCE = 500

KnownVerdict = tuple[float, float, str]


def known_verdicts(run: ScoringRun, requests: Sequence[str]) -> dict[str, dict[int, KnownVerdict]]:
    """Score, confidence and explanation by request hash and place in the call, from any run of any study."""
    found: dict[str, dict[int, KnownVerdict]] = {}
    for start in range(0, len(requests), KEYS_AT_ONCE):
        rows = _verdicts(run).filter(request_sha256__in=requests[start : start + KEYS_AT_ONCE]).order_by("pk")
        columns = ("request_sha256", "place", "score", "confidence", "explanation")
        for key, place, score, confidence, explanation in rows.values_list(*columns):
            found.setdefault(key, {}).setdefault(place, (score, confidence, explanation))
    return found


def has_known_verdicts(run: ScoringRun) -> bool:
    """Whether it may be worth looking: a judge that was never asked knows nothing."""
    return _verdicts(run).exclude(request_sha256="").exists()


def _verdicts(run: ScoringRun) -> QuerySet[CriterionScore]:
    return CriterionScore.objects.filter(
        run__judge_sha256=run.judge_sha256, run__replicate=run.replicate, state=RowState.SCORED
    )


def rows_open(judging_run: int, run: int) -> QuerySet[CriterionScore]:
    """Rows with a call of their own that are not decided yet."""
    return CriterionScore.objects.filter(
        judging_run=judging_run, run=run, state=RowState.OPEN, asked_with=None
    )


def rows_to_claim(judging_run: int, run: int, now: datetime) -> QuerySet[CriterionScore]:
    """Rows that nobody asks about and whose time has come."""
    return rows_open(judging_run, run).filter(available_at__lte=now)


def runs_lock(runs: Collection[int]) -> None:
    """Lock these judging runs, by their keys. Whoever changes rows and calls of a run takes the run before
    them, its judges and its study: two that took them otherwise would wait for each other.
    """
    locked = JudgingRun.everything.select_for_update(no_key=True).filter(pk__in=runs)
    list(locked.order_by("pk").values_list("pk"))


def run_going_on(judging_run: int) -> JudgingRun | None:
    """The run, locked, if it goes on.

    Rows of a run that is cancelled in this very moment may be planned by the next one at once, and two owners
    of a panel's judges would both take the same room in the budget.
    """
    running = JudgingRun.objects.select_for_update(no_key=True).filter(state=RunState.RUNNING)
    return running.filter(pk=judging_run).first()


def scored(
    score: float | None, confidence: float | None, explanation: str, origin: RowOrigin, now: datetime
) -> dict[str, Any]:
    """The fields of a row that has a verdict."""
    return {
        "state": RowState.SCORED.value,
        "origin": origin.value,
        "score": score,
        "confidence": confidence,
        "explanation": explanation,
        "unscored_reason": "",
        "lease": None,
        "decided_at": now,
    }


def given_up(now: datetime) -> dict[str, object]:
    """The fields of a row that is not asked about after all."""
    reason = UnscoredReason.NO_LONGER_COUNTS.value
    return {
        "state": RowState.UNSCORED.value, "unscored_reason": reason, "lease": None, "decided_at": now,
    }  # fmt: skip


@transaction.atomic
def rows_give_up(judging_run: int, leaders: Sequence[int], now: datetime, claim: UUID | None) -> None:
    """Decide rows whose answer was changed, withdrawn or excluded after the plan was made: not asked.

    Rows of other answers that were to share such a call get a call of their own.
    """
    if run_going_on(judging_run) is None:
        return
    undecided = CriterionScore.objects.filter(state=RowState.OPEN)
    followers = undecided.filter(asked_with__in=leaders)
    own = list(followers.filter(answer=F("asked_with__answer")).values_list("pk", flat=True))
    undecided.filter(pk__in=own).update(**given_up(now))
    # Not those that somebody else claimed meanwhile: what is under way is decided by what comes of it.
    ours = Q(available_at__lte=now) | Q(lease=claim, lease__isnull=False)
    undecided.filter(ours, pk__in=leaders).update(**given_up(now))
    for leader in leaders:
        others = list(undecided.filter(asked_with=leader).order_by("id").values_list("pk", flat=True))
        if others:
            undecided.filter(pk=others[0]).update(
                asked_with=None, has_followers=len(others) > 1, available_at=now
            )
            undecided.filter(pk__in=others[1:]).update(asked_with=others[0])
