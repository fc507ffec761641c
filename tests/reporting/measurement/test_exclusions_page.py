"""Exclusions and slices of a small study: from sessions to stored rows, pages and figures."""

import re
from collections.abc import Callable
from datetime import datetime, timedelta

import numpy as np
import pytest
from django.test import Client
from django.urls import reverse

from batches.models import Session
from formats.item_parameters import ItemParameter, ItemParameters
from judging.models import AnswerScore
from psychometrics.inference.measure import Block, Scope
from psychometrics.measures.inputs import Inputs
from scoring.coordinator import Scoring
from scoring.models import Measurement, MeasureRow, ResultSet
from scoring.selectors.cohorts import study_cohort
from scoring.selectors.measured_facts import Readings, StudyFacts
from scoring.selectors.measures import block_measures
from scoring.services.measurement import block_compute, measurement_store
from scoring.services.results import results_compute
from screening.models import Verdict, VerdictDecision
from screening.offtask.readings import Reading
from screening.services.screening import study_screen
from screening.services.verdicts import verdict_record
from studies.bank.records import PromptRecord
from studies.models import ItemBank, Participant, Study, User
from studies.services.banks import item_bank_import
from tests.support.headlines import estimate
from tests.support.read_pages import every_part

pytestmark = pytest.mark.django_db
BLOCKS = (Block.EXCLUSIONS, Block.SLICES)
PROMPTS = [
    PromptRecord(
        prompt_id=f"p{n:02}", text=f"Question {n}?", gold_answer=str(40 + n),
        category=("QR", "LR", "SI")[n % 3], labels=("multi-step",),
        split="private" if n > 9 else "public",
    )
    for n in range(1, 19)
]  # fmt: skip
PROFILES = ("stem-phd", "stem-undergraduate")


@pytest.fixture(scope="module")
def item_bank(kept: None, now: datetime) -> ItemBank:
    items = tuple(ItemParameter(f"p{n:02}", a=1.0 + n / 20, b=n / 6 - 1) for n in range(1, 19))
    parameters = ItemParameters(items, squeeze_scale=0.998, squeeze_offset=0.001, sigma_hat=2.5)
    return item_bank_import(slug="items", parameters=parameters, now=now)[0]


@pytest.fixture(scope="module")
def study(make_study: Callable[..., Study], item_bank: ItemBank) -> Study:
    return make_study(
        prompts=PROMPTS, slug="pages", judge_kind="checks", top_size=2, item_bank=item_bank, batch_size=18,
        replicates_per_profile=50,
    )  # fmt: skip


@pytest.fixture(scope="module")
def people(
    study: Study, make_person: Callable[..., Participant], work: Callable[..., Session]
) -> list[Participant]:
    """Five on task, each with other prompts right; one comments; one answers next to nothing."""
    people = [make_person(study, profile=PROFILES[n % 2]) for n in range(7)]
    for n, person in enumerate(people[:5]):
        answers = {f"p{j:02}": str(40 + j if (j * (n + 2)) % 5 < 3 else j) for j in range(1, 19)}
        work(person, answers | {f"p{n + 1:02}": ""})
    work(people[5], {f"p{j:02}": "This question is unclear." for j in range(1, 19)})
    work(people[6], {"p01": "41"})
    return people


def decide(study: Study, person: Participant, actor: User, now: datetime) -> None:
    study_screen(study=study, now=now)
    newest = Verdict.objects.filter(participant=person).last()
    verdict_record(
        participant=person, decision=VerdictDecision.CONFIRM, reason="Comments throughout.", actor=actor,
        now=now, seen_verdict_id=newest.pk if newest else None,
    )  # fmt: skip


def measured(results: ResultSet, now: datetime) -> Measurement:
    blocks: dict[str, object] = {}
    found = {}
    everyone, readings = study_cohort(results.run), Readings(results)
    for block in BLOCKS:
        inputs = Inputs(
            facts=StudyFacts(Readings(results), everyone), everyone=everyone, items=readings.items,
            rng=np.random.default_rng(1), resamples=100, progress=lambda done, of: None,
        )  # fmt: skip
        blocks[block], found[Scope.ALL, block] = block_compute(block, inputs)
    measurement = Measurement(
        result_set=results, computed_at=now, seed=1, resamples=100, inputs_sha256="", blocks=blocks
    )
    measurement_store(measurement, found)
    return measurement


