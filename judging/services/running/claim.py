"""Which rows are asked about next: read, and claimed so that nobody else asks.

A claim is on record before anything is sent: each call of it with its uid and at its worst, so a kill leaves
a record of what it cut off. What comes of a call counts while the row carries the lease of its claim. The
machines' clocks must agree within a few seconds.
"""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from decimal import Decimal
from uuid import UUID, uuid4

from django.conf import settings
from django.db import transaction
from django.db.models import F, Q, Sum
from django.db.models.functions import Greatest

from jobs.leases import lease_free
from judging.judges.course import LOST, MAX_LOST, Course, course_of
from judging.judges.interface import Asking, Judge, JudgeTask
from judging.judges.neutralise import random_mark
from judging.judges.reasons import UnscoredReason
from judging.models import (
    CriterionScore,
    JudgeCall,
    JudgeConfig,
    JudgingRun,
    RowOrigin,
    RowState,
    ScoringRun,
)
from judging.selectors.judging import Position, PromptToJudge, answers_to_judge, prompts_to_judge
from judging.services.running.budget import ASSUMED_OUTPUT_TOKENS, require_prices, why_exhausted, worst_cost
from judging.services.running.counting import runs_uncount
from judging.services.running.deciding import (
    KnownVerdict,
    known_verdicts,
    rows_give_up,
    rows_to_claim,
    run_going_on,
    runs_lock,
    scored,
)
from judging.services.running.limits import LONGEST_HOLD
from llm.client import USUAL_OUTPUT_TOKENS
from llm.errors import RetryAction
from llm.requests import BYTES_PER_TOKEN

# So long rows are decided without asking before the owner looks at what else there is to do.
DECIDING_SECONDS = 0.5
# A request goes out so soon after its claim is stored, or not at all: the machine may have slept in between.
SEND_WITHIN = timedelta(seconds=2)


class BudgetExhausted(Exception):
    """The next request could pass the run's budget, and nothing under way may still leave it room."""


class LostTooOften(Exception):
    """Whoever asked about a row was gone before the reply, again and again."""

    def __init__(self) -> None:
        super().__init__(
            f"Requests about the same answer were lost {MAX_LOST} times: the process that had sent them was "
            "gone before the reply. Look at the workers' log before you resume the run. Nothing judged is "
            "lost."
        )


@dataclass(frozen=True, slots=True)
class CallRow:
    """One row that a call decides."""

    pk: int
    place: int


@dataclass(frozen=True, slots=True)
class Call:
    """One request to make, and the rows that it decides, the one that is claimed first.

    `positions` are what is asked about, by place; `course` is how far the asking about it is.
    """

    judging_run_id: int
    run: ScoringRun
    rows: tuple[CallRow, ...]
    task: JudgeTask
    positions: tuple[Position, ...]
    answer_id: int
    criterion_id: int | None
    request_sha256: str
    course: Course
    how: Asking
    prompt_tokens: int
    uid: UUID = field(default_factory=uuid4)

    @property
    def leader(self) -> int:
        return self.rows[0].pk

    def limit_tokens(self, config: JudgeConfig) -> int:
        """What limits count for it before its reply says how many tokens it took."""
        return self.prompt_tokens + (config.max_output_tokens or USUAL_OUTPUT_TOKENS)

    def worst(self, config: JudgeConfig) -> Decimal | None:
        """The most that it can cost; None where the prices are not known."""
        return None if config.input_price is None else worst_cost(config, self.prompt_tokens)


def lease_time() -> timedelta:
    return timedelta(seconds=settings.JUDGING_LEASE_SECONDS)


def sent_by(claimed_at: datetime) -> datetime:
    """By when a call that was claimed at that moment was sent, or will never be: to store a claim may take
    long, and what is sent later would be under way when its time has passed.
    """
    return claimed_at + lease_time() / 2 + SEND_WITHIN


def judge_free(now: datetime) -> Q:
    """Judges that nobody asks and that are not to be left alone."""
    held = Q(held_until__gt=now, held_until__lte=now + LONGEST_HOLD)
    return lease_free(now) & (Q(held_until=None) | ~held)


