"""Amending a locked study: whom a change holds for, what is said once there are results, the one way on."""

import csv
import json
from collections.abc import Callable
from datetime import datetime, timedelta
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from batches.models import Session
from console.forms.steps import STEP_FORMS
from reporting.management.result_lines import result_lines
from scoring.coordinator import Scoring
from scoring.models import ResultSet
from studies.models import Participant, Study, StudyEvent
from studies.protocol.describing import SETTINGS, Holds
from studies.protocol.settings import ProtocolSettings
from studies.roles import Role
from studies.services.amendments import FIXED, study_amend
from studies.services.staff.roles import role_give
from studies.services.staff.staff import staff_add
from tests.support.read_pages import read

pytestmark = pytest.mark.django_db
LATE = (
    "The protocol was amended after results had been computed, so that they may have been seen: amendment 1."
)


@pytest.fixture
def study(
    make_study: Callable[..., Study], make_person: Callable[..., Participant], work: Callable[..., Session]
) -> Study:
    study = make_study(slug="locked", judge_kind="checks", top_size=1, replicates_per_profile=3)
    for answers in ({"p001": "1", "p002": "2"}, {"p001": "1"}):
        work(make_person(study), answers)
    return study


@pytest.fixture
def results(
    study: Study,
    score_at: Callable[..., Scoring],
    keep_flagged: Callable[[Study, datetime], None],
    now: datetime,
) -> ResultSet:
    keep_flagged(study, now + timedelta(hours=9))
    found: ResultSet = score_at(study, clock=lambda: now + timedelta(hours=9)).judges[0].results
    return found


def written(study: Study, page: str, **changes: object) -> dict[str, object]:
    """What the page's form would send, with these changes."""
    form = STEP_FORMS[page](study)
    values = {name: form.get_initial_for_field(field, name) for name, field in form.fields.items()}
    kept = {name: value for name, value in values.items() if value not in (None, False)}
    return {**kept, **changes, "seen": study.protocol_hash}


def shown(staff: Client, study: Study, page: str, **changes: object) -> str:
    """The difference before the amendment is made."""
    address = reverse("staff_amend_step", args=["locked", page])
    return read(staff.post(address, written(study, page, **changes) | {"again": "yes"}).content.decode())


def text(staff: Client, name: str, *more: str) -> str:
    return read(staff.get(reverse(name, args=["locked", *more])).content.decode())


def test_every_setting_says_whom_an_amendment_holds_for() -> None:
    assert SETTINGS.keys() == ProtocolSettings.model_fields.keys()
    assert {name for name, one in SETTINGS.items() if one.holds == Holds.NOBODY} == {*FIXED}
    # What a session keeps from its start on is what a running session has columns for.
    kept = {name for name, one in SETTINGS.items() if one.holds == Holds.NOT_STARTED}
    columns = {field.name for field in Session._meta.get_fields()}
    stored = {"late_tolerance_seconds", "overdue_rule", "answer_max_characters"}
    assert stored <= columns
    assert stored <= kept
    assert not {"top_size", "judge_kind", "headline_scope", "contact", "instructions"} & kept


@pytest.mark.parametrize(
    ("page", "changes", "holds"),
    [
        ("time", {"time_budget_minutes": 60}, Holds.NOT_STARTED),
        ("reporting", {"top_size": 2}, Holds.RESULTS),
        ("reporting", {"headline_scope": "public"}, Holds.SHOWN),
        ("receipt", {"contact": "Write to us."}, Holds.EVERYBODY),
        ("people", {"invitation_days": 3}, Holds.INVITED),
        ("people", {"deletion_days": 3}, Holds.WITHDRAWN),
        ("consent", {"consent_text": "Another text."}, Holds.CONSENT),
    ],
)
def test_the_difference_says_whom_the_amendment_holds_for(
    study: Study, staff: Client, page: str, changes: dict[str, object], holds: Holds
) -> None:
    data = written(study, page, **changes)
    form = STEP_FORMS[page](study)
    for rows in form.rows.values():
        management = rows.management_form
        data |= {management.add_prefix(name): management[name].value() for name in management.fields}
        for entry in rows.forms:
            data |= {
                entry.add_prefix(name): value
                for name in entry.fields
                if (value := entry[name].value()) not in (None, False, [])
            }
    address = reverse("staff_amend_step", args=["locked", page])
    content = read(staff.post(address, data | {"again": "yes"}).content.decode())
    assert "This will change" in content
    told = {one for one in Holds if str(one) in content}
    assert told == {holds}
    assert "may have been seen" not in content


