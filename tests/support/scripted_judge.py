"""A judge that says what a test tells it, and the loop of its owner around it."""

from collections.abc import Callable
from concurrent.futures import Executor, Future
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from pydantic import JsonValue

from jobs.leases import lease_take
from judging.judges.course import ROUNDS
from judging.judges.interface import FIRST_ASKING, Asking, CriterionVerdict, JudgeResult, JudgeTask
from judging.judges.reasons import UnscoredReason
from judging.models import JudgeConfig, JudgingRun, ScoringRun
from judging.selectors.judging import JudgingState, judging_state
from judging.selectors.runs import open_judging_run
from judging.services.running.coordinating import run_coordinate
from judging.services.running.judge_specs import JudgeSpec
from judging.services.running.own import runs_waiting
from judging.services.running.runs import run_plan, run_resume, run_start
from judging.services.running.work import JudgeLoop
from llm.errors import RetryAction
from llm.requests import Attempt, ChatRequest
from studies.models import Study

Says = Callable[[JudgeTask, int | None], UnscoredReason | None]


@dataclass
class ScriptedJudge:
    """Gives every criterion `score` at a confidence of 0.5, unless `says` names a reason why not.

    It notes what it is asked; after `stops_after` calls its owner is told to end. Where it fails, it asks to
    be left alone for `retry_after` seconds. `latency_ms` is what is taken to have passed.
    """

    says: Says = lambda task, position: None
    stops_after: int | None = None
    score: float = 1.0
    retry_after: float | None = None
    latency_ms: float = 1.5
    kind: str = "llm"
    asked: list[tuple[str, int | None, str]] = field(default_factory=list)

    def describe(self) -> dict[str, JsonValue]:
        return {"kind": self.kind}

    def check(self, task: JudgeTask) -> None:
        """Any prompt will do."""

    def judge_calls(self, task: JudgeTask) -> tuple[tuple[int | None, ...], ...]:
        return tuple((position,) for position in task.positions)

    def request(self, task: JudgeTask, positions: tuple[int | None, ...]) -> ChatRequest | None:
        return None

    def names(
        self, task: JudgeTask, positions: tuple[int | None, ...]
    ) -> Callable[[str], tuple[bytes, int]] | None:
        return None

    def ask(
        self, task: JudgeTask, positions: tuple[int | None, ...], how: Asking = FIRST_ASKING
    ) -> JudgeResult:
        (position,) = positions
        self.asked.append((task.prompt_id, position, task.text_to_judge))
        reason = self.says(task, position)
        call = Attempt("a" * 64, "model-1", reason.value if reason else "ok", "raw", 10, 5, self.latency_ms)
        if reason:
            return JudgeResult(
                (CriterionVerdict(position, None, None, "It failed.", reason),), call, self.retry_after
            )
        return JudgeResult((CriterionVerdict(position, self.score, 0.5, "It is good."),), call)


def requests_of(reason: UnscoredReason) -> int:
    """How many requests are made about a row that fails like this each time."""
    adapted = reason.rule.again in {RetryAction.PLAIN, RetryAction.REASK}
    a_round = 2 if adapted else reason.rule.tries
    return a_round * (ROUNDS if reason.rule.worth_another_round else 1)


class AtOnce(Executor):
    """Makes each call at once, in the same thread."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        fn(*args, **kwargs)
        return Future()


@dataclass
class ScriptedRun:
    """Judges a study by the spec of `config`, with a scripted judge in place of its client."""

    study: Study
    config: JudgeConfig
    clock: Callable[[], datetime]

    def start(self) -> JudgingRun | None:
        """The open run, resumed if it pauses, or a new one; None where nothing is left."""
        if (run := open_judging_run(self.study)) is not None:
            if run.state == "paused":
                run_resume(run=run, budget=None, actor=None, now=self.clock())
                run.refresh_from_db()
            return run
        self.study.refresh_from_db()
        plan = run_plan(
            study=self.study,
            specs=[JudgeSpec(self.config)],
            now=self.clock(),
            progress=lambda done, total: None,
        )
        return run_start(plan=plan, budget=None, actor=None, now=self.clock()) if plan.rows else None

    def work(
        self, run: JudgingRun, judge: ScriptedJudge, *, at_once: int = 1, pool: Executor | None = None
    ) -> int:
        """One owner, whose calls are made one after the other without a pool; how many were stored."""
        row = JudgeConfig.objects.filter(pk=self.config.pk)
        row.update(concurrency=at_once)
        config = row.get()
        owner = lease_take(row, now=self.clock(), length=timedelta(days=365))
        assert owner is not None
        loop = JudgeLoop(
            config,
            owner,
            waiting=lambda: [pair for pair in runs_waiting(config) if pair[0] == run],
            judge_of=lambda _: judge,
            over=lambda: judge.stops_after is not None and len(judge.asked) >= judge.stops_after,
            clock=self.clock,
        )
        loop.work(pool or AtOnce())
        return loop.stored

    def judge(self, judge: ScriptedJudge, *, pool: Executor | None = None, at_once: int = 1) -> JudgingState:
        """Start or continue, work until the run ends, pauses or is stopped, and score."""
        run = self.start()
        while run is not None and run.state == "running":
            self.work(run, judge, at_once=at_once, pool=pool)
            run_coordinate(judging_run=run, now=self.clock())
            run.refresh_from_db()
            if judge.stops_after is not None:
                break
        return judging_state(self.scoring_run)

    @property
    def scoring_run(self) -> ScoringRun:
        runs = ScoringRun.objects.select_related("study", "config")
        return runs.get(study=self.study, design_hash=self.study.design_hash, config=self.config)
