"""Plain words stop at names: a model, a profile, a study and a bank keep theirs wherever pages say them."""

from collections.abc import Callable
from datetime import datetime, timedelta
from html import unescape

import pytest
from django.test import Client
from django.urls import reverse
from django.utils.html import strip_tags

from batches.models import Session
from formats.item_parameters import ItemParameter, ItemParameters
from presentation.plain import plain_text
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
MODEL, TOLD = "theta-batch retained", "Frozen pair (in-sample)"
PROFILE, BANK = "Prompt batch people", "theta-k"
NAMES = (MODEL, TOLD, PROFILE, BANK)
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
    found = ModelResults(responses=responses, published=(PublishedAbility(TOLD, 1.0, 0.06, 5),))
    leaderboard_import(item_bank=bank, results=found, source="A batch of pairs", replace=False, now=now)
    newest_models_taken(bank, now)


@pytest.fixture
def results(kept_results: ResultSet, db: None) -> ResultSet:
    return ResultSet.objects.get(pk=kept_results.pk)


def text_at(staff: Client, name: str, *arguments: str, query: str = "") -> str:
    shown = every_part(staff, reverse(name, args=arguments) + query)
    return " ".join(unescape(strip_tags(shown)).split())


def test_no_page_and_no_report_changes_a_name(staff: Client, results: ResultSet) -> None:
    found = {
        "results": text_at(staff, "staff_results", "named"),
        "report": text_at(staff, "staff_report", "named"),
        "document": text_at(staff, "staff_report_file", "named", "html"),
        **{block: text_at(staff, "staff_measurement", "named", block) for block in map(str, MEASURED)},
        "planner": text_at(
            staff,
            "staff_planner",
            query=f"?item_bank={planner_key(staff)}&studies=2&people=6&top_size=2&prompts_per_person=4",
        ),
    }
    changed = [(page, name) for page, text in found.items() for name in NAMES if plain_text(name) in text]
    assert not changed
    for page, name in (
        ("results", MODEL), ("results", TOLD), (Block.MODELS, MODEL), (Block.MODELS, TOLD),
        (Block.SLICES, PROFILE), ("document", MODEL), ("document", PROFILE),
        ("report", PROFILE), ("report", BANK), ("planner", BANK),
    ):  # fmt: skip
        assert name in found[page], (page, name)
    assert "A batch of pairs" in found[Block.MODELS]  # who published it


def planner_key(staff: Client) -> str:
    """The key of the stored bank in the planner's address."""
    page = staff.get(reverse("staff_planner")).content.decode()
    return next(part.partition('"')[0] for part in page.split('value="') if part.startswith(BANK))
