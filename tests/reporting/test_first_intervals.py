"""The interval that serves the design stands first wherever results are shown, and it is the same one."""

import csv
import re
from collections import defaultdict
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse
from django.utils.html import strip_tags
from django.utils.text import slugify

from batches.models import Session
from formats.item_parameters import ItemParameter, ItemParameters
from presentation.drawings.shapes import WIDE
from presentation.numbers import decimals
from presentation.tables import Table
from psychometrics.inference.measure import Block
from reporting.management.result_lines import result_lines
from reporting.selectors.reports import Report, report_of
from reporting.views.measurement.beside import ability_chart
from reporting.views.report.parts import study_document
from scoring.coordinator import Scoring
from scoring.models import Measurement
from scoring.selectors.measures import block_measures
from scoring.services.measurement import measurement_compute
from studies.bank.records import PromptRecord
from studies.models import Participant, Study
from studies.services.banks import item_bank_import
from tests.support.computed_again import computed_again
from tests.support.headlines import estimate, estimates
from tests.support.read_pages import read

pytestmark = pytest.mark.django_db
# Prompts, prompts per batch, how batches are put together: the error that serves, and its words.
DESIGNS = {
    "nested, 8 batches": (16, 2, "balanced", "se.batch", "by question set"),
    "nested, 4 batches": (8, 2, "balanced", "se.batch", "by question set"),
    "one batch": (4, 4, "balanced", "se.participant", "by people"),
    "crossed": (8, 4, "matrix", "se.twoway", "by people and questions"),
}
MADE_FOR_THE_CHOICE = {"top.paper", "top.crossfit5", "top.eb", "top.null"}


@pytest.fixture(scope="module")
def kept_measurement(
    request: pytest.FixtureRequest,
    kept: None,
    make_study: Callable[..., Study],
    make_person: Callable[..., Participant],
    work: Callable[..., Session],
    score_at: Callable[..., Scoring],
    now: datetime,
) -> Measurement:
    """Of a study of the design that the test names; it stays for all tests of the design."""
    prompts, batch_size, assembly, *_ = DESIGNS[request.param]
    slug = slugify(request.param)
    if made := Measurement.objects.filter(result_set__run__study__slug=slug).first():
        return made
    numbers = range(1, prompts + 1)
    records = [
        PromptRecord(prompt_id=f"p{n}", text=f"Question {n}?", gold_answer=str(n), category="AB"[n % 2])
        for n in numbers
    ]
    items = tuple(ItemParameter(f"p{n}", a=1.0 + 0.1 * (n % 3), b=0.1 * n) for n in numbers)
    parameters = ItemParameters(items, squeeze_scale=0.998, squeeze_offset=0.001, sigma_hat=2.5)
    study = make_study(
        prompts=records, slug=slug, judge_kind="checks", top_size=3, batch_size=batch_size,
        assembly=assembly, replicates_per_profile=16,
        item_bank=item_bank_import(slug=f"items-{slug}", parameters=parameters, now=now)[0],
    )  # fmt: skip
    for number in range(16):
        right = {n: str(n if (7 * n + 5 * number) % 3 else 99) for n in numbers}
        work(make_person(study), {f"p{n}": text for n, text in right.items()})
    results = score_at(study, clock=lambda: now, measures=False).judges[0].results
    return measurement_compute(results=results, now=now, resamples=100)


@pytest.fixture
def measurement(kept_measurement: Measurement, db: None) -> Measurement:
    return Measurement.objects.get(pk=kept_measurement.pk)


def results_page(staff: Client, measurement: Measurement) -> str:
    slug = measurement.result_set.run.study.slug
    return staff.get(reverse("staff_results", args=[slug])).content.decode()


