"""The size of Top beside the people there are: no Top of everybody, and a word where it says little."""

import re
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse

from batches.models import Session
from formats.item_parameters import ItemParameter, ItemParameters
from presentation.measures import WHY_ABSENT
from psychometrics.inference.measure import Block
from psychometrics.measures.catalogue import CATALOGUE
from psychometrics.measures.disclosure import COUNTED
from reporting.management.result_lines import result_lines
from reporting.views.measurement.blocks_shown import PAGES
from scoring.coordinator import Scoring
from scoring.models import ResultSet
from scoring.selectors.export_results import estimate_rows
from studies.models import Participant, Study
from studies.services.banks import item_bank_import
from tests.support.measuring import measure_blocks
from tests.support.read_pages import read

pytestmark = pytest.mark.django_db
NUMBERS = range(1, 7)
RIGHT = ({1, 2, 3, 5}, {1, 2}, {3}, {2, 4, 6}, {1, 4}, {2}, {1, 5})
Made = Callable[[int], ResultSet]


@pytest.fixture
def made(
    make_study: Callable[..., Study],
    make_person: Callable[..., Participant],
    work: Callable[..., Session],
    score_at: Callable[..., Scoring],
    now: datetime,
) -> Made:
    """Seven people answer six questions; Top is so many of them."""

    def make(top_size: int) -> ResultSet:
        items = tuple(ItemParameter(f"p00{n}", a=1.0, b=0.3 * n) for n in NUMBERS)
        bank, _ = item_bank_import(
            slug="items", parameters=ItemParameters(items, 0.998, 0.001, sigma_hat=2.5), now=now
        )
        study = make_study(
            prompts=6, slug="sized", batch_size=6, judge_kind="checks", top_size=top_size, item_bank=bank,
            replicates_per_profile=7,
        )  # fmt: skip
        for own in RIGHT:
            work(make_person(study), {f"p00{n}": str(n if n in own else 99) for n in NUMBERS})
        results: ResultSet = score_at(study, clock=lambda: now, measures=False).judges[0].results
        measure_blocks(results, Block.COHORT, Block.TOP, Block.EXCLUSIONS, now=now, resamples=100)
        return results

    return make


def surfaces(staff: Client, results: ResultSet) -> dict[str, str]:
    """What page, report and terminal say."""
    pages = {
        "page": reverse("staff_results", args=["sized"]),
        "report": reverse("staff_report_file", args=["sized", "html"]),
    }
    told = {name: read(staff.get(address).content.decode()) for name, address in pages.items()}
    return told | {"terminal": "\n".join(result_lines(results))}


def test_a_top_of_everybody_is_absent_with_its_reason_on_every_surface(made: Made, staff: Client) -> None:
    results = made(7)
    why = "There is no Top: with 7 people it would be everybody who is counted and has a score."
    for name, text in surfaces(staff, results).items():
        assert why in text, name
    for row in results.measures.filter(
        group="top", name__in=("theta.pool", "theta.ql", "raw_mean", "top.paper")
    ):
        assert (row.value, row.reason) == (None, "too_few_people"), row
    block = read(staff.get(reverse("staff_measurement", args=["sized", "top"])).content.decode())
    assert "Top would be everybody: it is 7 people, and 7 have a score; choose fewer." in block
    [top] = [row for row in estimate_rows(results.run.study) if row.group == "top" and not row.category]
    assert (top.participants, top.theta_pool, top.raw_mean) == (0, None, None)
    flow = results.measures.get(name="flow.top", scope="all")
    assert flow.value == 0


@pytest.mark.parametrize(("size", "warned"), [(2, False), (3, True), (6, True)])
def test_from_a_third_of_the_counted_people_on_every_surface_warns(
    made: Made, staff: Client, size: int, warned: bool
) -> None:
    results = made(size)
    said = f"Top is {size} of 7 counted people, a third or more: it tells little of the best."
    for name, text in surfaces(staff, results).items():
        assert (said in text) == warned, name


@pytest.mark.parametrize(
    ("size", "why", "words"),
    [
        (1, "too_few_people", "A Top of one person would be that person's own ability"),
        (6, "complement", "beside Average it would tell of what little Top leaves out."),
    ],
)
def test_of_a_top_of_one_and_of_all_but_one_no_surface_has_a_number(
    made: Made, staff: Client, size: int, why: str, words: str
) -> None:
    results = made(size)
    measure_blocks(results, *Block, now=results.computed_at, resamples=100)
    of_top = results.measures.filter(group="top")
    numbers = [row for row in of_top if CATALOGUE[row.name].unit not in COUNTED]
    assert {row.block for row in numbers} > {"results", "cohort", "slices", "missing", "exclusions"}
    assert {(row.value, row.low, row.high) for row in numbers} == {(None, None, None)}
    assert {row.reason for row in numbers} == {why}
    for name, text in surfaces(staff, results).items():
        assert words in text or str(WHY_ABSENT[why]) in text, name
    for block in PAGES:
        page = read(staff.get(reverse("staff_measurement", args=["sized", block])).content.decode())
        assert (words in page) == (block == Block.TOP), block
    [top] = [row for row in estimate_rows(results.run.study) if row.group == "top" and not row.category]
    assert (top.participants, top.theta_pool, top.raw_mean, top.reason_pool) == (size, None, None, why)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (-3.0, "Top free of the choice (−3.00) stands below Average"),
        (9.25, "Top free of the choice equals Top picked by these same scores (9.25)"),
        (9.0, ""),
    ],
)
def test_where_top_says_nothing_of_the_best_every_surface_tells_it(
    made: Made, staff: Client, value: float, words: str
) -> None:
    results = made(2)
    results.measures.filter(name="top.crossfit5", subset="").update(value=value)
    results.measures.filter(name="top.paper", subset="").update(value=9.251)
    for name, text in surfaces(staff, results).items():
        said = re.search(r"Top free of the choice (?:equals|\([−\d])", text)
        assert bool(said) == bool(words), name
        assert words in text, name


@pytest.mark.parametrize(
    ("size", "words"),
    [
        (1, "Top is one person: no number of it is told, as it would be that person's own."),
        (2, ""),
        (3, "Top is 3 of 9 planned people, a third or more: it will tell little of the best."),
        (9, "Top is 9 people and 9 are planned: it would be everybody"),
        (15, "Top is 15 people and 9 are planned: it would be everybody"),
    ],
)
def test_the_set_up_warns_beside_the_planned_people(
    make_study: Callable[..., Study], staff: Client, tmp_path: Path, size: int, words: str
) -> None:
    study = make_study(prompts=6, slug="sized", batch_size=6, top_size=size, replicates_per_profile=3)
    Study.objects.filter(pk=study.pk).update(status="draft", protocol_hash="", design_hash="")
    for name, arguments in (("staff_setup_step", ["sized", "reporting"]), ("staff_lock", ["sized"])):
        page = staff.get(reverse(name, args=arguments))
        assert ("Top" in [one.badge for one in page.context["ready"].entries]) == bool(words), name
        assert words in read(page.content.decode()), name
