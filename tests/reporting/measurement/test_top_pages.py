"""The pages Average and Top, from studies with enough people and with too few."""

import re
from collections.abc import Callable
from datetime import datetime

import pytest
from django.test import Client
from django.urls import reverse

from batches.models import Session
from formats.item_parameters import ItemParameter, ItemParameters
from presentation.drawings.shapes import WIDE
from psychometrics.inference.measure import Block
from reporting.views.measurement.blocks_shown import PAGES
from scoring.coordinator import Scoring
from scoring.models import Measurement
from scoring.selectors.measures import BlockMeasures, block_measures
from studies.models import Participant, Study
from studies.services.banks import item_bank_import
from tests.support.measuring import measure_blocks
from tests.support.read_pages import every_part, read

pytestmark = pytest.mark.django_db
NUMBERS = range(1, 7)
RIGHT = [{1, 2, 3, 5}, {1, 2}, {3}, {2, 4, 6}, {1, 4}, {2}, {1, 2, 3, 4, 5}, {1}, set(), {3, 4}]
Measure = Callable[..., Measurement]


@pytest.fixture(scope="module")
def measure(
    make_study: Callable[..., Study],
    make_person: Callable[..., Participant],
    work: Callable[..., Session],
    score_at: Callable[..., Scoring],
    now: datetime,
) -> Measure:
    """People answer six prompts; `right` has the numbers of their right answers."""

    def measured(
        right: list[set[int]], *, top_size: int = 3, items: bool = True, slug: str = "other"
    ) -> Measurement:
        bank = None
        if items:
            parameters = tuple(ItemParameter(f"p00{n}", a=1.0, b=0.3 * n) for n in NUMBERS)
            bank, _ = item_bank_import(
                slug=f"items-{slug}",
                parameters=ItemParameters(parameters, 0.998, 0.001, sigma_hat=2.5),
                now=now,
            )
        study = make_study(
            prompts=6, slug=slug, batch_size=6, judge_kind="checks", top_size=top_size, item_bank=bank,
            replicates_per_profile=len(right),
        )  # fmt: skip
        for own in right:
            work(make_person(study), {f"p00{n}": str(n if n in own else 99) for n in NUMBERS})
        results = score_at(study, clock=lambda: now, measures=False).judges[0].results
        return measure_blocks(results, Block.COHORT, Block.TOP, now=now, resamples=100)

    return measured


@pytest.fixture(scope="module")
def kept_measurement(kept: None, measure: Measure) -> Measurement:
    return measure(RIGHT, slug="best")


@pytest.fixture
def measurement(kept_measurement: Measurement, db: None) -> Measurement:
    """Of ten people of whom some know more than others; the study is "best", those of `measure` "other"."""
    return Measurement.objects.get(pk=kept_measurement.pk)


def value(found: BlockMeasures, name: str, group: str = "") -> float:
    row = found.get(name, group)
    assert row is not None
    assert row.value is not None
    return row.value


def content(client: Client, block: str, slug: str = "best") -> str:
    address = reverse("staff_measurement", kwargs={"slug": slug, "block": block})
    return re.sub(r"\s+", " ", every_part(client, address))


def test_both_groups_have_every_estimator_and_only_average_has_intervals(measurement: Measurement) -> None:
    found = block_measures(measurement, Block.COHORT)

    assert (value(found, "people", "average"), value(found, "pairs", "average")) == (10, 60)
    assert (value(found, "people", "top"), value(found, "k_bar", "average")) == (3, 10)
    assert value(found, "raw_mean", "average") == pytest.approx(21 / 60)
    for name in ("theta.prompt", "theta.pool", "theta.ql"):
        average, top = found.get(name, "average"), found.get(name, "top")
        assert average is not None
        assert top is not None
        assert average.low is not None
        assert (top.low, top.reason) == (None, "selected")
        assert value(found, name, "top") > value(found, name, "average")


def test_top_stands_beside_its_null_reference_and_the_estimators_that_allow_for_choosing(
    measurement: Measurement, staff: Client
) -> None:
    found = block_measures(measurement, Block.TOP)

    assert found.state == "computed"
    paper, null = value(found, "top.paper", "top"), value(found, "top.null", "top")
    assert value(found, "top.over_null", "top") == pytest.approx(paper - null)
    assert value(found, "top.crossfit5", "top") < paper
    assert value(found, "top.eb", "top") < paper
    assert value(found, "top.paper", "top") == value(
        block_measures(measurement, Block.COHORT), "theta.pool", "top"
    )
    page = content(staff, "top")
    assert "Top as published" in page
    assert "(top.crossfit5)" in page
    assert "If all people were equally able it would give" in page
    assert "where it is skewed the number falls short" in page


