"""A judged run to draw audits from."""

from collections.abc import Callable
from datetime import datetime

import pytest
from django.utils import timezone

from batches.models import Session
from benchmarks.hashed_judge.running import judge_server
from judging.models import JudgeConfig, JudgingRun
from scoring.coordinator import Scoring
from studies.bank.records import CriterionRecord, PromptRecord
from studies.models import Participant, Study

PEOPLE = 6


def prompts() -> list[PromptRecord]:
    rubric = tuple(CriterionRecord(text=f"Says part {part}.") for part in range(3))
    open_ones = [
        PromptRecord(prompt_id=f"p{n}", text=f"Question {n}?", gold_answer=str(n), criteria=rubric)
        for n in range(1, 4)
    ]
    hidden = PromptRecord(
        prompt_id="hidden", text="A hidden question?", gold_answer="a hidden answer", split="private"
    )
    return [*open_ones, hidden]


@pytest.fixture(scope="module")
def judged(
    kept: None,
    make_study: Callable[..., Study],
    make_person: Callable[..., Participant],
    work: Callable[..., Session],
    make_judge: Callable[..., JudgeConfig],
    score_at: Callable[..., Scoring],
    now: datetime,
    tmp_path_factory: pytest.TempPathFactory,
) -> list[Participant]:
    """Judged by two: 6 people x (3 prompts of 3 criteria + 1 exact answer) = 60 verdicts each.

    The second judge takes over 70 % of the first one's verdicts.
    """
    study = make_study(
        prompts=prompts(), slug="audited", replicates_per_profile=50, reviewers_see_private=True
    )
    people = [make_person(study) for _ in range(PEOPLE)]
    for number, person in enumerate(people):
        answers = {f"p{n}": f"Answer {number} to {n}" for n in range(1, 4)}
        work(person, answers | {"hidden": f"Hidden {number}"})
    work(make_person(study, is_test=True), {"p1": "a text of a test run"})
    logs = tmp_path_factory.mktemp("judges")
    with (
        judge_server(log=logs / "first.log", latency_ms=2) as first,
        judge_server(log=logs / "second.log", judge="B", agreement=0.7) as second,
    ):
        judges = make_judge(first.url, "first"), make_judge(second.url, "second")
        began = timezone.now()
        score_at(study, *judges, clock=lambda: now + (timezone.now() - began))
    return people


@pytest.fixture
def people(judged: list[Participant], db: None) -> list[Participant]:
    return [Participant.objects.get(pk=person.pk) for person in judged]


@pytest.fixture
def run(judged: list[Participant], db: None) -> JudgingRun:
    return JudgingRun.objects.get()
