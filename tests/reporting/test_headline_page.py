"""The first page of the results: its sentence is read off stored rows, and says what there is not."""

import csv
import re
from collections.abc import Callable
from datetime import datetime, timedelta
from io import StringIO
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils.html import strip_tags

from batches.models import Session
from formats.item_parameters import ItemParameter, ItemParameters
from jobs.models import Job
from psychometrics.inference.measure import Block
from reporting.management.result_lines import result_lines
from scoring.coordinator import Scoring
from scoring.models import Measurement, MeasureRow, ModelConfiguration, ResultSet
from scoring.readers.model_results.records import ModelResponse, ModelResults
from scoring.services.leaderboards import leaderboard_import
from studies.models import BankVersion, ItemBank, Participant, Study
from studies.services.banks import item_bank_import
from tests.support.measuring import measure_blocks
from tests.support.read_pages import read
from tests.support.taking_models import newest_models_taken

pytestmark = pytest.mark.django_db
PROMPTS = 16
MODELS = {"Perfect <b>": 1.0, "Alike": 0.97, "Hopeless": 0.0}
MEASURED = (Block.TOP, Block.MODELS, Block.EXCLUSIONS, Block.MISSING, Block.DIF)


@pytest.fixture(scope="module")
def kept_results(
    kept: None,
    make_study: Callable[..., Study],
    make_person: Callable[..., Participant],
    work: Callable[..., Session],
    score_at: Callable[..., Scoring],
    now: datetime,
) -> ResultSet:
    """Twenty-four people in eight question sets beside three models, measured."""
    items = tuple(ItemParameter(f"p{n:03d}", 0.6 + 0.1 * (n % 7), 0.2 * (n % 5)) for n in range(1, PROMPTS))
    parameters = ItemParameters(items, squeeze_scale=0.998, squeeze_offset=0.001, sigma_hat=2.5)
    bank = item_bank_import(slug="items", parameters=parameters, now=now)[0]
    study = make_study(
        prompts=PROMPTS, slug="first", judge_kind="checks", top_size=2, item_bank=bank,
        replicates_per_profile=3, assembly="random", batch_size=2,
    )  # fmt: skip
    for number in range(24):
        known = {n: (n * 7 + number * 5) % 3 > 0 for n in range(1, PROMPTS + 1)}
        answers = {f"p{n:03d}": str(n) if knows else "I have no idea" for n, knows in known.items()}
        work(make_person(study), answers)
    import_models(bank, now)
    results = score_at(study, clock=lambda: now + timedelta(days=1), measures=False).judges[0].results
    measure_blocks(results, *MEASURED, now=now, resamples=100)
    return results


def import_models(bank: ItemBank, now: datetime) -> None:
    responses = tuple(
        ModelResponse(model, f"p{n:03d}", epoch, abs(value - 0.1 * ((n + epoch) % 3)))
        for model, value in MODELS.items()
        for n in range(1, PROMPTS)
        for epoch in (1, 2, 3)
    )
    found = ModelResults(responses=responses)
    leaderboard_import(item_bank=bank, results=found, source="A test", replace=False, now=now)
    newest_models_taken(bank, now)


@pytest.fixture
def results(kept_results: ResultSet, db: None) -> ResultSet:
    return ResultSet.objects.get(pk=kept_results.pk)


@pytest.fixture
def told_top(results: ResultSet) -> None:
    """As if not all that Top answered were right, where a bound alone is told."""
    names = ("top.paper", "top.crossfit5", "top.null")
    results.measures.filter(name__in=names, group="top").update(value=1.0, low=0.5, high=1.5, reason="")


def page(staff: Client, query: str = "") -> str:
    response = staff.get(reverse("staff_results", args=["first"]) + query)
    assert response.status_code == 200
    return response.content.decode()


def sentence(staff: Client) -> str:
    found = re.search(r'<p class="lead results-sentence">(.*?)</p>', page(staff), re.DOTALL)
    assert found
    return " ".join(strip_tags(found[1]).split())


def row(results: ResultSet, name: str, group: str, subset: str = "") -> MeasureRow:
    return results.measures.get(scope="all", name=name, group=group, subset=subset)


