"""Answers to judge by a scripted judge or by checks."""

from collections.abc import Callable
from datetime import datetime

import pytest
from pytest_django import Settings

from judging.judges import course
from judging.models import JudgeConfig
from judging.services.running import limits
from studies.models import Participant, Study
from tests.judging.scoring.judged_answers import PROMPTS
from tests.support.scripted_judge import ScriptedRun

Person = Callable[..., Participant]


@pytest.fixture
def study(make_study: Callable[..., Study]) -> Study:
    return make_study(prompts=PROMPTS, replicates_per_profile=50)


@pytest.fixture
def person(study: Study, make_person: Person) -> Person:
    return lambda **how: make_person(study, **how)


@pytest.fixture
def config(make_judge: Callable[..., JudgeConfig]) -> JudgeConfig:
    return make_judge("http://127.0.0.1:9/v1")


@pytest.fixture
def without_waits(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """What failed is asked about again at once."""
    settings.JUDGING_ROUND_WAIT_SECONDS = 0
    monkeypatch.setattr(course, "FIRST_WAIT", 0.0)
    monkeypatch.setattr(limits, "FIRST_PAUSE", 0.0)


@pytest.fixture
def run(
    study: Study, config: JudgeConfig, without_waits: None, running_clock: Callable[[], datetime]
) -> ScriptedRun:
    return ScriptedRun(study, config, running_clock)


@pytest.fixture
def checked(make_study: Callable[..., Study]) -> Study:
    return make_study(prompts=PROMPTS, replicates_per_profile=50, judge_kind="checks", top_size=1)
