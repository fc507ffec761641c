"""The page of standard errors, from a study with two batches."""

from collections.abc import Callable
from datetime import datetime

import pytest
from django.test import Client
from django.urls import reverse

from batches.models import Session
from formats.item_parameters import ItemParameter, ItemParameters
from psychometrics.inference.measure import Block
from scoring.coordinator import Scoring
from scoring.models import Measurement
from scoring.selectors.measures import block_measures
from studies.models import Participant, Study
from studies.services.banks import item_bank_import
from tests.support.measuring import measure_blocks
from tests.support.read_pages import every_part, read

pytestmark = pytest.mark.django_db
Make = Callable[..., Study]


@pytest.fixture
def measure(
    make_study: Make,
    make_person: Callable[..., Participant],
    work: Callable[..., Session],
    score: Callable[..., Scoring],
    now: datetime,
) -> Callable[..., Measurement]:
    """People answer the prompts of two batches, or of one; `right` has the numbers of their right answers."""

    def measured(right: list[set[int]], *, batch_size: int = 2) -> Measurement:
        items = tuple(ItemParameter(f"p00{n}", a=1.0, b=0.5 * n) for n in range(1, 5))
        parameters = ItemParameters(items, squeeze_scale=0.998, squeeze_offset=0.001, sigma_hat=2.5)
        bank, _ = item_bank_import(slug="items", parameters=parameters, now=now)
        study = make_study(
            prompts=4, slug="sure", batch_size=batch_size, judge_kind="checks", top_size=2, item_bank=bank,
            replicates_per_profile=8,
        )  # fmt: skip
        for own in right:
            person = make_person(study)
            work(person, {f"p00{n}": str(n if n in own else 99) for n in range(1, 5)})
        results = score(study, measures=False).judges[0].results
        return measure_blocks(results, Block.UNCERTAINTY, Block.MISSING, now=now, resamples=200)

    return measured


def test_two_batches_give_every_error_and_say_which_one_to_use(
    measure: Callable[..., Measurement], staff: Client
) -> None:
    measurement = measure([{1, 2, 3}, {1, 2}, {3}, {2, 4}, {1, 4}, {2}])
    found = block_measures(measurement, Block.UNCERTAINTY)

    by_batch = found.get("uncertainty.theta.pool", "average", "se.batch")
    assert by_batch is not None
    assert by_batch.clusters == 2
    assert (by_batch.details["target"], by_batch.details["serves"]) == ("T2", True)
    assert by_batch.details["few_clusters"] is True
    first = next(found.named("uncertainty.theta.pool"))
    assert (first.subset, first.details["serves"]) == ("se.batch", True)
    for error in ("se.analytic", "se.participant", "se.participant_boot"):
        row = found.get("uncertainty.theta.pool", "average", error)
        assert row is not None
        assert row.se is not None
    text = read(every_part(staff, reverse("staff_measurement", args=["sure", "uncertainty"])))
    assert "Which people and questions, by question set" in text
    assert "other people, other questions like these (use this)" in text
    assert (
        "Every question occurs in one question set only, but there are few question sets (2): error by"
        in text
    )
    assert not list(found.named("uncertainty.theta.pool", group="top"))
    results = measurement.result_set_id
    figure = reverse("staff_measurement_figure", args=["sure", results, "uncertainty", "intervals", "svg"])
    assert b"<svg" in staff.get(figure).content


def test_one_batch_refuses_what_needs_two_and_says_why(
    measure: Callable[..., Measurement], staff: Client
) -> None:
    measurement = measure([{1, 2, 3}, {1, 2}, {3}, {1, 2, 3, 4}], batch_size=4)
    found = block_measures(measurement, Block.UNCERTAINTY)

    for error in ("se.batch", "se.twoway"):
        row = found.get("uncertainty.theta.pool", "average", error)
        assert row is not None
        assert (row.se, row.reason) == (None, "one_cluster")
        assert row.value is not None
    text = read(every_part(staff, reverse("staff_measurement", args=["sure", "uncertainty"])))
    assert "refused: it needs two or more people, questions and question sets" in text


def test_nothing_scored_is_a_sentence_and_no_numbers(measure: Callable[..., Measurement]) -> None:
    found = block_measures(measure([]), Block.UNCERTAINTY)
    assert found.state == "refused"
    assert found.sentence == "No answer to a question with item parameters has a score."
    assert found.rows == ()


def test_of_one_person_no_block_tells_and_the_pages_say_so(
    measure: Callable[..., Measurement], staff: Client
) -> None:
    measurement = measure([{1}], batch_size=4)
    for block in (Block.UNCERTAINTY, Block.MISSING):
        assert block_measures(measurement, block).state == "refused"
        page = staff.get(reverse("staff_measurement", args=["sure", block])).content.decode()
        assert "No number is told: it would be one person's own." in read(page)
