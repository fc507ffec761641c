"""Person fit and DIF of a small study: from sessions to stored rows, pages and figures."""

from datetime import datetime

import pytest
from django.test import Client
from django.urls import reverse

from judging.models import ScoringRun
from presentation.drawings.shapes import WIDE
from psychometrics.inference.measure import Block
from reporting.views.measurement.blocks_shown import PAGES
from scoring.models import Measurement, MeasureRow
from scoring.selectors.export_results import may_be_exported
from scoring.selectors.measures import BlockMeasures, block_measures
from studies.models import Participant, Prompt
from tests.reporting.measurement.effects.measured_effects import (
    BLOCKS,
    PEOPLE,
    PROMPTS,
    content,
    measured,
    row,
)
from tests.support.headlines import estimate

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def measurement(run: ScoringRun, now: datetime) -> Measurement:
    return measured(run, now, *BLOCKS)


def test_all_three_blocks_are_computed_and_shown(measurement: Measurement, staff: Client) -> None:
    for block in BLOCKS:
        found = block_measures(measurement, block)
        assert (found.state, found.sentence) == ("computed", "")
        content(staff, block)
        for name, figure in PAGES[block].figures.items():
            assert figure.draw(found, WIDE) is not None, name


def test_who_knows_only_the_hard_prompts_is_for_review_and_stays_in_the_results(
    measurement: Measurement, run: ScoringRun, staff: Client
) -> None:
    odd = Participant.objects.filter(study=run.study).order_by("pk").last()
    assert odd is not None

    fit = measurement.result_set.measures.get(scope="all", name="fit.correlation", participant=odd.code)
    assert fit.value is not None
    assert fit.value < 0
    assert fit.details["flagged"]
    assert row(measurement, Block.FIT, "fit.flagged", subset="statistic:correlation").people == PEOPLE
    page = content(staff, Block.FIT)
    assert odd.code in page
    assert "For review only. In simulations with 20 questions a person" in page
    assert estimate(measurement.result_set, "average").participants == PEOPLE
    assert not measurement.result_set.measures.filter(
        scope="all", block=Block.FIT, details__has_key="theta"
    ).exists()


def test_nobody_has_a_row_who_is_not_flagged(measurement: Measurement) -> None:
    people = measurement.result_set.measures.filter(scope="all", block=Block.FIT).exclude(participant="")
    flagged = row(measurement, Block.FIT, "fit.flagged", subset="statistic:any").details["flagged"]
    grid = row(measurement, Block.FIT, "fit.grid")
    assert len({one.participant for one in people}) == flagged < PEOPLE
    assert people.count() == 2 * flagged
    assert sum(n for cell in grid.details["cells"] for n in cell[2:]) == grid.people == PEOPLE
    assert sum(cell[3] for cell in grid.details["cells"]) == flagged


def test_of_very_many_flagged_people_those_with_the_smallest_p_are_shown() -> None:
    details = {"flagged": True, "misfit": 20.0, "extremity": 1.0}
    rows = [
        MeasureRow(
            name=name, participant=f"P{number:03}", value=0.1, n=20, details={**details, "p": number / 300}
        )
        for number in reversed(range(150))
        for name in ("fit.correlation", "fit.outfit")
    ]

    table = PAGES[Block.FIT].tables(BlockMeasures(Block.FIT, "computed", "", 1.0, tuple(rows), {}))[1]

    assert [cells[0] for cells in table.rows] == [f"P{number:03}" for number in range(100)]
    assert table.notes[-1] == "These are the 100 with the smallest p of 150 flagged people; exports hold all."


def test_figures_name_nobody(measurement: Measurement, staff: Client) -> None:
    address = reverse(
        "staff_measurement_figure",
        kwargs={
            "slug": "effects", "results_id": measurement.result_set_id, "block": "fit", "figure": "people",
            "extension": "svg",
        },
    )  # fmt: skip

    image = staff.get(address).content.decode()

    assert "<svg" in image
    assert not any(code in image for code in Participant.objects.values_list("code", flat=True))