def test_the_sentence_counts_the_stored_verdicts(staff: Client, results: ResultSet) -> None:
    between = results.measures.filter(name="difference.pool", group="average", scope="all")
    assert {one.subset.partition(":")[2] for one in between} == MODELS.keys()
    for verdicts, words in (
        (["above"] * 3, "stronger than all 3 models beside them."),
        (["below"] * 3, "weaker than all 3 models beside them."),
        (["not_distinguishable"] * 3, "cannot be told apart from any of 3 models."),
        (["below", "not_distinguishable", "above"], "stronger than 1 of 3 models, weaker than 1 and cannot"),
    ):
        for one, verdict in zip(between.order_by("subset"), verdicts, strict=True):
            MeasureRow.objects.filter(pk=one.pk).update(details=one.details | {"verdict": verdict})
        assert sentence(staff).startswith(("People with AI are ", "People with AI cannot"))
        assert words in sentence(staff)
    assert "cannot be told apart from Hopeless" in page(staff)


@pytest.mark.usefixtures("told_top")
@pytest.mark.parametrize(
    ("share", "verdict", "told"),
    [
        (0.003, "hardly luck", "less than 1 %"),
        (0.044, "hardly luck", "4 %"),
        (0.0496, "borderline", "5 %"),
        (0.124, "borderline", "12 %"),
        (0.2, "luck would do", "20 %"),
        (1.0, "luck would do", "100 %"),
    ],
)
def test_whether_top_is_more_than_luck_is_the_same_share_and_verdict_wherever_it_is_told(
    staff: Client, results: ResultSet, share: float, verdict: str, told: str
) -> None:
    stored = row(results, "top.null_share", "top")
    MeasureRow.objects.filter(name="top.null_share").update(value=share, details={"draws": 2000})
    assert stored.details["draws"] == 100
    draws = f"Picking among equally able people came as high in {told} of 2,000 draws."
    words = f"Whether Top is more than luck: {verdict}. {draws}"
    assert sentence(staff).endswith(words)
    content = read(page(staff))
    assert f"More than luck? {verdict} {draws}" in content
    assert "Yes, by" not in content
    slug = results.run.study.slug
    for name, arguments in (
        ("staff_measurement", [slug, "top"]),
        ("staff_report", [slug]),
        ("staff_report_file", [slug, "html"]),
    ):
        assert words in read(staff.get(reverse(name, args=arguments)).content.decode()), name
    assert words in result_lines(results)


def test_where_everything_that_top_answered_is_right_a_bound_is_told(
    staff: Client, results: ResultSet
) -> None:
    bound = row(results, "top.paper", "top")
    assert (bound.value, bound.reason) == (None, "no_finite_solution")
    assert re.search(r"Top: above [−\d.]+\.$", sentence(staff)), sentence(staff)


def test_categories_have_the_names_of_the_bank_and_the_models_beneath_people(
    staff: Client, results: ResultSet
) -> None:
    BankVersion.objects.update(category_names={"QR": "Quantities"})
    shown = staff.get(reverse("staff_results", args=[results.run.study.slug]))
    rows = results.measures.filter(name="models.category.theta.pool", scope="all")
    assert {(row.details["model"], row.details["category"]) for row in rows} == {
        (name, "QR") for name in MODELS
    }
    [category] = shown.context["categories"]
    assert (category.name, category.code) == ("Quantities", "QR")
    told = "\n".join(category.drawing.told)
    assert all(f"{name}: " in told for name in MODELS)
    raw = staff.get(reverse("staff_results", args=[results.run.study.slug]), {"values": "raw"})
    assert "Perfect <b>: 90 %" in "\n".join(raw.context["categories"][0].drawing.told)


@pytest.mark.usefixtures("told_top")
def test_the_ladder_is_drawn_on_the_page_with_its_table_and_files(staff: Client, results: ResultSet) -> None:
    content = page(staff)
    assert "Perfect &lt;b&gt;" in content
    assert "Perfect <b>" not in content
    assert 'tabindex="0" role="img"' in content
    assert content.count('class="figure wide-only"') == 1
    kinds = {"svg": b"<?xml", "png": b"\x89PNG", "pdf": b"%PDF"}
    for extension, start in kinds.items():
        place = {"slug": "first", "results_id": results.pk, "extension": extension}
        assert staff.get(reverse("staff_results_figure", kwargs=place)).content.startswith(start)
    table = staff.get(reverse("staff_results_table", args=["first", results.pk])).content.decode("utf-8-sig")
    names = [line["Who"] for line in csv.DictReader(StringIO(table))]
    assert {
        "Perfect <b>",
        "Average Human + AI",
        "Top, free of the choice",
        "Top, picked by these same scores",
    } <= set(names)
    wrong = {"slug": "first", "results_id": results.pk, "extension": "exe"}
    assert staff.get(reverse("staff_results_figure", kwargs=wrong)).status_code == 404


