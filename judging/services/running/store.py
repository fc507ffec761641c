"""Stores what calls brought, many at a time: each call settles its record, and decides its rows where they
still carry the lease of its claim.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import F

from judging.judges.interface import CriterionVerdict, JudgeResult
from judging.models import CriterionScore, JudgeCall, JudgeConfig, JudgingRun, RowOrigin, RowState
from judging.services.running.budget import cost_of
from judging.services.running.claim import Call, CallRow, record_of, scored
from judging.services.running.counting import runs_uncount
from llm.attempts import Attempt
from studies.models import StudyEvent
from studies.services.events import StudyEventKind

SETTLED_FIELDS = [
    "request_sha256", "model", "raw_reply", "prompt_tokens", "completion_tokens", "cost", "latency_ms",
    "outcome", "due_at",
]  # fmt: skip
RNG = random.SystemRandom()


@dataclass(frozen=True, slots=True)
class Done:
    """A call that was sent at `sent_at` and what it brought."""

    call: Call
    claim: UUID
    sent_at: datetime
    attempt: Attempt
    result: JudgeResult


def results_store(done: Sequence[Done], *, config: JudgeConfig, now: datetime) -> None:
    """Settle the calls on record and decide their rows, or let them be asked about again.

    A row that lost the claim's lease meanwhile is left alone: somebody else asks, or has asked, and that
    counts; or it is not to be judged any more. The request is on record all the same, for it was made. To
    store the same again changes nothing.
    """
    runs = {each.call.judging_run_id for each in done}
    with transaction.atomic():
        list(JudgingRun.objects.select_for_update(no_key=True).filter(pk__in=runs).order_by("pk"))
        records = JudgeCall.everything.filter(uid__in=[each.call.uid for each in done])
        before = dict(records.values_list("uid", "cost"))
        settled = [_settled(each, config) for each in done]
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
        late = [each.call for each in done if not _rows_decide(each, now)]
    if late:
        _late_calls_settle(late)


def _settled(done: Done, config: JudgeConfig) -> JudgeCall:
    """The record of a call that is over."""
    record, attempt = record_of(done.call, config, done.sent_at, done.sent_at), done.attempt
    record.due_at = None
    record.request_sha256 = attempt.request_sha256
    record.model = attempt.model
    record.raw_reply = attempt.raw_reply
    record.prompt_tokens = attempt.prompt_tokens
    record.completion_tokens = attempt.completion_tokens
    record.cost = cost_of(config, attempt)
    record.latency_ms = attempt.latency_ms
    record.outcome = attempt.outcome
    return record


def _rows_decide(done: Done, now: datetime) -> bool:
    """Whether the claim's lease still held; the row that was claimed says so for those beside it."""
    verdicts = done.result.verdicts
    leader, *others = done.call.rows
    own = CriterionScore.objects.filter(pk=leader.pk, lease=done.claim, state=RowState.OPEN)
    fields = _decision(done, verdicts[leader.place], now)
    if not own.update(**fields):
        return False
    for row in others:
        beside = CriterionScore.objects.filter(pk=row.pk, state=RowState.OPEN)
        beside.update(**_beside(_decision(done, verdicts[row.place], now)))
    return True


def _decision(done: Done, verdict: CriterionVerdict, now: datetime) -> dict[str, object]:
    """The fields of a row after a call: scored, unscored, or open for another request after a wait."""
    if verdict.reason is None:
        return scored(verdict.score, verdict.confidence, verdict.explanation, RowOrigin.ASKED, now)
    course = done.call.course
    after = course.after(done.attempt.outcome)
    failed: dict[str, object] = {
        "unscored_reason": verdict.reason.value, "explanation": verdict.explanation, "lease": None,
    }  # fmt: skip
    if after.ended:
        origin = RowOrigin.ASKED.value
        return {**failed, "state": RowState.UNSCORED.value, "origin": origin, "decided_at": now}
    wait = course.wait_before(
        after,
        round_wait=settings.JUDGING_ROUND_WAIT_SECONDS,
        retry_after=done.result.retry_after,
        rng=RNG,
    )
    return {**failed, "available_at": now + timedelta(seconds=wait)}


def _beside(fields: dict[str, object]) -> dict[str, object]:
    """The same for a row that another row's call decided."""
    return {**fields, "origin": RowOrigin.SHARED.value} if "origin" in fields else fields


def _late_calls_settle(late: Sequence[Call]) -> None:
    """After requests that decided nothing were stored, which may be long after the end of the run: count it
    anew, and empty what the judge said where the person's data were deleted while it was asked.
    """
    runs_uncount(JudgingRun.objects.filter(pk__in={call.judging_run_id for call in late}))
    deleted = StudyEvent.objects.filter(kind=StudyEventKind.DATA_DELETED).values("participant")
    calls = JudgeCall.objects.filter(answer__in={call.answer_id for call in late})
    calls.filter(answer__session__participant__in=deleted).exclude(raw_reply="").update(raw_reply="")


def verdicts_store(results: Sequence[tuple[CallRow, JudgeResult]], *, claim: UUID, now: datetime) -> None:
    """Decide rows by a judge that asks no model, while they carry the lease of the claim."""
    with transaction.atomic():
        for row, result in results:
            [verdict] = result.verdicts
            fields = (
                scored(verdict.score, verdict.confidence, verdict.explanation, RowOrigin.ASKED, now)
                if verdict.reason is None
                else {
                    "state": RowState.UNSCORED.value, "unscored_reason": verdict.reason.value, "lease": None,
                    "explanation": verdict.explanation, "origin": RowOrigin.ASKED.value, "decided_at": now,
                }
            )  # fmt: skip
            CriterionScore.objects.filter(pk=row.pk, lease=claim, state=RowState.OPEN).update(**fields)