def test_dif_has_its_spread_its_groups_and_theta_without(measurement: Measurement, staff: Client) -> None:
    assert row(measurement, Block.DIF, "dif.sd").prompts == 12
    groups = {
        one.subset: one for one in measurement.result_set.measures.filter(scope="all", name="dif.group")
    }
    assert {"category:LR", "category:QR"} <= set(groups)
    assert groups["category:QR"].reason == "one_cluster"
    assert any(subset.startswith("profile:") for subset in groups)
    for group in ("average", "top"):
        whole = row(measurement, Block.DIF, "dif.theta.pool", group, "prompts:all")
        stored = estimate(measurement.result_set, group)
        assert whole.value == pytest.approx(stored.theta_pool)
    found = measurement.result_set.measures.filter(
        name="dif.theta.pool", group="average", subset="prompts:without-extreme"
    )
    assert found.get(scope="public").details["left_out"] == 1  # p11
    without = found.get(scope="all")  # p12 is private, and all less this would be its own
    assert (without.value, without.reason, without.n) == (None, "complement", None)
    assert without.details == {"left_out": None, "nothing_flagged": False}
    assert row(measurement, Block.DIF, "dif.theta.pool", "top", "prompts:all").reason == "selected"
    assert measurement.result_set.measures.filter(scope="all", name="dif.item").count() == 10
    assert "For content review" in content(staff, Block.DIF)


def test_the_page_says_which_process_of_responding_the_flags_rest_on(
    measurement: Measurement, staff: Client
) -> None:
    details = row(measurement, Block.DIF, "dif.sd").details

    page = content(staff, Block.DIF)
    sd = f"SD of {details['deviation_sd']:.2f} logits"
    assert f"{sd}, fitted" in page if details["deviation_fitted"] else f"assumed to have an {sd}" in page
    assert f"1 in {100 * details['certain_share']:.0f} % of the answers" in page


def test_private_prompts_are_named_on_no_page_and_in_no_export(
    measurement: Measurement, staff: Client
) -> None:
    private = {one.prompt_id for one in PROMPTS if one.split == "private"}
    assert measurement.result_set.measures.filter(
        scope="all", prompt_id__in=private, name="dif.item"
    ).exists()

    labels = dict(Prompt.objects.values_list("prompt_id", "label"))

    for block in BLOCKS:
        page = content(staff, block)
        assert not any(prompt_id in page or labels[prompt_id] in page for prompt_id in private), block
        for shift in (
            measurement.result_set.measures.filter(scope="all", name="dif.item") if block == Block.DIF else ()
        ):
            name = f"{labels[shift.prompt_id]} ({shift.prompt_id})"
            assert (name in page) == (shift.prompt_id not in private)
    results = measurement.result_set
    for measure in results.measures.filter(may_be_exported(results.run.study), block__in=BLOCKS):
        text = f"{measure.subset} {measure.prompt_id} {measure.details}"
        assert not any(prompt_id in text for prompt_id in private)


def test_the_ten_most_influential_answers_carry_no_text(measurement: Measurement, staff: Client) -> None:
    found = list(
        measurement.result_set.measures.filter(scope="all", name="influence.answer", group="average")
    )

    assert len(found) == 10
    sizes = [abs(one.value or 0) for one in found]
    assert sizes == sorted(sizes, reverse=True)
    assert set(found[0].details) == {"p", "category", "public"}
    shown = [
        one.details["public"]
        for one in measurement.result_set.measures.filter(scope="all", name="influence.answer")
    ]
    note = f"{shown.count(False)} of these {len(shown)} answers are on private questions"
    assert note in content(staff, Block.JUDGE)


def test_a_missing_interval_of_the_dif_sd_is_told_in_words() -> None:
    rows = (
        MeasureRow(name="dif.sd", value=0.0, reason="chance_only"),
        MeasureRow(name="dif.slope.excess", value=0.0, reason="too_few_prompts"),
    )
    found = BlockMeasures(Block.DIF, "computed", "", 1.0, rows, {})

    sentences = PAGES[Block.DIF].summary(found)

    assert sentences[1] == (
        "SD over questions of being harder or easier for people than for models, logits: 0.00 (no interval: "
        "questions differ by chance only)."
    )
    assert "by 0.00 (too few questions): below 0" in sentences[3]


def test_where_prompts_differ_by_chance_only_shifts_have_no_interval_and_keep_an_order(
    measurement: Measurement,
) -> None:
    """Shrunken shifts are then one number; the order is that of the evidence."""
    items = list(measurement.result_set.measures.filter(scope="all", name="dif.item"))

    assert row(measurement, Block.DIF, "dif.sd").value == 0
    assert {(one.se, one.low, one.high, one.reason) for one in items} == {(None, None, None, "chance_only")}
    assert abs(items[0].details["z"]) > abs(items[-1].details["z"])