@pytest.fixture(scope="module")
def measurement(
    study: Study,
    people: list[Participant],
    score_at: Callable[..., Scoring],
    keep_flagged: Callable[[Study, datetime], None],
    now: datetime,
) -> Measurement:
    """The commenter is excluded after judging, the one with one answer is not."""
    run = score_at(study, clock=lambda: now + timedelta(days=1), measures=False).judges[0].run
    decide(study, people[5], User.objects.create_superuser("first@example.org"), now)
    keep_flagged(study, now)
    return measured(results_compute(run=run, now=now), now)


def row(measurement: Measurement, name: str, group: str = "", subset: str = "") -> MeasureRow:
    return measurement.result_set.measures.get(name=name, group=group, subset=subset)


def page(client: Client, block: Block) -> str:
    return every_part(client, reverse("staff_measurement", kwargs={"slug": "pages", "block": block}))


def test_both_blocks_are_computed(measurement: Measurement) -> None:
    assert {name: ended["state"] for name, ended in measurement.blocks.items()} == {
        "exclusions": "computed",
        "slices": "computed",
    }


def test_the_published_cell_is_the_stored_result(measurement: Measurement) -> None:
    paper = "verdicts;as_missing;by_prompt"
    for group in ("average", "top"):
        stored = estimate(measurement.result_set, group)
        cell = row(measurement, "multiverse", group, paper)
        assert cell.value == pytest.approx(stored.theta)
        assert (cell.details["paper"], cell.people, cell.n) == (True, stored.participants, stored.pairs)
        pooled = row(measurement, "multiverse", group, "verdicts;as_missing;pooled")
        assert pooled.value == pytest.approx(stored.theta_pool)


def test_36_specifications_for_each_group(measurement: Measurement) -> None:
    assert measurement.result_set.measures.filter(name="multiverse", group="average").count() == 36
    assert measurement.result_set.measures.filter(name="multiverse", group="top").count() == 36
    assert measurement.result_set.measures.filter(name="multiverse", details__paper=True).count() == 2


def test_nobody_left_out_is_printed_with_an_interval(measurement: Measurement) -> None:
    itt = row(measurement, "itt.theta.prompt", "average")
    assert itt.value == row(measurement, "multiverse", "average", "nobody;as_missing;by_prompt").value
    assert (itt.people, itt.details["people_not_judged"]) == (7, 0)
    assert itt.low is not None


def test_rules_say_whom_they_leave_out_and_why(measurement: Measurement, people: list[Participant]) -> None:
    flags = row(measurement, "rule.removed", subset="rule:flags")
    assert (flags.value, flags.details["also_by_verdict"]) == (2, 1)
    assert flags.details["by_condition"] == {"off_task": 1, "answered": 1}
    ledger = {
        one.participant: one.details for one in measurement.result_set.measures.filter(name="exclusion.rules")
    }
    assert set(ledger) >= {people[5].code, people[6].code}
    assert {"verdicts", "flags", "off_task"} <= set(ledger[people[5].code]["rules"])
    assert "lowest_scores" not in {rule for one in ledger.values() for rule in one["rules"]}


def test_the_flow_is_that_of_the_stored_results(measurement: Measurement) -> None:
    flow = {
        one.name: one.value
        for one in measurement.result_set.measures.filter(name__startswith="flow.", subset="")
    }
    assert flow == {
        "flow.recruited": 7, "flow.approved": 7, "flow.started": 7, "flow.ended": 7, "flow.retained": 6,
        "flow.with_scores": 6, "flow.top": 2,
    }  # fmt: skip
    assert row(measurement, "flow.ended.leaving", subset="excluded:mostly_off_task").value == 1


def test_one_reviewer_is_no_agreement(measurement: Measurement) -> None:
    kappa = row(measurement, "screening.kappa")
    assert (kappa.value, kappa.reason) == (None, "not_rated_twice")
    assert row(measurement, "screening.rated_twice").value == 0


def test_two_reviewers_of_one_person_are_too_few_for_kappa(
    measurement: Measurement, people: list[Participant], study: Study, now: datetime
) -> None:
    decide(study, people[5], User.objects.create_superuser("second@example.org"), now)
    Verdict.objects.filter(decided_by__email="second@example.org").update(reading=Reading.SECOND)
    again = measured(measurement.result_set, now)
    assert row(again, "screening.rated_twice").value == 0.5
    kappa = row(again, "screening.kappa")
    assert (kappa.value, kappa.reason, kappa.n) == (None, "too_few_pairs", 1)


