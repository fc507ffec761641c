"""People to screen."""

from collections.abc import Callable

import pytest

from studies.bank.records import CriterionRecord, PromptRecord
from studies.models import Participant, Study

PROMPTS = [
    PromptRecord(
        prompt_id=f"p{n}",
        text=f"Explain in some detail how a bridge of kind {n} carries its load.",
        criteria=(CriterionRecord(text="It names the forces."),),
        category="SI",
    )
    for n in range(1, 5)
]


@pytest.fixture
def study(make_study: Callable[..., Study]) -> Study:
    return make_study(prompts=PROMPTS, replicates_per_profile=50)


@pytest.fixture
def person(study: Study, make_person: Callable[..., Participant]) -> Callable[..., Participant]:
    return lambda **how: make_person(study, **how)
