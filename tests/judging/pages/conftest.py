"""A study to judge, its judge and its server."""

from collections.abc import Callable, Iterator
from datetime import datetime
from decimal import Decimal
from pathlib import Path

import pytest

from benchmarks.hashed_judge.running import RunningJudge, judge_server
from judging.models import JudgeConfig
from studies.bank.records import CriterionRecord, PromptRecord
from studies.models import Participant, Study
from tests.judging.pages.judging_pages import CRITERIA, PROMPTS


@pytest.fixture
def server(tmp_path: Path) -> Iterator[RunningJudge]:
    with judge_server(log=tmp_path / "judge.log") as running:
        yield running


@pytest.fixture
def judge(server: RunningJudge, now: datetime) -> JudgeConfig:
    return JudgeConfig.objects.create(
        slug="one",
        base_url=server.url,
        model="judge-1",
        provider="generic",
        max_output_tokens=500,
        input_price=Decimal("0.5"),
        output_price=Decimal(2),
        concurrency=2,
        created_at=now,
    )


@pytest.fixture
def unpriced(server: RunningJudge, now: datetime) -> JudgeConfig:
    return JudgeConfig.objects.create(
        slug="two", base_url=server.url, model="judge-2", provider="generic", created_at=now
    )


@pytest.fixture
def study(
    make_study: Callable[..., Study], make_person: Callable[..., Participant], work: Callable[..., object]
) -> Study:
    """Four people, two prompts of three criteria; two of the people give the same answers."""
    criteria = tuple(CriterionRecord(text=f"Says part {part}.") for part in range(CRITERIA))
    records = [
        PromptRecord(prompt_id=f"p{n}", text=f"Question {n}?", gold_answer=str(n), criteria=criteria)
        for n in range(PROMPTS)
    ]
    study = make_study(
        prompts=records, slug="judged", batch_size=2, replicates_per_profile=9, judge_kind="llm"
    )
    for number in (0, 1, 2, 2):
        work(make_person(study), {f"p{n}": f"Answer {number} to {n}" for n in range(PROMPTS)})
    return study