def test_after_results_the_page_asks_for_them_in_the_reason_and_everything_is_marked(
    study: Study, results: ResultSet, staff: Client, tmp_path: Path
) -> None:
    content = shown(staff, study, "reporting", top_size=2)
    assert "Results of this study have been computed since" in content
    assert "Reason, and what was known of the results" in content
    assert "Results that are stored stay those of the protocol of then" in content
    study_amend(study=study, changes={"top_size": 2}, reason="Few came.", now=results.computed_at)
    event = StudyEvent.objects.get(kind="study_amended")
    assert event.details["after_results"] is True
    assert "Made after results were computed" in text(staff, "staff_amend")
    assert LATE in text(staff, "staff_results")
    assert LATE in text(staff, "staff_report")
    assert LATE in text(staff, "staff_report_file", "html")
    assert LATE in result_lines(results)
    protocol = json.loads(staff.get(reverse("staff_history_protocol", args=["locked", "json"])).text)
    assert [one["after_results"] for one in protocol["amendments"]] == [True]
    assert "Results had been computed before" in text(staff, "staff_history_protocol", "md")
    file = staff.get(reverse("staff_amend", args=["locked"]), {"format": "csv"})
    [row] = csv.DictReader(StringIO(file.getvalue().decode("utf-8-sig")))
    assert row["after_results"] == "true"
    call_command("export_study", "locked", tmp_path / "out", stdout=StringIO())
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
    assert [one["after_results"] for one in manifest["study"]["amendments"]] == [True]
    assert LATE in manifest["runs"][0]["notes"]


def test_an_amendment_before_there_are_results_is_not_marked(
    study: Study,
    staff: Client,
    score_at: Callable[..., Scoring],
    keep_flagged: Callable[[Study, datetime], None],
    now: datetime,
) -> None:
    study_amend(study=study, changes={"top_size": 2}, reason="Few came.", now=now)
    keep_flagged(study, now + timedelta(hours=9))
    assert "after_results" not in StudyEvent.objects.get(kind="study_amended").details
    study.refresh_from_db()
    later = score_at(study, clock=lambda: now + timedelta(hours=9)).judges[0].results
    assert "may have been seen" not in text(staff, "staff_results")
    assert not [line for line in result_lines(later) if "may have been seen" in line]


def test_afterwards_one_button_leads_on_from_every_page(
    study: Study, results: ResultSet, staff: Client, now: datetime
) -> None:
    study_amend(study=study, changes={"top_size": 2}, reason="Few came.", now=results.computed_at)
    Study.objects.update(status="closed")  # nobody is invited first
    for name, more in (("staff_results", ()), ("staff_measurement", ("top",))):
        content = text(staff, name, *more)
        assert "Judge again" in content, name
        assert "press Judge again" in content, name
        assert "Recompute" not in content, name
    judging = text(staff, "staff_judging")
    assert "Judge again The protocol was amended after the answers were judged." in judging
    assert "judged before the protocol was amended" in judging
    assert "answers scored" not in judging
    page = staff.get(reverse("staff_judging", args=["locked"])).content.decode()
    assert reverse("staff_results_recompute", args=["locked"]) not in page
    assert "Judge again" in text(staff, "staff_study")


def test_who_may_not_judge_is_not_told_to_press_what_they_do_not_have(
    study: Study, results: ResultSet, now: datetime
) -> None:
    user, _is_new = staff_add(email="analyst@example.org")
    role_give(study=study, user=user, role=Role.ANALYST, now=now)
    study_amend(study=study, changes={"top_size": 2}, reason="Few came.", now=results.computed_at)
    analyst = Client()
    analyst.force_login(user)
    for name, more in (("staff_results", ()), ("staff_measurement", ("top",))):
        content = text(analyst, name, *more)
        assert "They stay as they are until a lead brings them up to date." in content, name
        assert "press Judge again" not in content, name


def test_moving_the_closing_time_leaves_the_hash_of_a_design_that_knew_fewer_settings(
    study: Study, now: datetime
) -> None:
    fewer = {name: value for name, value in study.settings.items() if name != "deletion_days"}
    Study.objects.update(settings=fewer, design_hash="d" * 64)  # as a release of before made it
    closes = {"closes_at": (now + timedelta(days=90)).isoformat()}
    amendment = study_amend(study=study, changes=closes, reason="Later.", now=now)
    study.refresh_from_db()
    assert study.design_hash == "d" * 64
    assert list(amendment.changes) == ["closes_at"]
