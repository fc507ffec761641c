"""What a report claims from the records: the checklist's automatic answers and the methods paragraph."""

from collections.abc import Callable
from datetime import datetime, timedelta

import pytest
from django.test import Client
from django.urls import reverse

from batches.models import Session
from presentation.exclusions import FLAG_NAMES
from psychometrics.inference.measure import Block
from reporting.selectors.report_records import study_records
from reporting.views.report.checklist_records import checklist_parts, recorded
from reporting.views.report.methods import methods_texts
from scoring.models import Measurement, MeasureRow, ModelConfiguration, ResultSet
from scoring.services.measurement import measurement_compute
from screening.models import Verdict
from screening.offtask.facts import ParticipantReason, ReasonCode
from screening.services.screening import study_screen
from studies.models import Participant, Study, User
from studies.services.amendments import study_amend
from studies.services.people.participants import participant_reject

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def kept_results(
    kept: None, study_of_pages: Callable[..., Study], measured_results: Callable[[Study], ResultSet]
) -> ResultSet:
    return measured_results(study_of_pages())


@pytest.fixture
def results(kept_results: ResultSet, db: None) -> ResultSet:
    return ResultSet.objects.get(pk=kept_results.pk)


@pytest.fixture
def study(results: ResultSet) -> Study:
    """Scored and measured."""
    return results.run.study


@pytest.fixture
def fresh(study_of_pages: Callable[..., Study], db: None) -> Study:
    """Nobody has started."""
    return study_of_pages("fresh")


def record(study: Study, item: str) -> str:
    """What the records say to an item; "" where they leave it to the lead."""
    return recorded(study_records(study)).get(item, "")


def test_before_anybody_started_no_zero_counts_as_an_answer(fresh: Study) -> None:
    silent = ("1.1", "1.2", "1.4", "1.7", "2.3", "2.3.2", "2.6", "2.6.1", "3.1", "3.1.1", "3.2", "3.2.1",
              "3.2.2", "3.6", "4.1", "4.2", "4.3", "4.6", "5.1.1", "5.1.3", "5.1.5", "5.2.1")  # fmt: skip
    assert {item: said for item in silent if (said := record(fresh, item))} == {}


def test_screening_is_claimed_only_where_it_left_a_trace(
    fresh: Study,
    make_person: Callable[..., Participant],
    work: Callable[..., Session],
    now: datetime,
    lead: User,
) -> None:
    person = make_person(fresh)
    work(person, {"p1": "41"}, end="expired")
    assert [record(fresh, item) for item in ("3.2", "3.2.1", "3.2.2")] == ["", "", ""]
    study_screen(study=fresh, now=now + timedelta(days=1))
    assert "no reviewer has decided" in record(fresh, "3.2")
    said = record(fresh, "3.2.1")
    assert said == "Flags on people by rule: few answers (1). Flags on answers by rule: no answer (3)."
    assert "not decided about: 1" in record(fresh, "3.2.2")
    told = " ".join(methods_texts(study_records(fresh), None))
    assert "1 counted person is flagged" in told
    assert "Nobody was left out" in told
    Verdict.objects.create(
        participant=person, rules_version="1", decision="confirm", reason="Off task.", decided_by=lead,
        decided_at=now + timedelta(days=2),
    )  # fmt: skip
    assert "who decided about 1 person" in record(fresh, "3.2")
    told = " ".join(methods_texts(study_records(fresh), None))
    assert "Not counted as off-task by a reviewer: 1; counted: 0." in told
    assert "flagged" not in told


def test_every_flag_has_words() -> None:
    assert {*ReasonCode, *ParticipantReason} <= set(FLAG_NAMES)


