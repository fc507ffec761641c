"""A small study with somebody whose answers do not fit."""

from collections.abc import Callable
from datetime import datetime, timedelta

import pytest

from batches.models import Session
from formats.item_parameters import ItemParameter, ItemParameters
from judging.models import ScoringRun
from scoring.coordinator import Scoring
from studies.models import Participant, Study
from studies.services.banks import item_bank_import
from tests.reporting.measurement.effects.measured_effects import IDS, NUMBERS, PEOPLE, PROMPTS


@pytest.fixture(scope="module")
def scored(
    kept: None,
    make_study: Callable[..., Study],
    make_person: Callable[..., Participant],
    work: Callable[..., Session],
    score_at: Callable[..., Scoring],
    now: datetime,
) -> Callable[..., ScoringRun]:
    """Eight people on twelve prompts from easy to hard; the last one knows the hard ones only."""

    def run(slug: str, *, items: bool = True, people: int = PEOPLE) -> ScoringRun:
        bank = None
        if items:
            parameters = tuple(ItemParameter(IDS[n], a=0.8 + n / 20, b=n - 6.0) for n in NUMBERS)
            bank, _ = item_bank_import(
                slug="items", parameters=ItemParameters(parameters, 0.998, 0.001, sigma_hat=2.5), now=now
            )
        study = make_study(
            prompts=PROMPTS, slug=slug, batch_size=12, judge_kind="checks", top_size=3, item_bank=bank,
            replicates_per_profile=50,
        )  # fmt: skip
        for i in range(people):
            right = {n for n in NUMBERS if (n > 6 if i == PEOPLE - 1 else n <= 4 + i % 4 or n == 7 + i % 3)}
            person = make_person(study, profile=("stem-phd", "stem-undergraduate")[i % 2])
            work(person, {IDS[n]: str(40 + n if n in right else 0) for n in NUMBERS})
        return score_at(study, clock=lambda: now + timedelta(days=1), measures=False).judges[0].run

    return run


@pytest.fixture(scope="module")
def run(scored: Callable[..., ScoringRun]) -> ScoringRun:
    return scored("effects")
