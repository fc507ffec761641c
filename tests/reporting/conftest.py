"""A small study that is scored and measured on an item bank, for pages and reports of it."""

from collections.abc import Callable
from datetime import datetime, timedelta

import pytest

from batches.models import Session
from formats.item_parameters import ItemParameter, ItemParameters
from scoring.coordinator import Scoring
from scoring.models import ResultSet
from scoring.services.measurement import measurement_compute
from studies.bank.records import PromptRecord
from studies.models import Participant, Study
from studies.services.banks import item_bank_import

PROMPTS = [
    PromptRecord(prompt_id=f"p{n}", text=f"Question {n}?", gold_answer=str(40 + n), category="QR")
    for n in range(1, 5)
]


@pytest.fixture(scope="session")
def study_of_pages(make_study: Callable[..., Study], now: datetime) -> Callable[..., Study]:
    """Make a study of four prompts with item parameters, judged by checks; its short name is "pages"."""

    def make(slug: str = "pages") -> Study:
        items = tuple(ItemParameter(f"p{n}", a=1.0, b=0.1 * n) for n in range(1, 5))
        parameters = ItemParameters(items, squeeze_scale=0.998, squeeze_offset=0.001, sigma_hat=2.5)
        item_bank, _ = item_bank_import(slug="items", parameters=parameters, now=now)
        return make_study(prompts=PROMPTS, slug=slug, judge_kind="checks", top_size=1, item_bank=item_bank)

    return make


@pytest.fixture(scope="session")
def measured_results(
    make_person: Callable[..., Participant],
    work: Callable[..., Session],
    score_at: Callable[..., Scoring],
    now: datetime,
) -> Callable[[Study], ResultSet]:
    """Results of such a study, of two people who handed in, measured."""

    def make(study: Study) -> ResultSet:
        for answers in ({"p1": "41", "p2": "42", "p3": "no"}, {"p1": "41", "p2": "<b>no</b>", "p4": "44"}):
            work(make_person(study), answers)
        found = score_at(study, clock=lambda: now + timedelta(days=1), measures=False).judges[0].results
        measurement_compute(results=found, now=now + timedelta(days=1), resamples=50)
        return found

    return make


@pytest.fixture
def study(study_of_pages: Callable[..., Study], db: None) -> Study:
    return study_of_pages()


@pytest.fixture
def results(study: Study, measured_results: Callable[[Study], ResultSet]) -> ResultSet:
    return measured_results(study)