def test_what_happens_beside_the_records_is_left_to_the_lead(study: Study, results: ResultSet) -> None:
    """Practice on this site is no proof of training; a column of codes does not say what is published."""
    states = {
        entry.number: entry.state
        for section in checklist_parts(study_records(study), {})
        for entry in section.entries
    }
    assert {states[item] for item in ("2.6", "2.6.1", "3.6", "4.5", "5.2", "5.2.1", "5.4")} == {"missing"}
    assert record(study, "2.6.1") == "Practice questions that people could try: 2."
    assert record(study, "5.1.1") == "Counted people by profile: STEM PhD (2)."


def test_approval_while_being_added_is_no_vetting(
    fresh: Study, make_person: Callable[..., Participant], now: datetime
) -> None:
    person = make_person(fresh)  # approved in the same step
    make_person(fresh)
    assert (record(fresh, "2.3"), record(fresh, "2.3.2")) == ("", "")
    participant_reject(participant=person, reason="Knows the prompts.", now=now + timedelta(hours=1))
    assert "Decided about by the study team: 1 person" in record(fresh, "2.3")
    assert record(fresh, "2.3.2") == "Rejected and never started: 1 of 2 people in the study."


def test_published_thetas_alone_are_no_comparison_with_models(
    staff: Client, study: Study, results: ResultSet, now: datetime
) -> None:
    assert study.item_bank is not None
    ModelConfiguration.objects.create(
        item_bank=study.item_bank, name="m", source="table", published_theta=1.0, published_se=0.1,
        sha256="0" * 64, imported_at=now,
    )  # fmt: skip
    Measurement.objects.filter(result_set=results).delete()
    measurement_compute(results=results, now=now + timedelta(days=1), resamples=50)
    assert study_records(study).computed(Block.MODELS)
    assert staff.get(reverse("staff_measurement", args=[study.slug, "models"])).status_code == 200
    assert [record(study, item) for item in ("4.1", "4.1.1", "4.2", "4.3")] == [""] * 4
    assert "Models were scored" not in " ".join(methods_texts(study_records(study), None))
    MeasureRow.objects.create(
        results=results, block="models", name="difference.pool",
        group="average", subset="model:n", value=0.5, details={"verdict": "above"},
    )  # fmt: skip
    assert all(record(study, item) for item in ("4.1", "4.1.1", "4.3"))


def test_exclusion_rules_are_answered_by_the_range_of_average(study: Study, results: ResultSet) -> None:
    said = record(study, "4.6")
    low = results.measures.get(name="multiverse.low", group="average", subset="not_score_based")
    assert low.value is not None
    assert f"Average ranges from ability = {low.value:.2f} to" in said.replace("−", "-")


def test_true_times_amendments_and_the_first_hash_are_told(
    study: Study, results: ResultSet, now: datetime
) -> None:
    first = study.protocol_hash
    study_amend(study=study, changes={"time_budget_minutes": 60}, reason="Shorter.", now=now)
    study.refresh_from_db()
    Session.objects.filter(participant=Participant.objects.first()).update(
        extended_seconds=600, deadline_at=now + timedelta(minutes=310)
    )
    told = " ".join(methods_texts(study_records(study), None))
    assert f"fingerprint then {first[:12]}" in told
    assert f"fingerprint now {study.protocol_hash[:12]}" in told
    assert "at the start, 300 minutes in all. 1 person was given extra time" in told
    assert "nested in question sets: each is in one question set only" in told
    assert "by the checks that the bank gives with each question" in told
    assert "Average: ability (theta.pool) = " in told
    assert "as published, ability by question means (theta.prompt) = " in told
    assert "1 people" not in told
    assert record(study, "1.4") == "Questions per person: 4; one question set per person."
    assert record(study, "3.1").startswith("Questions in one session: 4; minutes it lasts at most: 300.")
    assert "Recorded amendments: 1; none changed the order" in record(study, "3.1.1")
    study_amend(study=study, changes={"prompt_order": "random"}, reason="Order.", now=now)
    study.refresh_from_db()
    assert record(study, "3.1.1").startswith("An amendment changed the order")
