"""Runs of a judge with limits, and its server."""

from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path

import pytest
from django.utils import timezone

from batches.models import Session
from benchmarks.hashed_judge.running import RunningJudge, judge_server
from judging.models import JudgeConfig, JudgingRun
from judging.services.running.judge_specs import study_judge_specs
from judging.services.running.runs import run_plan, run_start
from studies.bank.records import CriterionRecord, PromptRecord
from studies.models import Participant, Study

MakeRun = Callable[..., JudgingRun]


@pytest.fixture
def make_run(
    make_study: Callable[..., Study],
    make_person: Callable[..., Participant],
    work: Callable[..., Session],
) -> MakeRun:
    """A run of `people` x 12 calls, which waits for workers."""

    def make(*judges: JudgeConfig, people: int, budget: Decimal | None = None) -> JudgingRun:
        prompts = [
            PromptRecord(
                prompt_id=f"p{n:03d}",
                text=f"Question {n}?",
                gold_answer=str(n),
                criteria=tuple(CriterionRecord(text=f"Says part {c} of {n}.") for c in range(3)),
            )
            for n in range(1, 5)
        ]
        study = make_study(prompts=prompts, replicates_per_profile=people)
        for number in range(people):
            # Lengths differ, so that tokens do.
            texts = {f"p{n:03d}": f"{study.slug}, {number}: {n}. " * (1 + 7 * number) for n in range(1, 5)}
            work(make_person(study), texts)
        plan = run_plan(
            study=study,
            specs=study_judge_specs(study=study, configs=judges),
            now=timezone.now(),
            progress=lambda done, total: None,
        )
        return run_start(plan=plan, budget=budget, actor=None, now=timezone.now())

    return make


@pytest.fixture
def server(tmp_path: Path) -> Iterator[RunningJudge]:
    with judge_server(log=tmp_path / "log", latency_ms=5) as running:
        yield running