def test_pages_show_the_numbers_and_the_reasons(measurement: Measurement, staff: Client) -> None:
    shown = page(staff, Block.EXCLUSIONS)
    for text in (
        "Nobody left out", "as published", "not measured: nobody was rated twice",
        "mostly off-task", "Lowest scores (score-based: biased upwards)", "eta squared",
    ):  # fmt: skip
        assert text in shown
    assert not re.search(r"<th[^>]*>\s*</th>", shown)
    shown = page(staff, Block.SLICES)
    for text in (
        "Public less private", "STEM PhD", "LR", "1 label has fewer than 30 questions",
        "groups only. Below 15, how wide their intervals come out is largely chance.",
        "By category, intervals cover the value that repeating the study would average to in so many "
        "simulated studies with question sets of 20: ", "by people 89 to 93 %",
    ):  # fmt: skip
        assert text in shown


@pytest.mark.parametrize("block", [Block.EXCLUSIONS, Block.SLICES])
def test_pages_with_intervals_of_top_say_that_the_choice_is_not_in_them(
    measurement: Measurement, staff: Client, block: Block
) -> None:
    of_top = [row for row in block_measures(measurement, block).rows if row.group == "top"]
    assert any(row.value is not None and row.low is not None for row in of_top) == (
        "Intervals of Top (in-sample) take its people as given" in page(staff, block)
    )


@pytest.mark.parametrize(
    ("block", "figure"),
    [("exclusions", "flow"), ("exclusions", "multiverse"), ("slices", "profile"), ("slices", "cell")],
)
def test_figures_are_drawn_from_stored_rows(
    measurement: Measurement, staff: Client, block: str, figure: str
) -> None:
    address = reverse(
        "staff_measurement_figure",
        kwargs={
            "slug": "pages", "results_id": measurement.result_set_id, "block": block, "figure": figure,
            "extension": "svg",
        },
    )  # fmt: skip
    response = staff.get(address)
    assert response.status_code == 200
    assert b"<svg" in response.content
    assert b"<image" not in response.content  # which is not drawn where the file is opened by itself


def test_excluded_people_who_were_not_judged_leave_bounds_in_place_of_the_number(
    measurement: Measurement, people: list[Participant], staff: Client, now: datetime
) -> None:
    AnswerScore.objects.filter(answer__session__participant=people[5]).delete()
    measurement = measured(results_compute(run=measurement.result_set.run, now=now), now)
    itt = row(measurement, "itt.theta.pool", "average")
    assert (itt.value, itt.reason, itt.details["people_not_judged"]) == (None, "not_judged", 1)
    low, high = (row(measurement, f"itt.theta.pool.bound_{end}", "average").value for end in ("low", "high"))
    assert low is not None
    assert high is not None
    assert low < high
    assert row(measurement, "multiverse", "average", "verdicts;as_missing;pooled").value is not None
    assert row(measurement, "multiverse", "average", "answered;as_missing;pooled").reason == "not_judged"
    assert "were never judged" in page(staff, Block.EXCLUSIONS)


def test_without_item_parameters_slices_refuse_and_the_flow_stands(
    make_study: Callable[..., Study],
    make_person: Callable[..., Participant],
    work: Callable[..., Session],
    score: Callable[..., Scoring],
    now: datetime,
) -> None:
    study = make_study(prompts=PROMPTS[:4], judge_kind="checks", top_size=1)
    for _ in range(2):
        work(make_person(study), {"p01": "41", "p02": "42"})
    measurement = measured(results_compute(run=score(study, measures=False).judges[0].run, now=now), now)
    assert measurement.blocks["slices"]["state"] == "refused"
    assert measurement.blocks["exclusions"]["state"] == "computed"
    assert row(measurement, "flow.ended").value == 2
    assert row(measurement, "multiverse.median", "average").reason == "nothing_scored"


def test_slices_hold_both_errors_and_no_number_of_one_person(measurement: Measurement) -> None:
    first, people = (
        row(measurement, "slices.theta.pool", "average", f"profile:stem-phd{error}")
        for error in ("", ";se.participant")
    )
    assert first.details["error"] == people.details["error"] == "se.participant"  # there is one batch
    assert (first.value, first.se, first.low) == (people.value, people.se, people.low)
    assert people.se is not None
    hidden = measurement.result_set.measures.filter(
        block=Block.SLICES, people__lt=2, name__startswith="theta."
    )
    assert all(one.value is None for one in hidden)
