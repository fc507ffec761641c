"""Stores what a call brought: each in its own short transaction, while its worker holds the row.

The usual case on PostgreSQL, one row and one request, takes one statement and transaction. It does what takes
several statements otherwise; a test compares the two. With a judge that replies at once, those would take
longer than all else that is done for a call.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import cache
from uuid import UUID

import psycopg
from django.conf import settings
from django.db import connection, transaction

from judging.judges.interface import CriterionVerdict, JudgeResult
from judging.models import CriterionScore, JudgeCall, JudgingRun, RowOrigin, RowState, WorkerLease
from judging.services.running.budget import cost_of
from judging.services.running.claims import ClaimedCall, ClaimedRow, scored
from judging.services.running.counting import runs_uncount
from llm.attempts import Attempt
from studies.models import StudyEvent
from studies.services.events import StudyEventKind

# How often a row is asked about in a run before it stays unscored, each time with the client's own tries.
ROUNDS = 4
ROW_COLUMNS = {field.name: field.column for field in CriterionScore._meta.concrete_fields}
CALL_FIELDS = tuple(field for field in JudgeCall._meta.concrete_fields if not field.primary_key)


def result_store(lease: WorkerLease, call: ClaimedCall, result: JudgeResult, *, now: datetime) -> bool:
    """Decide the rows of a call, or put them back for another round; keep every request on record.

    False where the lease was lost meanwhile: another worker asks, or has asked, and its word counts. The
    requests are on record all the same, for they were made.
    """
    if connection.vendor == "postgresql" and len(call.rows) == len(result.calls) == 1:
        [row], [made] = call.rows, _calls_of(lease, call, result.calls, now)
        fields = _decision(row, result.verdicts[row.place], now, leads=True)
        held = row_and_call_store(row.pk, lease.token, fields, made)
    else:
        # Together: a decided row without its requests would have cost nothing, as far as the record says.
        with transaction.atomic():
            held = _rows_decide(lease, call, result, now)
            calls_store(lease, call, result.calls, now=now)
    if not held:
        late_calls_settle(lease, call)
    return held


def late_calls_settle(lease: WorkerLease, call: ClaimedCall) -> None:
    """After requests that decided nothing were stored, which may be long after the end of the run: count it
    anew, and empty what the judge said where the person's data were deleted while it was asked.
    """
    runs_uncount(JudgingRun.objects.filter(pk=lease.judging_run_id))
    done = StudyEvent.objects.filter(kind=StudyEventKind.DATA_DELETED).values("participant")
    calls = JudgeCall.objects.filter(answer=call.answer_id, answer__session__participant__in=done)
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
        **_decision(first, by_place[first.place], now, leads=True)
    )
    if not held:
        return False
    for row in others:
        # With the rounds of the row that was claimed: what is never claimed itself must not stay open alone.
        shared = replace(row, rounds=first.rounds)
        CriterionScore.objects.filter(pk=row.pk, state=RowState.OPEN).update(
            **_decision(shared, by_place[row.place], now, leads=False)
        )
    return True


def _decision(row: ClaimedRow, verdict: CriterionVerdict, now: datetime, *, leads: bool) -> dict[str, object]:
    """The fields of a row after a call: scored, unscored, or open for another round after a wait."""
    origin = RowOrigin.ASKED if leads else RowOrigin.SHARED
    reason = verdict.reason
    if reason is None:
        return scored(verdict.score, verdict.confidence, verdict.explanation, origin, now)
    rounds = row.rounds + 1
    failed: dict[str, object] = {
        "unscored_reason": reason.value, "explanation": verdict.explanation, "rounds": rounds, "lease": None,
    }  # fmt: skip
    if reason.rule.worth_another_round and rounds < ROUNDS:
        return {**failed, "available_at": now + _wait_before(rounds)}
    return {**failed, "state": RowState.UNSCORED.value, "origin": origin.value, "decided_at": now}


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


def row_and_call_store(pk: int, lease: UUID, fields: Mapping[str, object], call: JudgeCall) -> bool:
    """Set `fields` of the row while it carries `lease`, and add the call; False where the lease was lost."""
    connection.ensure_connection()
    values = [*fields.values(), pk, lease, *(getattr(call, field.attname) for field in CALL_FIELDS)]
    # The errors of Django: an outage must be told from what would fail again and again.
    with connection.wrap_database_errors, psycopg.Cursor(connection.connection) as cursor:
        cursor.execute(_statement(tuple(fields)), values, prepare=True)
        found = cursor.fetchone()
    return found is not None and bool(found[0])


@cache
def _statement(fields: tuple[str, ...]) -> bytes:
    """The statement for these fields of a row; the values come in its order."""
    row, call = CriterionScore._meta, JudgeCall._meta
    changes = ", ".join(f'"{ROW_COLUMNS[name]}" = %s' for name in fields)
    columns = ", ".join(f'"{field.column}"' for field in CALL_FIELDS)
    places = ", ".join("%s" for _ in CALL_FIELDS)
    # The request is inserted whether or not the row was held: the parts of WITH that write always run.
    return (
        f'WITH held AS (UPDATE "{row.db_table}" SET {changes} '  # noqa: S608  # names are the models' own
        f"WHERE id = %s AND lease = %s AND state = 'open' RETURNING id), "
        f'called AS (INSERT INTO "{call.db_table}" ({columns}) VALUES ({places}) '
        "ON CONFLICT (uid) DO NOTHING) "
        "SELECT count(*) FROM held"
    ).encode()