REASKED = {reason.value for reason in UnscoredReason if reason.rule.again is RetryAction.REASK}
# What is read of a row to make its call.
TO_CALL = (
    "answer", "revision", "criterion", "place", "request_sha256", "has_followers", "starts",
)  # fmt: skip


class CallReader:
    """Reads rows of one judge in one judging run as calls to make; prompts are read once."""

    def __init__(self, judging_run: JudgingRun, run: ScoringRun, judge: Judge) -> None:
        self.judging_run = judging_run
        self.run = run
        self.judge = judge
        self._answers = answers_to_judge(run.study).order_by()
        self._prompts: dict[int, PromptToJudge] = {}

    def calls(self, limit: int, now: datetime) -> list[Call]:
        """Up to `limit` calls that nobody makes, in the plan's order; none where no row is left to claim.

        Rows that the judge has answered since the plan was made, for another study perhaps, are decided by
        that. Raises LostTooOften.
        """
        waiting = rows_to_claim(self.judging_run.pk, self.run.pk, now).order_by("available_at", "id")
        until = time.monotonic() + DECIDING_SECONDS
        while time.monotonic() < until and (rows := list(waiting.only(*TO_CALL)[:limit])):
            calls = self.calls_of(rows, now)
            known = known_verdicts(self.run, [call.request_sha256 for call in calls if call.request_sha256])
            to_make = [
                call for call in calls if not _decide_known(call, known.get(call.request_sha256, {}), now)
            ]
            if to_make:
                return to_make
        return []

    def calls_of(
        self, rows: Sequence[CriterionScore], now: datetime, claim: UUID | None = None
    ) -> list[Call]:
        """The calls of these rows; those whose answers no longer count are decided, and not asked about."""
        texts = self._texts(rows)
        gone = [row.pk for row in rows if (row.answer_id, row.revision) not in texts]
        if gone:
            rows_give_up(self.judging_run.pk, gone, now, claim)
        rows = [row for row in rows if row.pk not in gone]
        # The rows that the calls of these rows decide as well.
        followers: dict[int, tuple[CallRow, ...]] = {}
        leaders = [row.pk for row in rows if row.has_followers]
        following = CriterionScore.objects.filter(asked_with__in=leaders, state=RowState.OPEN).order_by("id")
        for leader, pk, place in following.values_list("asked_with_id", "pk", "place"):
            followers[leader] = (*followers.get(leader, ()), CallRow(pk, place))
        earlier = self._earlier_calls([row for row in rows if row.starts])
        return [
            self._call(
                row,
                *texts[row.answer_id, row.revision],
                followers.get(row.pk, ()),
                earlier.get((row.answer_id, row.criterion_id), []),
            )
            for row in rows
        ]

    def _texts(self, rows: Sequence[CriterionScore]) -> dict[tuple[int, int], tuple[int, str]]:
        """Prompt and text by answer and revision, of answers that still count: no other text is sent."""
        texts = {
            (pk, revision): (prompt, text)
            for pk, revision, prompt, text in self._answers.filter(
                pk__in={row.answer_id for row in rows}
            ).values_list("pk", "revision", "prompt_id", "text")
        }
        new = {prompt for prompt, _ in texts.values()} - self._prompts.keys()
        self._prompts.update(prompts_to_judge(new))
        return texts

    def _call(
        self,
        row: CriterionScore,
        prompt_pk: int,
        text: str,
        followers: Sequence[CallRow],
        earlier: Sequence[tuple[str, str]],
    ) -> Call:
        prompt = self._prompts[prompt_pk]
        task = replace(prompt.task, answer=text)
        position = next(place for place, pk in prompt.criterion_ids.items() if pk == row.criterion_id)
        positions = next(together for together in self.judge.judge_calls(task) if position in together)
        course = course_of(outcome for outcome, _ in earlier)
        if course.lost >= MAX_LOST:
            raise LostTooOften
        # Replies after which the judge is told what was wrong with them.
        unusable = [raw for outcome, raw in earlier if outcome in REASKED] if course.reask else []
        request = self.judge.request(task, positions)
        added = -(-len(unusable[-1].encode()) // BYTES_PER_TOKEN) if unusable else 0
        return Call(
            judging_run_id=self.judging_run.pk,
            run=self.run,
            rows=(CallRow(row.pk, row.place), *followers),
            task=task,
            positions=positions,
            answer_id=row.answer_id,
            criterion_id=row.criterion_id,
            request_sha256=row.request_sha256,
            course=course,
            how=Asking(random_mark(), course.plain, unusable[-1] if unusable else ""),
            prompt_tokens=request.prompt_tokens_estimate + added if request else 0,
        )

    def _earlier_calls(
        self, rows: Sequence[CriterionScore]
    ) -> dict[tuple[int, int | None], list[tuple[str, str]]]:
        """Outcome and raw reply of each request about these rows since the run last began to ask, in order.

        One under way without a place in a claim was lost: rows are free again only after its time.
        """
        earlier: dict[tuple[int, int | None], list[tuple[str, str]]] = {}
        if not rows:
            return earlier
        calls = JudgeCall.everything.filter(
            judging_run=self.judging_run,
            run=self.run,
            answer__in={row.answer_id for row in rows},
            called_at__gte=self.judging_run.resumed_at,
        ).exclude(request_sha256="")  # what the release before had set aside is about no answer
        for answer, criterion, outcome, raw in calls.order_by("pk").values_list(
            "answer", "criterion", "outcome", "raw_reply"
        ):
            earlier.setdefault((answer, criterion), []).append((outcome or LOST, raw))
        return earlier


@transaction.atomic
def _decide_known(call: Call, known: Mapping[int, KnownVerdict], now: datetime) -> bool:
    """Decide the rows of a call by verdicts that are known; False where one of them is not.

    Not of a run that goes on no more: the next one may have planned them.
    """
    if not all(row.place in known for row in call.rows):
        return False
    if run_going_on(call.judging_run_id) is None:
        return True
    waiting = rows_to_claim(call.judging_run_id, call.run.pk, now).filter(pk=call.leader)
    leader, *others = call.rows
    if waiting.update(**scored(*known[leader.place], RowOrigin.CACHED, now)):
        # These follow the first: they are never claimed by themselves.
        for row in others:
            CriterionScore.objects.filter(pk=row.pk, state=RowState.OPEN).update(
                **scored(*known[row.place], RowOrigin.CACHED, now)
            )
    return True


def calls_claim(
    calls: Sequence[Call], *, claim: UUID, config: JudgeConfig, owner: UUID, now: datetime
) -> list[Call]:
    """Claim the rows of these calls of one run, and put each call on record at its worst; return those that
    may be sent. None while the run does not go on, or where the judge is no longer `owner`'s to ask.

    Raises BudgetExhausted, PricesUnknown.
    """
    with transaction.atomic():
        run = run_going_on(calls[0].judging_run_id)
        # This lock, too: whoever takes the judge over sees what was claimed before.
        judge = JudgeConfig.objects.select_for_update(no_key=True).filter(pk=config.pk)
        goes_on = run is not None and judge.filter(lease=owner, leased_until__gt=now).exists()
        on_record = JudgeCall.everything.filter(uid__in=[call.uid for call in calls])
        if claimed := set(on_record.values_list("uid", flat=True)):
            # The database stored the claim and went away before it could say so.
            made = [call for call in calls if call.uid in claimed]
            if not goes_on:
                calls_unclaim(made, claim=claim, now=now)
            return made if goes_on else []
        if run is None or not goes_on:
            return []
        affordable = _affordable(run, calls, config, now)
        waiting = rows_to_claim(run.pk, calls[0].run.pk, now).select_for_update(skip_locked=True)
        free = set(waiting.filter(pk__in=[call.leader for call in affordable]).values_list("pk", flat=True))
        taken = [call for call in affordable if call.leader in free]
        due_at = now + timedelta(seconds=config.timeout_seconds) + lease_time()
        CriterionScore.objects.filter(pk__in=free).update(
            lease=claim, available_at=due_at, starts=F("starts") + 1
        )
        records = [record_of(call, config, now, due_at) for call in taken]
        JudgeCall.everything.bulk_create(records)
        committed = sum((record.cost for record in records if record.cost is not None), Decimal(0))
        if committed:
            JudgingRun.objects.filter(pk=run.pk).update(committed=F("committed") + committed)
        return taken


def _affordable(run: JudgingRun, calls: Sequence[Call], config: JudgeConfig, now: datetime) -> list[Call]:
    """Those of the calls, the first ones, that fit into what is left of the run's budget."""
    if run.budget is None:
        return list(calls)
    require_prices(run.budget, [config])
    left, affordable = run.budget - run.committed, []
    for call in calls:
        left -= call.worst(config) or Decimal(0)
        if left < 0:
            break
        affordable.append(call)
    if not affordable and not JudgeCall.everything.filter(judging_run=run, due_at__gt=now).exists():
        raise BudgetExhausted(why_exhausted(run, config, calls[0].worst(config) or Decimal(0)))
    return affordable


def record_of(call: Call, config: JudgeConfig, now: datetime, due_at: datetime) -> JudgeCall:
    """The call as it is on record while it is under way."""
    # Several criteria share a text of their own; the study's is for one of them.
    text = "batched_text_sha256" if len(call.positions) > 1 else "texts_sha256"
    return JudgeCall(
        uid=call.uid,
        judging_run_id=call.judging_run_id,
        run=call.run,
        answer_id=call.answer_id,
        criterion_id=call.criterion_id,
        request_sha256=call.request_sha256,
        mark=call.how.mark,
        judge_protocol_sha256=call.run.judge.get(text, ""),
        model=config.model,
        prompt_tokens=call.prompt_tokens,
        completion_tokens=config.max_output_tokens or ASSUMED_OUTPUT_TOKENS,
        cost=call.worst(config),
        latency_ms=0.0,
        outcome="",
        called_at=now,
        due_at=due_at,
    )


def calls_unclaim(calls: Sequence[Call], *, claim: UUID, now: datetime) -> None:
    """Let the calls of a claim be made by others: they were not sent after all."""
    with transaction.atomic():
        runs_lock({calls[0].judging_run_id})
        records = JudgeCall.everything.filter(uid__in=[call.uid for call in calls], outcome__in=["", LOST])
        costs = records.aggregate(cost=Sum("cost"))["cost"] or Decimal(0)
        if records.delete()[0]:
            runs_uncount(JudgingRun.objects.filter(pk=calls[0].judging_run_id))
            JudgingRun.objects.filter(pk=calls[0].judging_run_id).update(committed=F("committed") - costs)
            leaders = [call.leader for call in calls]
            CriterionScore.objects.filter(pk__in=leaders, lease=claim, state=RowState.OPEN).update(
                lease=None, available_at=now, starts=Greatest(F("starts") - 1, 0)
            )


def rows_claim(reader: CallReader, *, limit: int, claim: UUID, now: datetime) -> list[Call]:
    """Claim rows for a judge that computes, for as long as a lease; none while the run does not go on.

    Raises LostTooOften.
    """
    while rows := _rows_lease(reader, limit=limit, claim=claim, now=now):
        if calls := reader.calls_of(rows, now, claim):
            return calls
    return []


@transaction.atomic
def _rows_lease(reader: CallReader, *, limit: int, claim: UUID, now: datetime) -> list[CriterionScore]:
    if run_going_on(reader.judging_run.pk) is None:
        return []
    waiting = rows_to_claim(reader.judging_run.pk, reader.run.pk, now).select_for_update(skip_locked=True)
    rows = list(waiting.order_by("available_at", "id").only(*TO_CALL)[:limit])
    if any(row.starts >= MAX_LOST for row in rows):
        raise LostTooOften
    CriterionScore.objects.filter(pk__in=[row.pk for row in rows]).update(
        lease=claim, available_at=now + lease_time(), starts=F("starts") + 1
    )
    return rows
