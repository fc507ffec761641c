"""Judging: retained answers that count go to the judge until nothing is left. Blank answers never do."""

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime

from django.db import transaction

from scoring.judge.interface import CriterionVerdict, Judge, JudgeCannotScore
from scoring.judge.reasons import UnscoredReason
from scoring.models import ScoringRun
from scoring.selectors.judging import (
    JudgingPlan,
    JudgingState,
    PendingAnswer,
    judging_plan,
    judging_state,
    tasks,
)
from scoring.services.judge_pool import Judged, Question, ask_all
from scoring.services.verdict_rows import VerdictStore
from studies.bank.canonical import canonical_sha256
from studies.models import Study, StudyStatus
from studies.services.refusals import Refused

FAILURES_IN_A_ROW = 16
FAILING_ANSWERS = 3
NAMED_PROMPTS = 5
ENDPOINT_FAILURES = frozenset(
    {
        UnscoredReason.CONNECTION_FAILED,
        UnscoredReason.CONNECTION_LOST,
        UnscoredReason.TIMED_OUT,
        UnscoredReason.RATE_LIMITED,
        UnscoredReason.SERVER_FAILED,
        UnscoredReason.ACCESS_DENIED,
        UnscoredReason.REQUEST_REJECTED,
    }
)

Clock = Callable[[], datetime]
Progress = Callable[[int, int], None]


class StudyNotFrozen(Refused):
    """A draft's protocol may still change, so nothing is judged under it."""


class PromptsNotScorable(Refused):
    """This kind of judge cannot score some prompts; found before anything is judged."""


class JudgeUnavailable(Refused):
    """The judge gave no verdict many times in a row. What was judged before is stored."""


def run_open(*, study: Study, judge: Judge, now: datetime) -> ScoringRun:
    """The run of this judge under the study's present protocol, new or continued.

    Raises StudyNotFrozen.
    """
    if study.status == StudyStatus.DRAFT:
        raise StudyNotFrozen(f'The study "{study.slug}" is a draft; freeze it before it is scored.')
    description = judge.describe()
    run, _ = ScoringRun.objects.get_or_create(
        study=study,
        protocol_hash=study.protocol_hash,
        judge_sha256=canonical_sha256(description),
        defaults={"judge_kind": judge.kind, "judge": description, "started_at": now},
    )
    return run


def answers_judge(
    *, run: ScoringRun, judges: Sequence[Judge], concurrency: int, clock: Clock, progress: Progress
) -> JudgingState:
    """One pass over everything without a score; what an earlier pass got is kept.

    `judges` are equivalent and asked in turn. `progress` is told (verdicts so far, verdicts in all). Stopping
    it at any moment loses only the verdicts that are under way.
    Raises PromptsNotScorable or JudgeUnavailable.
    """
    plan = judging_plan(run)
    require_scorable(plan, judges[0])
    store, watch, total = VerdictStore(run, plan), FailureWatch(), plan.verdicts
    progress(0, total)
    store.settle(clock())

    def keep(judged: list[Judged]) -> None:
        store.add(judged, clock())
        progress(watch.see(judged), total)

    ask_all(questions(plan), judges=judges, concurrency=concurrency, store=keep)
    watch.end()
    return run_note_end(run=run, now=clock())


def require_scorable(plan: JudgingPlan, judge: Judge) -> None:
    """Raise PromptsNotScorable naming the prompts this judge has no way to score."""
    problems = []
    for prompt in plan.prompts.values():
        try:
            judge.check(prompt.task)
        except JudgeCannotScore as error:
            problems.append(str(error))
    if problems:
        left = len(problems) - NAMED_PROMPTS
        more = [f"… and {left} more prompts."] if left > 0 else []
        raise PromptsNotScorable("\n".join([*problems[:NAMED_PROMPTS], *more]))


def questions(plan: JudgingPlan) -> Iterator[Question]:
    for pending, task in tasks(plan):
        for position in pending.left:
            yield Question(pending, task, position)


@transaction.atomic
def run_note_end(*, run: ScoringRun, now: datetime) -> JudgingState:
    """Stamp the run as finished exactly when every answer that counts has a score."""
    state = judging_state(run)
    run.finished_at = (run.finished_at or now) if state.left == 0 else None
    run.save(update_fields=["finished_at"])
    return state


class FailureWatch:
    """Tells a dead endpoint from a bad answer, so that thousands of answers are not sent to a dead one.

    What an answer may bring about itself (a time-out, a rejected request) counts against the endpoint only
    when the answer is asked about for the first time: no answer keeps the others from their results.
    """

    def __init__(self) -> None:
        self._seen = 0
        self._counted = 0
        self._in_a_row = 0
        self._failing: set[int] = set()
        self._last = ""

    def see(self, judged: Sequence[Judged]) -> int:
        """Count some verdicts and return how many there were in all. Raises JudgeUnavailable."""
        for question, verdict in judged:
            self._count(question.pending, verdict)
        if self._in_a_row >= FAILURES_IN_A_ROW and len(self._failing) >= FAILING_ANSWERS:
            raise self._unavailable()
        return self._seen

    def end(self) -> None:
        """Raise JudgeUnavailable if not a single verdict came back, however few were asked for."""
        if self._counted and self._in_a_row == self._counted:
            raise self._unavailable()

    def _count(self, pending: PendingAnswer, verdict: CriterionVerdict) -> None:
        self._seen += 1
        reason = verdict.reason
        failed = reason in ENDPOINT_FAILURES
        if reason and failed and pending.judged_before and not reason.fails_all:
            return
        self._counted += 1
        self._in_a_row = self._in_a_row + 1 if failed else 0
        self._failing = {*self._failing, pending.answer_id} if failed else set()
        self._last = verdict.explanation

    def _unavailable(self) -> JudgeUnavailable:
        return JudgeUnavailable(
            f"The judge gave no verdict {self._in_a_row} times in a row. {self._last} "
            "Everything judged before is kept: run the same command again and it continues."
        )
