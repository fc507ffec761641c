"""A run that a scripted judge decides."""

from collections.abc import Callable
from datetime import datetime, timedelta

import pytest

from batches.models import Session
from judging.models import JudgeConfig, JudgingRun
from studies.bank.records import PromptRecord
from studies.models import Participant, Study
from tests.support.scripted_judge import ScriptedJudge, ScriptedRun
from tests.support.stepped_judge import Owner, SteppedClock, owner_of

PROMPTS = [PromptRecord(prompt_id="p1", text="Question?", gold_answer="1")]


@pytest.fixture
def study(make_study: Callable[..., Study]) -> Study:
    return make_study(prompts=PROMPTS, batch_size=1, replicates_per_profile=50)


@pytest.fixture
def people(
    study: Study, make_person: Callable[..., Participant], work: Callable[..., Session]
) -> list[Participant]:
    """The first two say the same."""
    people = [make_person(study) for _ in range(3)]
    for person, text in zip(people, ("the same", "the same", "another"), strict=True):
        work(person, {"p1": text})
    return people


@pytest.fixture
def scripted(
    study: Study,
    people: list[Participant],
    make_judge: Callable[..., JudgeConfig],
    running_clock: Callable[[], datetime],
) -> ScriptedRun:
    return ScriptedRun(study, make_judge("http://127.0.0.1:9/v1"), running_clock)


@pytest.fixture
def run(scripted: ScriptedRun) -> JudgingRun:
    run = scripted.start()
    assert run is not None
    return run


@pytest.fixture
def clock(now: datetime) -> SteppedClock:
    return SteppedClock(now + timedelta(minutes=1))


@pytest.fixture
def owner(scripted: ScriptedRun, run: JudgingRun, clock: SteppedClock) -> Callable[[ScriptedJudge], Owner]:
    def make(judge: ScriptedJudge) -> Owner:
        owner = owner_of(scripted.config, judge, clock)
        assert owner is not None
        return owner

    return make
