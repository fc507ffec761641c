"""A model, a profile, a study and a bank keep their names to the letter, also those that are terms."""

import re
from collections.abc import Callable
from datetime import datetime, timedelta
from html import unescape

import pytest
from django.conf import settings
from django.test import Client
from django.urls import reverse

from batches.models import Session
from formats.item_parameters import ItemParameter, ItemParameters
from psychometrics.inference.measure import Block
from scoring.coordinator import Scoring
from scoring.models import ResultSet
from scoring.readers.model_results.records import ModelResponse, ModelResults, PublishedAbility
from scoring.services.leaderboards import leaderboard_import
from studies.models import ItemBank, Participant, Study
from studies.protocol.settings import ProfileSettings
from studies.services.banks import item_bank_import
from tests.support.measuring import measure_blocks
from tests.support.read_pages import every_part
from tests.support.taking_models import newest_models_taken

pytestmark = pytest.mark.django_db
PROMPTS = 8
MODEL, PUBLISHED, PROFILE, STUDY, BANK = "theta", "pairs", "Outfit", "k", "theta-k"
MEASURED = (Block.MODELS, Block.SLICES, Block.DIF, Block.TOP, Block.COHORT)


@pytest.fixture(scope="module")
def kept_results(
    kept: None,
    make_study: Callable[..., Study],
    make_person: Callable[..., Participant],
    work: Callable[..., Session],
    score_at: Callable[..., Scoring],
    now: datetime,
) -> ResultSet:
    items = tuple(ItemParameter(f"p{n:03d}", 0.6 + 0.1 * (n % 7), 0.2 * (n % 5)) for n in range(1, PROMPTS))
    parameters = ItemParameters(items, squeeze_scale=0.998, squeeze_offset=0.001, sigma_hat=2.5)
    bank = item_bank_import(slug=BANK, parameters=parameters, now=now)[0]
    study = make_study(
        prompts=PROMPTS, slug="named", judge_kind="checks", top_size=2, item_bank=bank,
        replicates_per_profile=3, assembly="random", batch_size=2,
        profiles=(ProfileSettings(slug="stem-phd", name=PROFILE, description="Who they are."),),
    )  # fmt: skip
    Study.objects.filter(pk=study.pk).update(name=STUDY)
    for number in range(12):
        known = {n: (n * 7 + number * 5) % 3 > 0 for n in range(1, PROMPTS + 1)}
        work(make_person(study), {f"p{n:03d}": str(n) if knows else "no" for n, knows in known.items()})
    import_models(bank, now)
    results = score_at(study, clock=lambda: now + timedelta(days=1), measures=False).judges[0].results
    measure_blocks(results, *MEASURED, now=now, resamples=100)
    return results


def import_models(bank: ItemBank, now: datetime) -> None:
    responses = tuple(
        ModelResponse(MODEL, f"p{n:03d}", epoch, 0.5 + 0.1 * ((n + epoch) % 3))
        for n in range(1, PROMPTS)
        for epoch in (1, 2, 3)
    )
    found = ModelResults(responses=responses, published=(PublishedAbility(PUBLISHED, 1.0, 0.06, 5),))
    leaderboard_import(item_bank=bank, results=found, source="A batch of pairs", replace=False, now=now)
    newest_models_taken(bank, now)


@pytest.fixture
def results(kept_results: ResultSet, db: None) -> ResultSet:
    return ResultSet.objects.get(pk=kept_results.pk)


def texts_at(staff: Client, name: str, *arguments: str, query: str = "") -> list[str]:
    """What stands between the tags of a page."""
    content = every_part(staff, reverse(name, args=arguments) + query)
    return [" ".join(unescape(text).split()) for text in re.split(r"<[^>]*>", content)]


@pytest.mark.parametrize("language", ["en", "de"])
def test_no_page_and_no_report_changes_a_name(staff: Client, results: ResultSet, language: str) -> None:
    staff.cookies[settings.LANGUAGE_COOKIE_NAME] = language
    texts = {
        "results": texts_at(staff, "staff_results", "named"),
        "report": texts_at(staff, "staff_report", "named"),
        "document": texts_at(staff, "staff_report_file", "named", "html"),
        **{block: texts_at(staff, "staff_measurement", "named", block) for block in map(str, MEASURED)},
        "planner": texts_at(
            staff,
            "staff_planner",
            query=f"?item_bank={planner_key(staff)}&studies=2&people=6&top_size=2&prompts_per_person=4",
        ),
    }
    for page, name in (
        ("results", STUDY), ("results", MODEL), ("results", PUBLISHED), (Block.MODELS, MODEL),
        (Block.MODELS, PUBLISHED), (Block.SLICES, PROFILE), ("document", MODEL),
    ):  # fmt: skip
        assert name in texts[page], (page, name)
    for page, name in (("report", PROFILE), ("report", BANK), ("planner", BANK)):
        assert any(re.search(rf"(?<!\w){name}(?!\w)", text) for text in texts[page]), (page, name)
    assert "A batch of pairs" in texts[Block.MODELS]  # who published it


def planner_key(staff: Client) -> str:
    """The key of the stored bank in the planner's address."""
    page = staff.get(reverse("staff_planner")).content.decode()
    return next(part.partition('"')[0] for part in page.split('value="') if part.startswith(BANK))
