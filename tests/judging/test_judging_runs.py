"""A judging run from plan to scores: leases that claim, ask a real server, and store."""

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from decimal import Decimal
from pathlib import Path

import pytest
from django.utils import timezone

from batches.models import Session
from benchmarks.hashed_judge.log import repeats
from benchmarks.hashed_judge.running import RunningJudge, judge_server
from judging.models import AnswerScore, CriterionScore, JudgeCall, JudgeConfig, JudgingRun
from judging.services.running.judge_specs import study_judge_specs
from scoring.coordinator import Scoring, study_score
from studies.bank.records import CriterionRecord, PromptRecord
from studies.models import Participant, Study

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]


def prompts(number: int, criteria: int) -> list[PromptRecord]:
    return [
        PromptRecord(
            prompt_id=f"p{n:03d}",
            text=f"Question {n}?",
            gold_answer=str(n),
            criteria=tuple(CriterionRecord(text=f"Says part {c} of {n}.") for c in range(criteria)),
        )
        for n in range(1, number + 1)
    ]


@pytest.fixture
def server(tmp_path: Path) -> Iterator[RunningJudge]:
    with judge_server(log=tmp_path / "judge.log", latency_ms=5) as running:
        yield running


@pytest.fixture
def make_judge(now: datetime) -> Callable[..., JudgeConfig]:
    def make(server: RunningJudge, slug: str = "judge", **fields: object) -> JudgeConfig:
        return JudgeConfig.objects.create(
            slug=slug, base_url=server.url, model="judge-1", provider="generic", created_at=now, **fields
        )

    return make


def score(study: Study, judges: Sequence[JudgeConfig], *, budget: Decimal | None = None) -> Scoring:
    return study_score(
        study=study,
        specs=study_judge_specs(study=study, configs=judges),
        budget=budget,
        actor=None,
        clock=timezone.now,
        planning=lambda done, total: None,
        judging=lambda done, total: None,
    )


def test_every_planned_row_is_asked_about_once_and_scored(
    server: RunningJudge,
    make_judge: Callable[..., JudgeConfig],
    make_study: Callable[..., Study],
    make_person: Callable[..., Participant],
    work: Callable[..., Session],
) -> None:
    study = make_study(prompts=prompts(4, 3), replicates_per_profile=50)
    for number in range(10):
        work(make_person(study), {f"p{n:03d}": f"Answer {number} to {n}" for n in range(1, 5)})
    scoring = score(study, [make_judge(server)])
    run = JudgingRun.objects.get()
    assert (run.state, run.planned) == ("finished", 120)
    assert CriterionScore.objects.filter(state="scored", origin="asked").count() == 120
    assert JudgeCall.objects.filter(outcome="ok").count() == 120
    assert set(repeats(server.arrivals()).values()) == {1}
    assert len(server.arrivals()) == 120
    assert AnswerScore.objects.filter(score__isnull=False).count() == 40
    assert scoring.judges[0].judging.left == 0
