"""Entry links for recruiting platforms, as the study team sets them up."""

import csv
import io
from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from batches.services.entering import person_enter
from batches.services.payments import payment_rows
from console.selectors.people import PeopleFilter
from console.services.people_file import people_file
from studies.models import Participant, RecruitingLink, Study, StudyEvent, User
from studies.services.people.participants import participant_approve
from studies.services.people.recruiting_links import LinkSettings, PlatformIds, link_open, link_save
from tests.access.forms_shown import forms_of

pytestmark = pytest.mark.django_db
PAGE = "/staff/studies/pilot/recruiting/"
CHANGE = f"{PAGE}change/"
FIELDS = {
    "profile": "stem-phd", "participant_parameter": "PROLIFIC_PID", "study_parameter": "STUDY_ID",
    "session_parameter": "", "completed": "C1XY", "turned_down": "https://platform.example/out?cc=C2",
}  # fmt: skip


def test_a_lead_opens_the_link_of_a_profile_and_closes_it(staff: Client, study: Study) -> None:
    assert b"There is no link yet" in staff.get(PAGE).content
    staff.post(CHANGE, FIELDS)
    link = RecruitingLink.objects.get()
    assert link.opened_at is None, "closed until somebody opens it"
    opened = staff.post(CHANGE, FIELDS | {"open": ""}, follow=True).content.decode()
    assert reverse("entry", args=[link.token]) in opened
    assert "?PROLIFIC_PID=…&amp;STUDY_ID=…" in opened
    staff.post(CHANGE, {"profile": "stem-phd", "close": ""})
    link.refresh_from_db()
    assert link.opened_at is None
    kinds = StudyEvent.objects.filter(kind__startswith="recruiting_link").values_list("kind", flat=True)
    assert [kind.rpartition("_")[2] for kind in kinds] == ["changed", "opened", "closed"]
    assert not RecruitingLink.objects.exclude(profile="stem-phd").exists()
    assert staff.post(CHANGE, {"profile": "writer", "close": ""}).status_code == 404


def test_a_profile_that_is_not_there_never_changes_another_ones_link(staff: Client, study: Study) -> None:
    assert staff.post(CHANGE, FIELDS | {"profile": "renamed", "open": ""}).status_code == 404
    assert not RecruitingLink.objects.exists()


@pytest.mark.parametrize(
    ("field", "text", "sentence"),
    [
        ("participant_parameter", "", "Write the name of the parameter"),
        ("participant_parameter", "a b", "Use letters, digits"),
        ("participant_parameter", "‮PID", "Use letters, digits"),
        ("study_parameter", "PROLIFIC_PID", "Two ids have the same parameter"),
        ("completed", "javascript://x", "Write the whole address"),
        ("completed", "http://platform.example/", "Write the whole address"),
        ("completed", "https://[platform", "Write the whole address"),
        ("completed", "a\u202eb", "Write a code without spaces"),
        ("turned_down", "x" * 501, "501 characters long and at most 500"),
    ],
)
def test_bad_settings_are_told_and_stay_in_the_form(
    field: str, text: str, sentence: str, staff: Client, study: Study
) -> None:
    reply = staff.post(CHANGE, FIELDS | {field: text})
    shown = reply.content.decode()
    assert reply.status_code == 422
    assert shown.count(sentence) == 1
    assert 'value="https://platform.example/out?cc=C2"' in shown or field == "turned_down"
    assert not RecruitingLink.objects.exists()


def test_the_second_of_two_who_change_a_link_is_told_and_overwrites_nothing(
    staff: Client, study: Study
) -> None:
    def opened(page: str) -> dict[str, Any]:
        return next(form.values for form in forms_of(page, PAGE) if "completed" in form.kinds) | {"open": []}

    first, second = (opened(staff.get(PAGE).content.decode()) for _tab in range(2))
    staff.post(CHANGE, first | {"completed": "CODE-A"})
    told = staff.post(CHANGE, second | {"completed": "CODE-B", "open": ""})
    page = told.content.decode()
    assert told.status_code == 409
    assert page.count("Somebody changed this link after you opened the page.") == 1
    assert 'value="CODE-B"' in page, "what was typed stays"
    assert ">CODE-A<" in page, "beside what is stored"
    assert f'href="{PAGE}?profile=stem-phd">Take what is saved' in page
    link = RecruitingLink.objects.get()
    assert (link.completed, link.opened_at) == ("CODE-A", None)
    wrong = staff.post(CHANGE, second | {"completed": "a b"}).content.decode()
    assert staff.post(CHANGE, opened(wrong) | {"completed": "CODE-B"}).status_code == 409
    assert staff.post(CHANGE, opened(page)).status_code == 302
    assert RecruitingLink.objects.get().completed == "CODE-B"


def test_a_draft_opens_no_link(study: Study, staff: Client) -> None:
    Study.objects.filter(pk=study.pk).update(status="draft")
    reply = staff.post(CHANGE, FIELDS | {"open": ""}, follow=True)
    assert b"Only a locked study recruits people" in reply.content
    assert RecruitingLink.objects.get().opened_at is None


def test_the_ids_are_in_the_list_and_its_files_for_paying(
    study: Study, applicant: Callable[..., Participant], lead: User, staff: Client, now: datetime
) -> None:
    ada, bob = applicant("ada"), applicant("bob")
    settings = LinkSettings("PID", "STUDY", "SESSION")
    link = link_save(study=study, profile="stem-phd", settings=settings, actor=lead, now=now)
    link = link_open(link=link, actor=lead, now=now)
    person_enter(link=link, ids=PlatformIds("5f0c", "s-1", "t-1"), user=ada.user, now=now)
    shown = staff.get("/staff/studies/pilot/participants/", {"q": "5f0c"}).content.decode()
    assert ada.code in shown
    assert "5f0c</span>" in shown
    assert bob.code not in shown
    text = io.StringIO()
    csv.writer(text).writerows(people_file(study=study, wanted=PeopleFilter(), now=now))
    rows = {row["code"]: row for row in csv.DictReader(io.StringIO(text.getvalue()))}
    assert [rows[ada.code][f"platform_{name}"] for name in ("participant", "study", "session")] == [
        "5f0c", "s-1", "t-1",
    ]  # fmt: skip
    assert rows[bob.code]["platform_participant"] == ""
    participant_approve(participant=ada, now=now)
    assert next(payment_rows(study, now))[-3:] == ("5f0c", "s-1", "t-1")
