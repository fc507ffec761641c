"""The decision on a person is mailed to them, and can be looked at before."""

from collections.abc import Callable
from datetime import datetime
from html import unescape

import pytest
from django.core import mail
from django.core.mail import EmailMessage
from django.core.management import call_command
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from studies.models import OutgoingMail, Participant, Study, StudyEvent, User, VettingStatus
from batches.services.ending import session_withdraw
from batches.services.extending import extra_time_grant
from batches.services.starting import session_start
from studies.services.mails import mails_send
from studies.services.participants import VettingRefused, participant_add, participant_approve
from studies.services.studies import study_close
from studies.services.vetting import participants_vet
from studies.services.vetting_mails import decision_mail

pytestmark = pytest.mark.django_db
PAGE = "https://study.example.org/studies/pilot/"


@pytest.fixture
def person(make_study: Callable[..., Study], now: datetime, settings: Settings) -> Participant:
    settings.SITE_URL = "https://study.example.org"
    study = make_study(slug="pilot", time_budget_minutes=300)
    return participant_add(study=study, email="person@example.org", profile="stem-phd", now=now)


@pytest.fixture
def staff() -> Client:
    client = Client()
    client.force_login(User.objects.create_user("lead@example.org", is_staff=True))
    return client


def decision(staff: Client, person: Participant, **form: str) -> str:
    return staff.post(f"/staff/studies/pilot/participants/{person.code}/decision/", form, follow=True).text


def mailed() -> list[EmailMessage]:
    mails_send(clock=timezone.now)
    return list(mail.outbox)


def test_an_approval_is_mailed_with_the_next_step(staff: Client, person: Participant) -> None:
    decision(staff, person, decision="approve")
    (one,) = mailed()
    assert (one.to, one.subject) == (["person@example.org"], "The study pilot: you may take part")
    assert "open the page of the study and follow its steps. Your 300 minutes begin only when you" in one.body
    assert PAGE in one.body


def test_a_rejection_is_mailed_with_its_reason_as_it_was_written(staff: Client, person: Participant) -> None:
    decision(staff, person, decision="reject", reason="No <b>degree</b> & no course.")
    (one,) = mailed()
    assert one.subject == "The study pilot: you cannot take part"
    assert "No <b>degree</b> & no course." in one.body
    assert PAGE in one.body


@pytest.mark.parametrize(
    ("form", "said"),
    [
        ({"decision": "approve"}, "Your 300 minutes begin only when you"),
        ({"decision": "reject", "reason": "No degree in a science."}, "No degree in a science."),
    ],
)
def test_what_is_previewed_is_what_is_mailed_and_previewing_decides_nothing(
    staff: Client, person: Participant, form: dict[str, str], said: str
) -> None:
    page = unescape(decision(staff, person, **form, preview="yes"))
    assert f"This will be mailed to {person.code}" in " ".join(page.split())
    assert "To: person@example.org" in page
    person.refresh_from_db()
    assert person.vetting_status == VettingStatus.SUBMITTED
    assert not OutgoingMail.objects.exists()
    decision(staff, person, **form)
    (one,) = mailed()
    assert said in str(one.body)
    assert str(one.body).strip() in page
    assert str(one.subject) in page


def test_a_preview_without_a_reason_says_what_is_missing(staff: Client, person: Participant) -> None:
    assert "A rejection needs a reason" in decision(staff, person, decision="reject", preview="yes")


def test_a_changed_decision_is_mailed_again_and_the_same_one_is_not(
    staff: Client, person: Participant
) -> None:
    for form in ({"decision": "approve"}, {"decision": "approve"}, {"decision": "reject", "reason": "Left."}):
        decision(staff, person, **form)
        mailed()
    assert [one.subject.partition(": ")[2] for one in mailed()] == [
        "you may take part",
        "you cannot take part",
    ]


def test_an_approval_for_a_closed_study_promises_no_start(
    staff: Client, person: Participant, now: datetime
) -> None:
    study_close(study=person.study, now=now)
    decision(staff, person, decision="approve")
    (one,) = mailed()
    assert "The study is closed at the moment" in one.body
    assert "minutes begin" not in one.body


def test_the_command_mails_as_the_page_does(person: Participant, settings: Settings) -> None:
    settings.SITE_URL = None
    call_command("vet_participants", "pilot", "reject", "--waiting", "--reason", "The study is full.")
    (one,) = mailed()
    assert "The study is full." in one.body
    assert "Sign in on the study's site and open the study there." in one.body


def test_simulated_people_are_mailed_nothing(staff: Client, person: Participant) -> None:
    Study.objects.update(is_simulated=True)
    decision(staff, person, decision="approve")
    assert not OutgoingMail.objects.exists()
    assert StudyEvent.objects.get(kind="participant_approved").details["mail"] is None