def test_the_first_page_of_results_shows_top_beside_what_luck_gives_and_theta_ql(
    measurement: Measurement, staff: Client
) -> None:
    found = block_measures(measurement, Block.TOP)
    page = re.sub(r"\s+", " ", staff.get(reverse("staff_results", args=["best"])).content.decode())
    for name in ("top.crossfit5", "top.eb", "top.null"):
        assert f"({name})" in page
        assert f"{value(found, name, 'top'):.2f}".replace("-", "−") in page
    assert "Average, ability on the QL scale" in read(page)


def test_the_same_seed_gives_the_same_numbers(measurement: Measurement, now: datetime) -> None:
    first = measurement
    before = [(row.name, row.subset, row.value, row.low) for row in block_measures(first, Block.TOP).rows]

    again = measure_blocks(first.result_set, Block.TOP, now=now, resamples=100)

    rows = block_measures(again, Block.TOP).rows
    assert [(row.name, row.subset, row.value, row.low) for row in rows] == before


def test_single_people_are_not_shown(measurement: Measurement, staff: Client) -> None:

    for block in (Block.COHORT, Block.TOP):
        rows = block_measures(measurement, block).rows
        assert not any(row.participant or row.prompt_id for row in rows)
        assert all(row.people is None or row.people >= 2 for row in rows)
    assert "Single people cannot be ranked" in content(staff, "cohort")


@pytest.mark.parametrize(("top_size", "items", "sentence"), [
    (11, True, "Top would be 11 people, but only 10 people have a score"),
    (1, True, "A Top of one person would be that person's own ability"),
    (3, False, "no question of this study has item parameters"),
])  # fmt: skip
def test_a_top_that_the_study_does_not_allow_is_refused_in_a_sentence(
    top_size: int, items: bool, sentence: str, measure: Measure, staff: Client
) -> None:
    found = block_measures(measure(RIGHT, top_size=top_size, items=items), Block.TOP)

    assert found.state == "refused"
    assert not found.rows
    assert sentence in found.sentence
    content(staff, "top", "other")
    content(staff, "cohort", "other")


def test_identical_people_are_measured_without_a_made_up_spread(measure: Measure, staff: Client) -> None:
    measurement = measure([{1, 2, 3}] * 6)
    found = block_measures(measurement, Block.COHORT)

    tau = found.get("tau")
    assert tau is not None
    assert (tau.value, tau.low, tau.reason) == (0, None, "less_than_chance")
    assert block_measures(measurement, Block.TOP).state == "computed"
    content(staff, "top", "other")
    content(staff, "cohort", "other")


def test_an_interval_to_one_side_of_its_value_is_drawn(measurement: Measurement) -> None:
    rows = measurement.result_set.measures.filter(block=Block.TOP, name="top.crossfit5")
    rows.update(value=3.0, low=-1.0, high=3.0)  # resampled people can all do worse: percentiles are no +- SE

    figure = PAGES[Block.TOP].figures["estimators"].draw(block_measures(measurement, Block.TOP), WIDE)

    assert figure is not None
    assert any("3.00, 95 % interval −1.00 to 3.00" in told for told in figure.told)


@pytest.mark.parametrize("right", [[set()] * 5, [set(NUMBERS)] * 5, [{1}, {2}, {3}, set(), set()]])
def test_pages_and_figures_are_made_of_whatever_there_is(
    right: list[set[int]], measure: Measure, staff: Client
) -> None:
    measurement = measure(right)

    for block in (Block.COHORT, Block.TOP):
        found = block_measures(measurement, block)
        assert found.state == "computed"
        content(staff, block, "other")
        for figure in PAGES[block].figures.values():
            figure.draw(found, WIDE)


@pytest.mark.parametrize(("times", "has_curve"), [(1, False), (3, True)])
def test_figures_are_drawn_from_stored_rows_but_no_curve_of_one_size(
    times: int, has_curve: bool, measure: Measure
) -> None:
    measurement = measure(RIGHT * times)

    for block in (Block.COHORT, Block.TOP):
        for name, figure in PAGES[block].figures.items():
            drawn = figure.draw(block_measures(measurement, block), WIDE) is not None
            assert drawn == (has_curve or name != "fractions"), name