def of_design(*designs: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("kept_measurement", designs, indirect=True)


def first_cells(html: str) -> list[str]:
    """The cells of the first row about Average among all numbers of Average and Top."""
    rows = re.findall(r"<tr>.*?</tr>", html.partition("All numbers of Average and Top")[2], re.DOTALL)
    row = next(row for row in rows if re.search(r'<th scope="row">\s*Average\s*</th>', row))
    return [" ".join(strip_tags(cell).split()) for cell in re.findall(r"<td.*?</td>", row, re.DOTALL)]


def on_pages(words: str) -> str:
    """Pages have other words for them than files and terminals."""
    return words.replace("prompts", "questions")


def drawn(report: Report) -> list[str]:
    """What the figure tells of Average and of Top over all prompts."""
    figure = ability_chart(report, WIDE)
    assert figure is not None
    return [told for told in figure.told if told.startswith("All questions")]


@of_design(*DESIGNS)
def test_no_stored_row_tells_another_interval_of_the_same_theta(measurement: Measurement) -> None:
    """Average has one interval in every block; Top, chosen by these scores, has none."""
    told: dict[tuple[str, str], dict[str, list[float | None]]] = defaultdict(dict)
    for row in measurement.result_set.measures.filter(
        subset__in=("", "as-missing", "prompts:all", "scores:judge"), group__in=("average", "top"),
        name__regex=r"^(missing\.|judge\.|dif\.|itt\.|models\.)?theta\.(pool|ql|prompt)$",
    ):  # fmt: skip
        published = row.name in ("judge.theta.prompt", "dif.theta.prompt")
        if not published and (row.group, row.block) != ("top", Block.EXCLUSIONS):  # another Top
            estimator = row.name[row.name.index("theta.") :]
            ends = (row.value, row.se, row.low, row.high)
            told[row.group, estimator][row.name] = [None if one is None else round(one, 9) for one in ends]
    assert len(told) == 2 * 3
    for (group, estimator), rows in told.items():
        first, *others = rows.values()
        assert others == [first] * len(others) != [], (group, estimator)
        assert group == "average" or (first[1] is None and None in first[2:])  # a bound at most


@of_design(*DESIGNS)
def test_page_figure_terminal_report_and_export_show_the_interval_that_serves_first(
    measurement: Measurement, staff: Client, tmp_path: Path
) -> None:
    study = measurement.result_set.run.study
    error, words = next(found[3:] for design, found in DESIGNS.items() if slugify(design) == study.slug)
    results = measurement.result_set
    of_block = block_measures(measurement, Block.UNCERTAINTY)
    found = [of_block.get("uncertainty.theta.pool", "average", one) for one in (error, "se.participant")]
    # Never narrower than by people alone, which stands in its place.
    serving = max((one for one in found if one and one.high), key=lambda one: one.high or 0)
    assert serving.value is not None
    assert serving.low is not None
    assert serving.high is not None
    assert serving.details["serves"] is True

    in_cohort = block_measures(measurement, Block.COHORT).get("theta.pool", "average")
    assert in_cohort is not None
    assert [in_cohort.low, in_cohort.high] == pytest.approx([serving.low, serving.high], abs=1e-12)
    assert in_cohort.details["error"] == error

    shown = f"{decimals(serving.low, 2)} to {decimals(serving.high, 2)}, {words}"
    theta = decimals(serving.value, 2)
    cells = first_cells(results_page(staff, measurement))
    assert cells[1].startswith(theta)
    assert cells[2].startswith(on_pages(shown))

    of_average, *of_top = drawn(report_of(results))  # of a Top that has all right a bound alone is known
    ends = f"{decimals(serving.low, 2)} to {decimals(serving.high, 2)}"
    assert of_average == f"All questions, Average: {theta}, 95 % interval {ends}"
    assert not any("interval" in told for told in of_top)

    line = next(line for line in result_lines(results) if line.startswith("Average"))
    first = f"Average 16 {theta} {shown}"
    assert " ".join(line.split()).startswith(first)

    parts = study_document(study).parts
    table = next(part for part in parts if isinstance(part, Table) and part.caption == "Ability in logits")
    assert table.rows[0][1] == theta
    assert table.rows[0][3].startswith(shown)

    call_command("export_study", study.slug, tmp_path / "out")
    with (tmp_path / "out" / "estimates.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    thetas = [name for name in rows[0] if name.startswith("theta")]
    assert thetas == ["theta_pool", "theta_ql", "theta"]
    whole = next(row for row in rows if row["group"] == "average" and not row["category"])
    exported = [float(whole[name]) for name in ("theta_pool", "ci_low_pool", "ci_high_pool")]
    assert exported == pytest.approx([serving.value, serving.low, serving.high], abs=1e-12)
    assert (whole["interval"], whole["clusters"]) == (error, str(serving.clusters))

    code, said = computed_again(tmp_path / "out")
    assert code == 0, said


@of_design("nested, 4 batches")
def test_few_batches_that_share_no_prompt_have_a_second_interval_by_people_and_prompts(
    measurement: Measurement, staff: Client
) -> None:
    second = block_measures(measurement, Block.UNCERTAINTY).get(
        "uncertainty.theta.pool", "average", "se.twoway"
    )
    assert second is not None
    assert second.low is not None
    beside = f"; {decimals(second.low, 2)} to {decimals(second.high, 2)}, by people and questions"
    page = results_page(staff, measurement)
    assert first_cells(page)[2].endswith(on_pages(beside))
    assert (
        "In simulated studies with question sets of 20 it covers the value that repeating the study would "
        "average to in 94 to 99 %, where it should in 95 %."
    ) in page


@of_design("nested, 8 batches")
def test_the_published_interval_follows_as_published_and_models_are_compared_otherwise(
    measurement: Measurement, staff: Client
) -> None:
    results = measurement.result_set
    average = estimate(results, "average")
    assert average.theta is not None
    page = results_page(staff, measurement)
    ends = f"({decimals(average.ci_low, 2)} to {decimals(average.ci_high, 2)})"
    assert first_cells(page)[3] == f"{decimals(average.theta, 2)} {ends}"
    assert "ability by question means (theta.prompt), as published; takes all answers as independent" in read(
        page
    )
    assert (
        "To compare people with a model, use ability (theta.pool) or ability on the QL scale (theta_QL)"
        in "\n".join(result_lines(results))
    )
    for text in (page, "\n".join(result_lines(results))):
        assert "Compare with a model only at the same number" not in text


@of_design("nested, 8 batches")
def test_top_has_an_interval_only_where_the_choice_is_allowed_for_or_named(measurement: Measurement) -> None:
    of_top = measurement.result_set.measures.filter(group="top", low__isnull=False, high__isnull=False)
    assert set(of_top.values_list("name", flat=True)) <= MADE_FOR_THE_CHOICE
    rows = estimates(measurement.result_set, group="top")
    assert len(rows) == 3  # all prompts and two categories
    for row in rows:
        if row.reason_pool == "no_finite_solution":  # all of it is right: a bound is no interval
            assert (row.theta, row.ci_high_pool) == (None, None)
            continue
        assert set(of_top.values_list("block", flat=True)) <= {"top"}
        ends = (row.se, row.ci_low, row.se_pool, row.ci_low_pool, row.ci_low_twoway, row.se_ql, row.ci_low_ql)
        assert set(ends) == {None}
        assert (row.theta is None, row.reason_pool) == (False, "selected")


@of_design("nested, 4 batches")
def test_results_of_before_claim_no_design(measurement: Measurement, staff: Client) -> None:
    """The interval of theta_QL that an earlier version stored is by people, whatever the design is."""
    results = measurement.result_set
    results.measures.filter(group="average", name="theta.pool").update(
        clusters=None, se=None, low=None, high=None, reason="earlier_version",
        details={"error": "se.participant"},
    )  # fmt: skip
    page = results_page(staff, measurement)
    assert "no interval: compute the results again" in page
    assert "There is one question set" not in page
    assert "it covers the value" not in page
