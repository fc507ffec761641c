"""Studies to score from a terminal."""

from collections.abc import Callable

import pytest

from batches.models import Session
from studies.models import Participant, Study
from tests.scoring.commands.terminal import PROMPTS

RIGHT = {f"p{n}": str(40 + n) for n in range(1, 5)}


@pytest.fixture
def checked(make_study: Callable[..., Study]) -> Study:
    return make_study(prompts=PROMPTS, slug="checked", judge_kind="checks", top_size=1)


@pytest.fixture
def worker(
    make_person: Callable[..., Participant], work: Callable[..., Session]
) -> Callable[..., Participant]:
    def finished(study: Study, answers: dict[str, str] = RIGHT) -> Participant:
        participant = make_person(study)
        work(participant, answers)
        return participant

    return finished
