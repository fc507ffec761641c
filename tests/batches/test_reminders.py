"""Three days before a study closes, those who have not started are reminded, once for each closing time."""

from collections.abc import Callable
from datetime import datetime, timedelta

import pytest
from django.core import mail
from django.core.management import CommandError, call_command

from batches.services.ending import session_withdraw
from batches.services.extending import extra_time_grant
from batches.services.reminders import reminders_queue
from batches.services.starting import session_start
from studies.models import OutgoingMail, Participant, Study, StudyEvent, VettingStatus
from studies.services.amendments import study_amend
from studies.services.events import StudyEventKind, event_record
from studies.services.mails.mails import mails_send
from studies.services.people.consents import consent_record
from studies.services.people.participants import participant_reject
from studies.services.studies import study_close

pytestmark = pytest.mark.django_db
CLOSES_IN = timedelta(days=10)
SITE = "https://study.example.org"


@pytest.fixture
def study(make_study: Callable[..., Study], now: datetime) -> Study:
    return make_study(slug="pilot", time_budget_minutes=300, closes_at=now + CLOSES_IN)


@pytest.fixture
def person(study: Study, make_person: Callable[..., Participant]) -> Participant:
    return make_person(study)


@pytest.fixture
def soon(now: datetime) -> datetime:
    """Three days before the study closes."""
    return now + CLOSES_IN - timedelta(days=3)


def reminded(at: datetime) -> list[str]:
    reminders_queue(now=at, site_url=SITE)
    addresses = sorted(OutgoingMail.objects.values_list("to", flat=True))
    mails_send(clock=lambda: at)
    return addresses


def test_who_has_not_started_is_reminded_once(person: Participant, soon: datetime) -> None:
    assert reminded(soon - timedelta(seconds=1)) == []
    assert reminded(soon) == [person.user.email]
    assert reminded(soon + timedelta(hours=1)) == []
    (one,) = mail.outbox
    assert one.subject == "The study pilot closes soon"
    assert 'You have not started "The study pilot" yet. It closes on 11 May 2030, 09:00 UTC.' in one.body
    assert f"{SITE}/studies/pilot/" in one.body
    assert StudyEvent.objects.get(kind="reminder_mailed").participant == person


def test_another_closing_time_has_a_reminder_of_its_own(
    study: Study, person: Participant, soon: datetime
) -> None:
    assert reminded(soon) == [person.user.email]
    assert study.closes_at is not None
    later = study.closes_at + timedelta(days=7)
    study_amend(study=study, changes={"closes_at": later.isoformat()}, reason="More time", now=soon)
    assert reminded(soon + timedelta(days=1)) == []
    assert reminded(soon + timedelta(days=7)) == [person.user.email]


def test_who_was_invited_and_has_not_sent_the_profile_is_reminded_too(
    person: Participant, soon: datetime
) -> None:
    Participant.objects.update(vetting_status=VettingStatus.INVITED)
    assert reminded(soon) == [person.user.email]


def test_who_waits_for_a_decision_and_has_to_agree_again_is_reminded(
    person: Participant, soon: datetime
) -> None:
    Participant.objects.update(vetting_status=VettingStatus.SUBMITTED)
    changes: dict[str, object] = {"consent_text": "Another text."}
    study_amend(study=person.study, changes=changes, reason="Ethics board", now=soon - timedelta(days=2))
    assert reminded(soon) == [person.user.email]


def started(person: Participant, at: datetime) -> None:
    session_start(participant=person, now=at)


def rejected(person: Participant, at: datetime) -> None:
    Participant.objects.update(vetting_status=VettingStatus.REJECTED, vetting_reason="No degree")


def waiting(person: Participant, at: datetime) -> None:
    Participant.objects.update(vetting_status=VettingStatus.SUBMITTED)


def declined(person: Participant, at: datetime) -> None:
    person.consents.update(accepted=False)


def withdrawn(person: Participant, at: datetime) -> None:
    event_record(study=person.study, kind=StudyEventKind.WITHDREW, now=at, participant=person)


def closed(person: Participant, at: datetime) -> None:
    study_close(study=person.study, now=at)


def simulated(person: Participant, at: datetime) -> None:
    Study.objects.update(is_simulated=True)


@pytest.mark.parametrize("happened", [started, rejected, waiting, declined, withdrawn, closed, simulated])
def test_nobody_is_reminded_for_whom_there_is_nothing_to_do(
    person: Participant, soon: datetime, happened: Callable[[Participant, datetime], None]
) -> None:
    happened(person, soon - timedelta(days=2))
    assert reminded(soon) == []
    assert not StudyEvent.objects.filter(kind="reminder_mailed").exists()


def test_who_was_approved_just_now_is_reminded_a_day_later(
    study: Study, make_person: Callable[..., Participant], soon: datetime
) -> None:
    person = make_person(study)
    StudyEvent.objects.filter(participant=person, kind="participant_approved").update(happened_at=soon)
    assert reminded(soon + timedelta(hours=23)) == []
    assert reminded(soon + timedelta(hours=24)) == [person.user.email]


def test_the_minutes_are_those_the_person_has(person: Participant, soon: datetime) -> None:
    extra_time_grant(participant=person, minutes=60, reason="Reads slowly", now=soon)
    reminded(soon)
    assert "You need 360 minutes without interruption" in mail.outbox[0].body


@pytest.mark.parametrize(("before", "sent"), [(timedelta(seconds=1), 1), (timedelta(0), 0)])
def test_a_reminder_is_of_no_use_once_the_study_is_closed(
    study: Study, person: Participant, before: timedelta, sent: int
) -> None:
    closes_at = study.closes_at
    assert closes_at is not None
    reminders_queue(now=closes_at - timedelta(hours=1), site_url=SITE)
    assert mails_send(clock=lambda: closes_at - before) == sent


def withdrew(person: Participant, at: datetime) -> None:
    session_withdraw(participant=person, now=at)


def decided(person: Participant, at: datetime) -> None:
    participant_reject(participant=person, reason="No degree", now=at)


def said_no(person: Participant, at: datetime) -> None:
    person.consents.all().delete()
    consent_record(participant=person, accepted=False, now=at)


def moved(person: Participant, at: datetime) -> None:
    later = (at + timedelta(days=20)).isoformat()
    study_amend(study=person.study, changes={"closes_at": later}, reason="More time", now=at)


@pytest.mark.parametrize("happened", [closed, withdrew, decided, started, said_no, moved])
def test_a_reminder_still_queued_is_not_sent_when_it_does_not_hold_any_more(
    person: Participant, soon: datetime, happened: Callable[[Participant, datetime], None]
) -> None:
    assert reminders_queue(now=soon, site_url=SITE) == 1
    happened(person, soon)
    assert mails_send(clock=lambda: soon) == 0


def test_the_command_reminds_nobody_while_the_clock_is_in_doubt(
    person: Participant, soon: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    commands = "batches.management.commands.remind_participants"
    monkeypatch.setattr(f"{commands}.server_now", lambda: soon)
    monkeypatch.setattr(f"{commands}.clocks_agree", lambda: False)
    with pytest.raises(CommandError, match="nobody was reminded"):
        call_command("remind_participants")
    assert not OutgoingMail.objects.exists()
