"""A run that asks about several criteria a call."""

from collections.abc import Callable
from datetime import datetime

import pytest
from pytest_django import Settings

from batches.models import Session
from benchmarks.hashed_judge.running import RunningJudge
from judging.coordinator import run_work_through
from judging.models import JudgeConfig, JudgingRun, RunPurpose
from judging.services.running.judge_specs import JudgeSpec
from judging.services.running.runs import run_plan, run_start
from studies.models import Participant, Study
from tests.judging.batched_runs.batched_rows import PROMPTS

Clock = Callable[[], datetime]
Start = Callable[..., JudgingRun]


@pytest.fixture
def judge(
    make_judge: Callable[..., JudgeConfig], judge_endpoint: RunningJudge, settings: Settings
) -> JudgeConfig:
    settings.JUDGING_ROUND_WAIT_SECONDS = 0
    return make_judge(judge_endpoint.url)


@pytest.fixture
def study(make_study: Callable[..., Study]) -> Study:
    return make_study(prompts=PROMPTS, batch_size=3, replicates_per_profile=50)


@pytest.fixture
def person(
    study: Study, make_person: Callable[..., Participant], work: Callable[..., Session]
) -> Callable[[str], Participant]:
    """Somebody who gives this answer to all three prompts."""

    def make(text: str) -> Participant:
        participant = make_person(study)
        work(participant, {f"p{n:03d}": text for n in (1, 2, 3)})
        return participant

    return make


@pytest.fixture
def start(running_clock: Clock) -> Start:
    """Plan and freeze by three criteria a call; as a comparison, which needs none before it."""

    def begin(study: Study, judge: JudgeConfig, criteria_per_call: int = 3) -> JudgingRun:
        specs = [JudgeSpec(judge, criteria_per_call=criteria_per_call)]
        plan = run_plan(study=study, specs=specs, now=running_clock(), progress=unseen)
        return run_start(
            plan=plan, budget=None, actor=None, now=running_clock(), purpose=RunPurpose.COMPARISON
        )

    return begin


@pytest.fixture
def finish(running_clock: Clock) -> Callable[[JudgingRun], JudgingRun]:
    def work_through(run: JudgingRun) -> JudgingRun:
        run_work_through(run=run, clock=running_clock, progress=unseen)
        run.refresh_from_db()
        return run

    return work_through


def unseen(done: int, total: int) -> None:
    """Nobody watches a test."""
