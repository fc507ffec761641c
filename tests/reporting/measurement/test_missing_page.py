"""The page of missing answers, from a study where people skipped, ran out of time, and were not judged."""

from collections.abc import Callable
from datetime import datetime
from math import log

import pytest
from django.test import Client
from django.urls import reverse

from batches.models import Session
from formats.item_parameters import ItemParameter, ItemParameters
from judging.models import AnswerScore
from psychometrics.inference.measure import Block
from scoring.coordinator import Scoring
from scoring.models import Measurement
from scoring.selectors.measures import BlockMeasures, block_measures
from scoring.services.results import results_compute
from studies.models import Participant, Study
from studies.services.banks import item_bank_import
from tests.support.measuring import measure_blocks
from tests.support.read_pages import every_part

pytestmark = pytest.mark.django_db
EDGE = log(999)


@pytest.fixture(scope="module")
def measured(
    kept: None,
    make_study: Callable[..., Study],
    make_person: Callable[..., Participant],
    work: Callable[..., Session],
    score_at: Callable[..., Scoring],
    now: datetime,
) -> Measurement:
    """One batch of four prompts with a = 1, b = 0.

    The first person is right twice, skips p003 and never reaches p004; the second is right once and wrong
    twice, and one more answer has no verdict; the third is wrong throughout.
    """
    items = tuple(ItemParameter(f"p00{n}", a=1.0, b=0.0) for n in range(1, 5))
    parameters = ItemParameters(items, squeeze_scale=0.998, squeeze_offset=0.001, sigma_hat=2.5)
    bank, _ = item_bank_import(slug="items", parameters=parameters, now=now)
    study = make_study(
        prompts=4, slug="gaps", judge_kind="checks", top_size=2, item_bank=bank, replicates_per_profile=8
    )
    people = [make_person(study) for _ in range(5)]
    for best in people[:2]:
        work(best, {"p001": "1", "p002": "2", "p003": ""})
    work(people[2], {"p001": "1", "p002": "98", "p003": "97", "p004": "4"})
    for other in people[3:]:
        work(other, {f"p00{n}": "99" for n in range(1, 5)})
    scoring = score_at(study, clock=lambda: now, measures=False)
    unjudged = AnswerScore.objects.filter(
        answer__session__participant=people[2], answer__prompt__prompt_id="p004"
    )
    unjudged.update(score=None, unscored_reason="timed_out")
    results = results_compute(run=scoring.judges[0].run, now=now)
    return measure_blocks(results, Block.MISSING, now=now, resamples=100)


def value(found: BlockMeasures, *place: str) -> float | None:
    row = found.get(*place)
    assert row is not None, place
    return row.value


def test_reasons_are_counted_apart_for_average_and_top(measured: Measurement) -> None:
    found = block_measures(measured, Block.MISSING)
    counts = {(row.group, row.name): row.details["count"] for row in found.rows if "count" in row.details}
    assert [counts["average", f"share.{name}"] for name in ("scored", "unscored")] == [15, 1]
    assert [counts["average", f"share.{name}"] for name in ("skipped", "not_reached")] == [2, 2]
    assert [counts["top", f"share.{name}"] for name in ("scored", "skipped", "not_reached")] == [4, 2, 2]


def test_theta_under_each_assumption_worked_out_on_paper(measured: Measurement) -> None:
    found = block_measures(measured, Block.MISSING)
    # Fifteen answers: five right, ten wrong; four zeros more; or five gaps at either end.
    assert value(found, "missing.theta.pool", "average", "as-missing") == pytest.approx(-EDGE / 3, abs=1e-9)
    assert value(found, "missing.theta.pool", "average", "as-zero") == pytest.approx(-9 * EDGE / 19, abs=1e-9)
    assert value(found, "missing.theta.pool", "average", "bound:low") == pytest.approx(-EDGE / 2, abs=1e-9)
    assert value(found, "missing.theta.pool", "average", "bound:high") == pytest.approx(0.0, abs=1e-9)
    # All four answers of Top are right: no ability is finite, and so many are right in one of forty cases.
    perfect = found.get("missing.theta.pool", "top", "as-missing")
    assert perfect is not None
    assert (perfect.value, perfect.high, perfect.reason) == (None, None, "no_finite_solution")
    assert perfect.low == pytest.approx(log(0.025**0.25 / (1 - 0.025**0.25)), abs=1e-9)
    assert value(found, "missing.theta.pool", "top", "as-zero") == pytest.approx(0.0, abs=1e-9)
    # Only three people answered 80 % or more; those of Top did not.
    floor = found.get("missing.theta.pool", "top", "floor:0.8")
    assert floor is not None
    assert (floor.details["eligible"], floor.details["same_people"]) == (3, 0)
    assert floor.value == pytest.approx(-5 * EDGE / 7, abs=1e-9)


def test_the_page_says_it_in_sentences_tables_and_a_figure(measured: Measurement, staff: Client) -> None:
    text = every_part(staff, reverse("staff_measurement", args=["gaps", "missing"]))
    assert "no answer that counts: 4 of 20 (20.0 %); other answers without a valid verdict: 1." in text
    assert "left out, as in the headline" in text
    assert "difficulty of the question, per logit" in text
    results = measured.result_set_id
    figure = reverse("staff_measurement_figure", args=["gaps", results, "missing", "positions", "svg"])
    assert b"<svg" in staff.get(figure).content


def test_nobody_asked_is_a_sentence(
    make_study: Callable[..., Study], score: Callable[..., Scoring], now: datetime
) -> None:
    study = make_study(prompts=4, judge_kind="checks", top_size=1)
    results = score(study, measures=False).judges[0].results
    found = block_measures(measure_blocks(results, Block.MISSING, now=now, resamples=100), Block.MISSING)
    assert (found.state, found.sentence) == ("refused", "Nobody who is counted was asked anything.")


def test_without_item_parameters_reasons_are_counted_and_theta_has_none(
    make_study: Callable[..., Study],
    make_person: Callable[..., Participant],
    work: Callable[..., Session],
    score: Callable[..., Scoring],
    keep_flagged: Callable[[Study, datetime], None],
    staff: Client,
    now: datetime,
) -> None:
    study = make_study(prompts=4, slug="bare", judge_kind="checks", top_size=2, replicates_per_profile=4)
    for _ in range(4):
        work(make_person(study), {"p001": "1", "p002": "2", "p003": ""})
    keep_flagged(study, now)
    results = score(study, measures=False).judges[0].results
    found = block_measures(measure_blocks(results, Block.MISSING, now=now, resamples=100), Block.MISSING)

    assert found.state == "computed"
    assert value(found, "share.skipped", "average") == 0.25
    assert value(found, "share.not_reached", "average") == 0.25
    thetas = list(found.named("missing.theta.pool", "missing.theta.prompt"))
    assert {(row.value, row.reason) for row in thetas} == {(None, "nothing_scored")}
    assert list(found.named("missing.odds_ratio")) == []
    assert staff.get(reverse("staff_measurement", args=["bare", "missing"])).status_code == 200
