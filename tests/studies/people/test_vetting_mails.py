"""The decision on a person is mailed to them, and can be looked at before."""

import sys
from collections.abc import Callable
from datetime import datetime, timedelta
from html import unescape

import pytest
from django.core import mail
from django.core.mail import EmailMessage
from django.core.mail.backends.locmem import EmailBackend
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from batches.services.ending import session_withdraw
from studies.models import OutgoingMail, Participant, Study, StudyEvent, User, VettingStatus
from studies.services.mails.mails import mails_send
from studies.services.people.participants import participant_add, participant_reject

pytestmark = pytest.mark.django_db
PAGE = "https://study.example.org/studies/pilot/"
SMTP = "django.core.mail.backends.smtp.EmailBackend"


@pytest.fixture
def person(make_study: Callable[..., Study], now: datetime, settings: Settings) -> Participant:
    settings.SITE_URL = "https://study.example.org"
    study = make_study(slug="pilot", time_budget_minutes=300)
    return participant_add(study=study, email="person@example.org", profile="stem-phd", now=now)


@pytest.fixture
def staff() -> Client:
    client = Client()
    client.force_login(User.objects.create_superuser("lead@example.org"))
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


def test_an_approval_after_the_closing_time_promises_no_start(staff: Client, person: Participant) -> None:
    Study.objects.update(closes_at=timezone.now() - timedelta(minutes=1))
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


# --- what does not hold any more ------------------------------------------------------------------------


def fail_to_send(settings: Settings) -> None:
    """The mail server does not answer, once; what is queued is due again later."""
    working = settings.EMAIL_BACKEND
    settings.EMAIL_BACKEND, settings.EMAIL_HOST, settings.EMAIL_PORT = SMTP, "127.0.0.1", 1
    mails_send(clock=timezone.now)
    settings.EMAIL_BACKEND = working
    assert OutgoingMail.objects.get().attempts == 1


def mailed_later() -> list[str]:
    mails_send(clock=lambda: timezone.now() + timedelta(minutes=5))
    return [str(one.subject) for one in mail.outbox]


def test_an_approval_that_waits_for_the_mail_server_gives_way_to_the_rejection(
    staff: Client, person: Participant, settings: Settings
) -> None:
    decision(staff, person, decision="approve")
    fail_to_send(settings)
    decision(staff, person, decision="reject", reason="The wrong person.")
    assert mailed_later() == ["The study pilot: you cannot take part"]


class RejectingBackend(EmailBackend):
    """While the first mail is on its way, the study team decides otherwise; then the mail fails."""

    def send_messages(self, messages: list[EmailMessage]) -> int:  # type: ignore[override]
        person = Participant.objects.get()
        if not person.approved:
            return int(super().send_messages(messages))
        participant_reject(participant=person, reason="No.", now=timezone.now(), site_url="")
        raise ConnectionResetError


def test_a_mail_that_fails_after_the_decision_was_changed_is_not_tried_again(
    staff: Client, person: Participant, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.EMAIL_BACKEND = f"{__name__}.RejectingBackend"
    monkeypatch.setitem(sys.modules, __name__, sys.modules[RejectingBackend.__module__])
    decision(staff, person, decision="approve")
    mailed()
    assert mailed_later() == ["The study pilot: you cannot take part"]


def test_a_withdrawal_takes_back_the_mail_of_the_decision_and_no_other(
    staff: Client, person: Participant, now: datetime, settings: Settings
) -> None:
    decision(staff, person, decision="approve")
    fail_to_send(settings)
    Client().post("/accounts/login/", {"email": person.user.email})
    session_withdraw(participant=person, now=now)
    assert mailed_later() == ["Your sign-in code"]


def test_on_those_who_withdrew_nothing_is_decided(staff: Client, person: Participant, now: datetime) -> None:
    session_withdraw(participant=person, now=now)
    page = staff.get("/staff/studies/pilot/participants/").text
    assert "Withdrawn" in page
    assert "Applications 0" in " ".join(page.split())
    assert f"Approve {person.code}" not in page
    assert "1 application" not in " ".join(staff.get("/staff/").text.split())
    refused = f"{person.code} withdrew from the study; there is nothing to decide any more."
    assert refused in decision(staff, person, decision="approve")
    call_command("vet_participants", "pilot", "approve", "--waiting")
    with pytest.raises(CommandError, match=refused):
        call_command("vet_participants", "pilot", "reject", "--people", person.code, "--reason", "Left.")
    assert mailed() == []


# --- what is written ------------------------------------------------------------------------------------

UNSEEN = "\u200b \u3164"


def test_a_reason_that_nobody_could_see_is_none(staff: Client, person: Participant) -> None:
    missing = "A rejection needs a reason; write why this person may not take part."
    assert missing in decision(staff, person, decision="reject", reason=UNSEEN)
    with pytest.raises(CommandError, match=missing):
        call_command("vet_participants", "pilot", "reject", "--waiting", "--reason", UNSEEN)
    assert mailed() == []


def test_mails_are_in_the_sites_language_whatever_the_browser_of_the_study_team(
    staff: Client, person: Participant
) -> None:
    staff.cookies["django_language"] = "de"
    page = decision(staff, person, decision="approve", preview="yes")
    assert '<html lang="de">' in page
    assert '<span lang="en">The study team has approved you' in page
    decision(staff, person, decision="approve")
    invited = {"email": "ada@example.org", "profile": "stem-phd"}
    staff.post("/staff/studies/pilot/invitations/", invited)
    assert sorted(one.subject for one in mailed()) == [
        "Invitation: The study pilot",
        "The study pilot: you may take part",
    ]
