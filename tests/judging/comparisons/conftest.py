"""A study of rubrics, and comparisons of asking about several criteria a call."""

from collections.abc import Callable
from datetime import datetime

import pytest

from batches.models import Session
from formats.item_parameters import ItemParameter, ItemParameters
from judging.comparison import judging_compare
from judging.models import JudgeConfig
from judging.services.comparing import ComparisonReport, comparison_draw
from studies.bank.records import PromptRecord
from studies.models import ItemBank, Participant, Study
from studies.services.banks import item_bank_import
from tests.judging.comparisons.comparing import rubric, unseen

Clock = Callable[[], datetime]
Compare = Callable[..., ComparisonReport]
# Prompts with five criteria, one with a single criterion, one with a gold answer alone.
PROMPTS = [
    rubric(1, 5),
    rubric(2, 5),
    rubric(3, 5),
    rubric(4, 1),
    PromptRecord(prompt_id="p005", text="Question 5?", gold_answer="5"),
]


@pytest.fixture
def item_bank(db: None, now: datetime) -> ItemBank:
    items = tuple(ItemParameter(f"p{n:03d}", a=1.0, b=0.0, subcategory="QR-DA") for n in (1, 2, 3, 4))
    parameters = ItemParameters(items, squeeze_scale=0.998, squeeze_offset=0.001, sigma_hat=2.0)
    return item_bank_import(slug="items", parameters=parameters, now=now)[0]


@pytest.fixture
def study(
    make_study: Callable[..., Study],
    make_person: Callable[..., Participant],
    work: Callable[..., Session],
    item_bank: ItemBank,
) -> Study:
    """Eight people answered five prompts each: 24 answers to rubrics, with 120 criteria."""
    study = make_study(prompts=PROMPTS, batch_size=5, replicates_per_profile=50, item_bank=item_bank)
    for person in range(8):
        work(make_person(study), {f"p{n:03d}": f"Answer {person} to {n}" for n in range(1, 6)})
    return study


@pytest.fixture
def compare(running_clock: Clock) -> Compare:
    def run(
        study: Study, config: JudgeConfig, *, criteria_per_call: int = 3, answers: int = 40, seed: int = 1
    ) -> ComparisonReport:
        comparison = comparison_draw(
            study=study, config=config, criteria_per_call=criteria_per_call, answers=answers, seed=seed
        )
        return judging_compare(
            comparison=comparison,
            budget=None,
            actor=None,
            clock=running_clock,
            planning=unseen,
            judging=unseen,
        )

    return run
