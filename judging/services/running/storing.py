"""Stores what a call brought: each in its own short transaction, while its worker holds the row."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction

from judging.judges.interface import CriterionVerdict, JudgeResult
from judging.models import CriterionScore, JudgeCall, RowOrigin, RowState, WorkerLease
from judging.services.running import one_statement
from judging.services.running.budget import cost_of
from judging.services.running.claims import ClaimedCall, ClaimedRow
from llm.attempts import Attempt
from studies.models import StudyEvent
from studies.services.events import StudyEventKind

# How often a row is asked about in a run before it stays unscored, each time with the client's own tries.
ROUNDS = 4


def result_store(lease: WorkerLease, call: ClaimedCall, result: JudgeResult, *, now: datetime) -> bool:
    """Decide the rows of a call, or put them back for another round; keep every request on record.

    False where the lease was lost meanwhile: another worker asks, or has asked, and its word counts. The
    requests are on record all the same, for they were made.
    """
    if one_statement.is_possible(rows=len(call.rows), calls=len(result.calls)):
        [row], [made] = call.rows, _calls_of(lease, call, result.calls, now)
        fields = decision(row, result.verdicts[row.place], now, leads=True)
        held = one_statement.row_and_call_store(row.pk, lease.token, fields, made)
    else:
        # Together: a decided row without its requests would have cost nothing, as far as the record says.
        with transaction.atomic():
            held = _rows_decide(lease, call, result, now)
            calls_store(lease, call, result.calls, now=now)
    if not held:
        replies_forget(call.answer_id)
    return held


def replies_forget(answer: int) -> None:
    """Empty what the judge said where the person's data were deleted while it was asked."""
    done = StudyEvent.objects.filter(kind=StudyEventKind.DATA_DELETED).values("participant")
    calls = JudgeCall.objects.filter(answer=answer, answer__session__participant__in=done)
    calls.exclude(raw_reply="").update(raw_reply="")


def calls_store(lease: WorkerLease, call: ClaimedCall, calls: Sequence[Attempt], *, now: datetime) -> None:
    """Keep requests on record, whatever came of them; those that are there already stay as they are."""
    if calls:
        # They are there where the database stored them and went away before it could say so.
        JudgeCall.objects.bulk_create(_calls_of(lease, call, calls, now), ignore_conflicts=True)


def results_store(
    lease: WorkerLease, done: Iterable[tuple[ClaimedCall, JudgeResult]], *, now: datetime
) -> None:
    """The same for many calls that cost nothing, in one transaction."""
    with transaction.atomic():
        for call, result in done:
            _rows_decide(lease, call, result, now)


def _rows_decide(lease: WorkerLease, call: ClaimedCall, result: JudgeResult, now: datetime) -> bool:
    by_place = dict(enumerate(result.verdicts))
    first, *others = call.rows
    held = CriterionScore.objects.filter(pk=first.pk, lease=lease.token, state=RowState.OPEN).update(
        **decision(first, by_place[first.place], now, leads=True)
    )
    if not held:
        return False
    for row in others:
        # With the rounds of the row that was claimed: what is never claimed itself must not stay open alone.
        shared = replace(row, rounds=first.rounds)
        CriterionScore.objects.filter(pk=row.pk, state=RowState.OPEN).update(
            **decision(shared, by_place[row.place], now, leads=False)
        )
    return True


def decision(row: ClaimedRow, verdict: CriterionVerdict, now: datetime, *, leads: bool) -> dict[str, object]:
    """The fields of a row after a call: scored, unscored, or open for another round after a wait."""
    origin = (RowOrigin.ASKED if leads else RowOrigin.SHARED).value
    reason = verdict.reason
    if reason is None:
        return {
            "state": RowState.SCORED.value,
            "origin": origin,
            "score": verdict.score,
            "confidence": verdict.confidence,
            "explanation": verdict.explanation,
            "unscored_reason": "",
            "lease": None,
            "decided_at": now,
        }
    rounds = row.rounds + 1
    failed: dict[str, object] = {
        "unscored_reason": reason.value, "explanation": verdict.explanation, "rounds": rounds, "lease": None,
    }  # fmt: skip
    if reason.rule.worth_another_round and rounds < ROUNDS:
        return {**failed, "available_at": now + _wait_before(rounds)}
    return {**failed, "state": RowState.UNSCORED.value, "origin": origin, "decided_at": now}


def _wait_before(rounds: int) -> timedelta:
    """Longer before each further round: what fails often is not helped by asking at once."""
    return timedelta(seconds=settings.JUDGING_ROUND_WAIT_SECONDS * 2 ** (rounds - 1))


def _calls_of(
    lease: WorkerLease, call: ClaimedCall, attempts: Sequence[Attempt], now: datetime
) -> list[JudgeCall]:
    run, config = lease.run, lease.judge
    # Several criteria share a text of their own; the study's is for one of them.
    texts = run.judge.get("batched_text_sha256" if len(call.positions) > 1 else "texts_sha256", "")
    return [
        JudgeCall(
            uid=attempt.uid,
            judging_run_id=lease.judging_run_id,
            run_id=run.pk,
            answer_id=call.answer_id,
            criterion_id=call.criterion_id,
            request_sha256=attempt.request_sha256,
            mark=attempt.mark,
            judge_protocol_sha256=texts,
            model=attempt.model,
            raw_reply=attempt.raw_reply,
            prompt_tokens=attempt.prompt_tokens,
            completion_tokens=attempt.completion_tokens,
            cost=cost_of(config, attempt),
            latency_ms=attempt.latency_ms,
            outcome=attempt.outcome,
            called_at=now,
        )
        for attempt in attempts
    ]
