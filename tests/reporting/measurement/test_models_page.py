"""The page of the models beside a study's cohort."""

import io
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from typing import Any

import numpy as np
import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from batches.models import Session
from formats.item_parameters import ItemParameter, ItemParameters
from judging.models import JudgeConfig, ScoringRun
from psychometrics.inference.measure import Block
from psychometrics.measures.blocks.models import judge_facts, model_measures
from psychometrics.measures.inputs import Inputs
from psychometrics.models.leaderboard import Configuration
from scoring.coordinator import Scoring
from scoring.models import Measurement, MeasureRow, ResultSet
from scoring.readers.model_results.records import ModelResponse, ModelResults, PublishedAbility
from scoring.selectors.cohorts import study_cohort
from scoring.selectors.judges import study_judge_names
from scoring.selectors.measured_facts import Readings, StudyFacts
from scoring.services.leaderboards import leaderboard_import
from studies.models import ItemBank, Participant, Study
from studies.services.banks import item_bank_import
from tests.support.measuring import measure_blocks, only_blocks
from tests.support.read_pages import every_part
from tests.support.taking_models import newest_models_taken

pytestmark = pytest.mark.django_db
PROMPTS = 16
Import = Callable[..., None]
# Whether a model's judge of this name is the judge "grader" that asks openai/GPT-4o.
NAMED = {
    "openai/gpt-4o": True, "GPT-4O": True, "azure/gpt-4o": True, "grader": True, "gpt-4o-mini": False,
    "": None,
}  # fmt: skip


@pytest.fixture(scope="module")
def kept_item_bank(kept: None, now: datetime) -> ItemBank:
    facts = ((f"p{n:03d}", 0.6 + 0.1 * (n % 7), 0.2 * (n % 5)) for n in range(1, PROMPTS))
    items = tuple(ItemParameter(prompt_id, a=a, b=b) for prompt_id, a, b in facts)
    parameters = ItemParameters(items, squeeze_scale=0.998, squeeze_offset=0.001, sigma_hat=2.5)
    return item_bank_import(slug="items", parameters=parameters, now=now)[0]


@pytest.fixture(scope="module")
def kept_results(
    kept_item_bank: ItemBank,
    make_study: Callable[..., Study],
    make_person: Callable[..., Participant],
    work: Callable[..., Session],
    score_at: Callable[..., Scoring],
    now: datetime,
) -> ResultSet:
    """Twenty-four people in eight batches of two prompts; they know some of the answers."""
    study = make_study(
        prompts=PROMPTS, slug="pages", judge_kind="checks", top_size=2, item_bank=kept_item_bank,
        replicates_per_profile=3, assembly="random", batch_size=2,
    )  # fmt: skip
    for number in range(24):
        known = {n: (n * 7 + number * 5) % 3 > 0 for n in range(1, PROMPTS + 1)}
        answers = {f"p{n:03d}": str(n) if knows else "I have no idea" for n, knows in known.items()}
        person = make_person(study)
        person.code = f"P-{number:06d}"  # who of those that are alike is Top goes by it
        person.save()
        work(person, answers)
    return score_at(study, clock=lambda: now, measures=False).judges[0].results


@pytest.fixture
def item_bank(kept_item_bank: ItemBank, db: None) -> ItemBank:
    return ItemBank.objects.get(pk=kept_item_bank.pk)


@pytest.fixture
def results(kept_results: ResultSet, db: None) -> ResultSet:
    return ResultSet.objects.get(pk=kept_results.pk)


@pytest.fixture
def import_models(item_bank: ItemBank, now: datetime) -> Import:
    def run(*found: ModelResponse | PublishedAbility) -> None:
        results = ModelResults(
            responses=tuple(one for one in found if isinstance(one, ModelResponse)),
            published=tuple(one for one in found if isinstance(one, PublishedAbility)),
        )
        leaderboard_import(item_bank=item_bank, results=results, source="A test", replace=False, now=now)
        newest_models_taken(item_bank, now)

    return run


def always(model: str, value: float) -> list[ModelResponse]:
    """A model that nearly always gets this score, over three epochs."""
    return [
        ModelResponse(model, f"p{n:03d}", epoch, abs(value - 0.01 * ((n + epoch) % 3)))
        for n in range(1, PROMPTS)
        for epoch in (1, 2, 3)
    ]