def test_tables_of_blocks_are_files_with_formulas_defused(staff: Client, results: ResultSet) -> None:
    ModelConfiguration.objects.filter(name="Alike").update(name="=1+1")
    for name in ("models.theta.pool", "theta.epochs"):
        for one in results.measures.filter(name=name, subset="model:Alike"):
            MeasureRow.objects.filter(pk=one.pk).update(details=one.details | {"model": "=1+1"})
    address = reverse("staff_measurement_table", args=["first", results.pk, "models", 1])
    assert "'=1+1," in staff.get(address).content.decode()
    assert staff.get(address.replace("/1.csv", "/99.csv")).status_code == 404


def test_without_models_the_sentence_says_so(staff: Client, results: ResultSet, now: datetime) -> None:
    Measurement.objects.filter(result_set=results).delete()
    results.measures.filter(block__in=MEASURED).delete()
    ModelConfiguration.objects.all().delete()
    measure_blocks(results, *MEASURED, now=now, resamples=50)
    said = sentence(staff)
    assert said.startswith("People with AI reach an ability of ")
    assert "There are no results of models for the item bank" in said
    assert "told apart" not in said


def test_without_a_measurement_nothing_is_made_up(staff: Client, results: ResultSet) -> None:
    Measurement.objects.filter(result_set=results).delete()
    results.measures.filter(block__in=MEASURED).delete()
    said = sentence(staff)
    assert "They are not compared with models yet" in said
    assert "best" not in said
    assert "not computed" in page(staff)


def test_without_an_item_bank_there_are_raw_scores(staff: Client, results: ResultSet) -> None:
    Study.objects.filter(slug="first").update(item_bank=None)
    names = ("theta.pool", "theta.ql", "theta.prompt.analytic", "theta.pool.twoway")
    results.measures.filter(name__in=names).update(value=None, se=None, low=None, high=None, reason="no_bank")
    mean = row(results, "raw_mean", "average")
    assert mean.value is not None
    said = sentence(staff)
    assert said.startswith(f"People with AI got {100 * mean.value:.0f} % of the possible score on average")
    assert "The study has no item bank" in said
    first, _title, numbers = page(staff).partition("All numbers of Average and Top")
    assert "logits" not in first
    assert re.findall(r"<th [^>]*>\s*(?:<abbr[^>]*>)?([^<]+)", numbers.partition("</thead>")[0]) == [
        "Group", "People", "Scored answers", "Questions", "Answers per question", "Raw mean", "Coverage",
    ]  # fmt: skip
    assert "without parameters" not in numbers


def test_too_few_people_have_no_top(staff: Client, results: ResultSet) -> None:
    results.measures.filter(block=Block.TOP).delete()
    results.flow |= {"with_scores": 1}
    results.save(update_fields=["flow"])
    assert "There is no Top: it takes 2 counted people with a score, and there are 1." in sentence(staff)


def test_nobody_counted_is_no_result(staff: Client, results: ResultSet) -> None:
    results.flow |= {"retained": 0}
    results.save(update_fields=["flow"])
    assert sentence(staff).startswith("Nobody is counted yet")


def test_older_results_say_what_to_press_and_it_is_a_job(
    staff: Client, results: ResultSet, now: datetime
) -> None:
    assert "Current" in page(staff)
    judged = results.run.scores.order_by("pk")[:1].values("pk")
    results.run.scores.filter(pk__in=judged).update(judged_at=now + timedelta(days=2))
    content = " ".join(page(staff).split())
    assert "Older than 1 judged answer" in content
    assert "Press <strong>Recompute</strong>" in content
    address = reverse("staff_results_recompute", args=["first"])
    assert staff.get(address).status_code == 405
    assert staff.post(address)["Location"] == reverse("staff_results", args=["first"])
    assert Job.objects.get().kind == "results"
    assert "Bring the results up to date" in page(staff)


def test_the_page_takes_few_queries(
    staff: Client, results: ResultSet, django_assert_max_num_queries: Callable[[int], Any]
) -> None:
    page(staff)
    with django_assert_max_num_queries(15):
        page(staff)
