"""A judge that says what a test tells it, and the loop of a lease around it."""

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime

from pydantic import JsonValue

from judging.judges.interface import CallStopped, CriterionVerdict, JudgeResult, JudgeTask
from judging.judges.reasons import UnscoredReason
from judging.models import JudgeConfig, JudgingRun, ScoringRun
from judging.selectors.judging import JudgingState, judging_state
from judging.selectors.runs import open_judging_run
from judging.services.running.claims import lease_begin, lease_end
from judging.services.running.coordinating import run_coordinate
from judging.services.running.gates import RequestGate
from judging.services.running.judge_specs import JudgeSpec
from judging.services.running.runs import run_plan, run_resume, run_start
from judging.services.running.working import WorkerLoop
from llm.attempts import Attempt
from llm.requests import ChatRequest
from studies.models import Study

Says = Callable[[JudgeTask, int | None], UnscoredReason | None]
A_LONG_TIME = 10.0**9


@dataclass
class ScriptedJudge:
    """Gives every criterion 1.0 at a confidence of 0.5, unless `says` names a reason why not.

    It notes what it is asked, and after `stops_after` calls the gate is closed to it, as a stop does.
    """

    says: Says = lambda task, position: None
    stops_after: int | None = None
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

    def ask(self, task: JudgeTask, positions: tuple[int | None, ...]) -> JudgeResult:
        if self.stops_after is not None and len(self.asked) >= self.stops_after:
            raise CallStopped(())
        (position,) = positions
        self.asked.append((task.prompt_id, position, task.text_to_judge))
        reason = self.says(task, position)
        call = Attempt("a" * 64, "model-1", reason.value if reason else "ok", "raw", 10, 5, 1.5)
        if reason:
            return JudgeResult((CriterionVerdict(position, None, None, "It failed.", reason),), (call,))
        return JudgeResult((CriterionVerdict(position, 1.0, 0.5, "It is good."),), (call,))


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

    def work(self, run: JudgingRun, judge: ScriptedJudge, *, threads: int = 1) -> int:
        """One lease; what it decided."""
        scoring_run = self.scoring_run
        lease = lease_begin(judging_run=run, run=scoring_run, wanted=threads, now=self.clock())
        assert lease is not None
        lease.run, lease.judge, lease.judging_run = scoring_run, scoring_run.config, run
        stopping = threading.Event()
        gate = RequestGate(lease, clock=self.clock, stopping=stopping, until=A_LONG_TIME, keeper=None)
        loop = WorkerLoop(
            lease,
            judge,
            gate,
            until=A_LONG_TIME,
            stopping=stopping,
            clock=self.clock,
            on_progress=lambda calls: None,
        )
        try:
            return loop.by_threads()
        finally:
            lease_end(lease, now=self.clock())

    def judge(self, judge: ScriptedJudge, *, threads: int = 1) -> JudgingState:
        """Start or continue, work until the run ends, pauses or is stopped, and score."""
        run = self.start()
        while run is not None and run.state == "running":
            self.work(run, judge, threads=threads)
            run_coordinate(judging_run=run, now=self.clock())
            run.refresh_from_db()
            if judge.stops_after is not None:
                break
        return judging_state(self.scoring_run)

    @property
    def scoring_run(self) -> ScoringRun:
        runs = ScoringRun.objects.select_related("study", "config")
        return runs.get(study=self.study, design_hash=self.study.design_hash, config=self.config)