@pytest.fixture
def measured(results: ResultSet, import_models: Import, now: datetime) -> Measurement:
    import_models(
        *always("Perfect <b>", 1.0), *always("Hopeless", 0.0), PublishedAbility("Told", 2.04, 0.06, 5),
        PublishedAbility("Unsure", 1.0),
    )  # fmt: skip
    return measure_blocks(results, Block.MODELS, now=now, resamples=100)


def row(measurement: Measurement, name: str, group: str, model: str = "") -> MeasureRow:
    subset = f"model:{model}" if model else ""
    return measurement.result_set.measures.get(block=Block.MODELS, name=name, group=group, subset=subset)


def there(value: float | None) -> float:
    assert value is not None
    return value


def page(staff: Client) -> str:
    return every_part(staff, reverse("staff_measurement", kwargs={"slug": "pages", "block": "models"}))


def test_without_models_the_block_says_how_to_get_them(
    staff: Client, results: ResultSet, now: datetime
) -> None:
    measure_blocks(results, Block.MODELS, now=now, resamples=100)
    assert (
        "There are no results of models for the item bank items yet; they are uploaded under Models."
        in page(staff)
    )


def test_differences_have_intervals_and_verdicts(measured: Measurement) -> None:
    assert measured.blocks["models"]["state"] == "computed"
    own = row(measured, "models.theta.pool", "average")
    better = row(measured, "difference.pool", "average", "Hopeless")
    worse = row(measured, "difference.pool", "average", "Perfect <b>")
    assert (better.details["verdict"], worse.details["verdict"]) == ("above", "below")
    assert there(better.low) > 0 > there(worse.high)
    model = row(measured, "models.theta.pool", "average", "Hopeless")
    assert there(better.value) == pytest.approx(there(own.value) - there(model.value))
    assert better.details["p_holm"] < 0.05
    assert (better.details["k_human"], better.details["k_model"]) == (1.0, 1.0)
    rows = [row(measured, "models.theta.pool", "average", name) for name in ("Perfect <b>", "", "Hopeless")]
    assert [one.details["place_best"] for one in rows] == [1, 2, 3]
    assert [one.details["place_worst"] for one in rows] == [1, 2, 3]


def test_top_has_no_interval_and_no_verdict_as_it_was_selected(measured: Measurement) -> None:
    """They answered everything right: there is a bound, and no difference from anybody."""
    top, less = (
        row(measured, "models.theta.pool", "top"),
        row(measured, "difference.pool", "top", "Hopeless"),
    )
    assert (top.value, top.se, top.high, less.value, less.low) == (None, None, None, None, None)
    assert top.low is not None
    assert top.reason == less.reason == "no_finite_solution"
    assert "verdict" not in less.details


def test_the_judge_of_a_model_is_the_studys_by_its_name_alone(now: datetime) -> None:
    config = JudgeConfig(slug="grader", model="openai/GPT-4o", created_at=now)
    names = study_judge_names(ScoringRun(judge_kind="llm", config=config))
    said = {name: judge_facts(Configuration("M", judge=name), names)["same_judge"] for name in NAMED}
    assert said == NAMED
    own = study_judge_names(ScoringRun(judge_kind="checks"))
    assert judge_facts(Configuration("M", judge="checks"), own) == {
        "judge": "checks", "study_judge": "checks", "same_judge": True,
    }  # fmt: skip


def test_a_published_theta_is_marked_and_modelled(measured: Measurement) -> None:
    told = row(measured, "theta.modelled_k1", "", "Told")
    assert told.details["published_only"] is told.details["modelled"] is True
    assert told.details["k"] == 5
    assert 2.04 < there(told.low) < there(told.value) < there(told.high)
    unsure = row(measured, "theta.modelled_k1", "", "Unsure")  # nobody said over how many epochs
    assert (unsure.value, unsure.reason) == (None, "epochs_unknown")
    assert not measured.result_set.measures.filter(name="difference.pool", subset="model:Told").exists()


def test_the_page_shows_models_groups_and_bands(staff: Client, measured: Measurement) -> None:
    content = page(staff)
    for text in (
        "Perfect &lt;b&gt;", "Told (published only)", "answers per question: people 1.0, models 5.0",
        "stronger", "weaker",
        "for single answers, modelled", "Groups that cannot be told apart", "Top as picked",
    ):  # fmt: skip
        assert text in content
    assert "style=" not in content


