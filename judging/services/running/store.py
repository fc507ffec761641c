"""Stores what calls brought, many at a time: each call settles its record, and decides its rows where they
still carry the lease of its claim.
"""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import F
from django.utils import timezone

from judging.judges.interface import CriterionVerdict, JudgeResult
from judging.models import CriterionScore, JudgeCall, JudgeConfig, JudgingRun, RowOrigin, RowState
from judging.services.running.budget import cost_of
from judging.services.running.claim import Call, record_of
from judging.services.running.counting import runs_uncount
from judging.services.running.deciding import runs_lock, scored
from llm.requests import Attempt
from studies.models import StudyEvent
from studies.services.database import rows_update
from studies.services.events import StudyEventKind

SETTLED_FIELDS = [
    "request_sha256", "model", "raw_reply", "prompt_tokens", "completion_tokens", "cost", "latency_ms",
    "outcome", "called_at", "due_at",
]  # fmt: skip
SCORED_FIELDS = [*scored(None, None, "", RowOrigin.ASKED, timezone.now())]
RNG = random.SystemRandom()


@dataclass(frozen=True, slots=True)
class Done:
    """A call that was sent at `sent_at` to the judge as it was at that moment, and what it brought."""

    call: Call
    claim: UUID
    config: JudgeConfig
    sent_at: datetime
    attempt: Attempt
    result: JudgeResult


def results_store(done: Sequence[Done], *, now: datetime) -> None:
    """Settle the calls on record and decide their rows, or let them be asked about again.

    A row that lost the claim's lease meanwhile is left alone: somebody else asks, or has asked, and that
    counts; or it is not to be judged any more. The request is on record all the same, for it was made. To
    store the same again changes nothing.
    """
    runs = {each.call.judging_run_id for each in done}
    with transaction.atomic():
        runs_lock(runs)
        # Rows before calls, as whoever deletes a person's data takes them.
        late = _rows_decide(done, now)
        records = JudgeCall.everything.filter(uid__in=[each.call.uid for each in done])
        before = dict(records.values_list("uid", "cost"))
        settled = [_settled(each) for each in done]
        JudgeCall.everything.bulk_create(
            settled, update_conflicts=True, unique_fields=["uid"], update_fields=SETTLED_FIELDS
        )
        for run in runs:
            change = sum(
                ((record.cost or 0) - (before.get(record.uid) or 0) for record in settled
                 if record.judging_run_id == run), Decimal(0),
            )  # fmt: skip
            if change:
                JudgingRun.objects.filter(pk=run).update(committed=F("committed") + change)
        if late:
            # It may be long after the end of the run: count that anew, and empty what the judge said where
            # the person's data were deleted while it was asked.
            runs_uncount(JudgingRun.objects.filter(pk__in={call.judging_run_id for call in late}))
            deleted = StudyEvent.objects.filter(kind=StudyEventKind.DATA_DELETED).values("participant")
            calls = JudgeCall.objects.filter(answer__in={call.answer_id for call in late})
            of_deleted = calls.filter(answer__session__participant__in=deleted)
            of_deleted.exclude(raw_reply="").update(raw_reply="")


def _settled(done: Done) -> JudgeCall:
    """The record of a call that is over."""
    record, attempt = record_of(done.call, done.config, done.sent_at, done.sent_at), done.attempt
    record.due_at = None
    record.request_sha256 = attempt.request_sha256
    record.model = attempt.model
    record.raw_reply = attempt.raw_reply
    record.prompt_tokens = attempt.prompt_tokens
    record.completion_tokens = attempt.completion_tokens
    record.cost = cost_of(done.config, attempt)
    record.latency_ms = attempt.latency_ms
    record.outcome = attempt.outcome
    return record


def _rows_decide(done: Sequence[Done], now: datetime) -> list[Call]:
    """Decide the rows of these calls; return the calls whose claim's lease is gone.

    The row that was claimed speaks for those that its call decides beside it.
    """
    undecided = CriterionScore.objects.filter(state=RowState.OPEN)
    leases = dict(
        undecided.filter(pk__in=[each.call.leader for each in done])
        .select_for_update(of=("self",), no_key=True)
        .values_list("pk", "lease")
    )
    decided: list[CriterionScore] = []
    late: list[Call] = []
    for each in done:
        if leases.get(each.call.leader) != each.claim:
            late.append(each.call)
            continue
        for place, row in enumerate(each.call.rows):
            origin = RowOrigin.SHARED if place else RowOrigin.ASKED
            verdict = each.result.verdicts[row.place]
            if verdict.reason is None:
                values = scored(verdict.score, verdict.confidence, verdict.explanation, origin, now)
                decided.append(CriterionScore(pk=row.pk, **values))
            else:
                undecided.filter(pk=row.pk).update(**_without_verdict(each, verdict, origin, now))
    rows_update(decided, SCORED_FIELDS, " AND state = 'open'")
    return late


def _without_verdict(
    done: Done, verdict: CriterionVerdict, origin: RowOrigin, now: datetime
) -> dict[str, object]:
    """The fields of a row after such a call: unscored, or open for another request after a wait."""
    fields = {"unscored_reason": verdict.reason, "explanation": verdict.explanation, "lease": None}
    course = done.call.course
    after = course.after(done.attempt.outcome)
    if after.ended:
        return {**fields, "state": RowState.UNSCORED, "origin": origin, "decided_at": now}
    wait = course.wait_before(
        after,
        round_wait=settings.JUDGING_ROUND_WAIT_SECONDS,
        retry_after=done.result.retry_after,
        rng=RNG,
    )
    if (after.rounds, after.tries) == (course.rounds, course.tries):
        # In another way, and before those that were not asked about yet: what that shows of the endpoint's
        # way with schemas is learned from the calls of the first moment.
        return {**fields, "available_at": done.call.run.started_at}
    return {**fields, "available_at": now + timedelta(seconds=wait)}


def verdicts_store(
    results: Mapping[int, CriterionVerdict], *, judging_run: JudgingRun, claim: UUID, now: datetime
) -> None:
    """Decide rows by a judge that asks no model, while they carry the lease of the claim."""
    with transaction.atomic():
        runs_lock({judging_run.pk})
        rows = CriterionScore.objects.filter(state=RowState.OPEN, lease=claim)
        for pk, verdict in results.items():
            fields = scored(verdict.score, verdict.confidence, verdict.explanation, RowOrigin.ASKED, now)
            if verdict.reason is not None:
                fields |= {"state": RowState.UNSCORED, "unscored_reason": verdict.reason}
            rows.filter(pk=pk).update(**fields)