def test_the_page_says_what_is_not_checked_and_why_nothing_is_modelled(
    staff: Client, results: ResultSet, import_models: Import, now: datetime
) -> None:
    import_models(
        *always("Scored", 0.5), *(replace(one, judge="checks") for one in always("Same", 0.5)),
        *(replace(one, judge="other/judge") for one in always("Other", 0.5)),
        PublishedAbility("Beyond", 60.0, 0.1, 5), PublishedAbility("Unsure", 1.0),
    )  # fmt: skip
    measurement = measure_blocks(results, Block.MODELS, now=now, resamples=100)

    beyond = row(measurement, "theta.modelled_k1", "", "Beyond")

    assert (beyond.value, beyond.reason) == (None, "beyond_simulation")
    content = " ".join(page(staff).split())
    for text in (
        "by the judge of the people (checks): 1; by another: 1; without a judge&#x27;s name: 1.",
        "other/judge",
        "be above or below a model and still share a group with it",
        "not modelled: beyond all simulated abilities",
        "not modelled: the number of epochs is not published",
    ):
        assert text in content


def test_the_page_and_its_figure_take_few_queries(
    staff: Client, measured: Measurement, django_assert_max_num_queries: Callable[[int], Any]
) -> None:
    with django_assert_max_num_queries(14):
        staff.get(reverse("staff_measurement", args=["pages", "models"]))
    place = {"slug": "pages", "results_id": measured.result_set_id, "block": "models", "figure": "models"}
    with django_assert_max_num_queries(10):
        response = staff.get(reverse("staff_measurement_figure", kwargs={**place, "extension": "svg"}))
    assert response.status_code == 200
    assert response.content.startswith(b"<?xml")


def test_more_models_take_no_more_queries(
    results: ResultSet, import_models: Import, django_assert_max_num_queries: Callable[[int], Any]
) -> None:
    import_models(*(one for n in range(12) for one in always(f"M{n}", n / 12)))
    everyone, readings = study_cohort(results.run), Readings(results)
    facts = StudyFacts(readings, everyone)
    with django_assert_max_num_queries(2):
        assert facts.models is not None
    inputs = Inputs(
        facts=facts, everyone=everyone, items=readings.items,
        rng=np.random.default_rng(1), resamples=100, progress=no_progress,
    )  # fmt: skip
    found = list(model_measures(inputs))
    assert sum(one.name == "difference.pool" and one.group == "average" for one in found) == 12


def no_progress(done: int, of: int) -> None:
    """Nobody watches a test."""


def test_another_model_changes_no_number_of_a_model(
    results: ResultSet, import_models: Import, now: datetime
) -> None:
    """Fifteen epochs, of which a few are drawn, and a band: what rests on chance."""
    many = [
        ModelResponse("Many", f"p{n:03d}", epoch, (n * epoch % 5) / 4)
        for n in range(1, PROMPTS)
        for epoch in range(1, 16)
    ]
    fields = ("name", "group", "subset", "value", "se", "low", "high")
    ours = ("model:Many", "model:Told")

    def numbers() -> list[tuple[Any, ...]]:
        rows = measure_blocks(results, Block.MODELS, now=now, resamples=100).result_set.measures.filter(
            subset__in=ours
        )
        return list(rows.values_list(*fields))

    import_models(*many, PublishedAbility("Told", 2.04, 0.06, 5))
    before = numbers()
    import_models(
        *(replace(one, model="Another") for one in many), PublishedAbility("Before it", 1.0, 0.1, 3)
    )

    assert len(before) > 10
    assert numbers() == before


def test_the_same_results_give_the_same_numbers(measured: Measurement, results: ResultSet) -> None:
    fields = ("name", "group", "subset", "value", "se", "low", "high")
    before = list(measured.result_set.measures.filter(block=Block.MODELS).values_list(*fields))
    out = io.StringIO()
    with only_blocks(Block.MODELS):
        call_command("measure_study", "pages", resamples=100, stdout=out)
    again = Measurement.objects.get(result_set=results)
    assert list(again.result_set.measures.filter(block=Block.MODELS).values_list(*fields)) == before


def test_the_terminal_says_what_every_measure_is(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        call_command("measure_study", "--names")
    assert "theta.ql  theta_QL (logits of theta_QL, a scale of its own; results)" in capsys.readouterr().out
