"""Who may take part, who gets a place, and two members of the team at once."""

import re
from collections.abc import Callable
from datetime import datetime, timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from batches.models import Session
from batches.selectors.recruiting import holders_by_profile, next_on_reserve, places_of
from batches.services.ending import session_withdraw
from batches.services.recruiting import person_approve
from batches.services.reminders import NotReminded, reminder_send
from batches.services.starting import NotApproved, PlacesTaken, session_start
from batches.services.voiding import session_void
from console.selectors.waiting import digest_waits_of
from console.services.people import leads_nudge
from screening.models import Verdict, VerdictDecision
from studies.models import OutgoingMail, Participant, Study, StudyEvent, StudyRole, StudyStatus, User
from studies.services.people import participants
from studies.services.people.decisions import VettingRefused
from studies.services.people.participants import participant_approve, participants_vet

pytestmark = pytest.mark.django_db
Applicant = Callable[..., Participant]


def send(client: Client, person: Participant, what: str = "decision", **form: str) -> tuple[int, str]:
    reply = client.post(reverse(f"staff_{what}", args=[person.study.slug, person.code]), form, follow=True)
    return reply.status_code, re.sub(r"\s+", " ", reply.text)


def status(person: Participant) -> str:
    person.refresh_from_db()
    return person.vetting_status


def exclude(person: Participant, by: User, now: datetime) -> None:
    Verdict.objects.create(
        participant=person, rules_version="1", decision=VerdictDecision.CONFIRM, reason="off-task",
        decided_by=by, decided_at=now,
    )  # fmt: skip


def test_whoever_decides_second_is_told_and_keeps_what_was_written(
    staff: Client, applicant: Applicant
) -> None:
    ada = applicant("ada")
    assert send(staff, ada, decision="approve", seen="submitted")[0] == 200
    code, page = send(staff, ada, decision="reject", seen="submitted", reason="No degree in a science")
    assert (code, status(ada)) == (409, "approved")
    assert f"Somebody else decided on {ada.code} since you opened the page: now approved." in page
    assert 'value="No degree in a science"' in page
    assert not StudyEvent.objects.filter(kind="participant_rejected").exists()
    # what the page shows now can be decided on
    assert send(staff, ada, decision="reject", seen="approved", reason="No degree")[0] == 200
    assert status(ada) == "rejected"


@pytest.mark.parametrize("end", ["active", "submitted"])
def test_whoever_has_started_is_not_rejected_any_more(
    end: str, staff: Client, applicant: Applicant, work: Callable[..., Session], now: datetime
) -> None:
    ada = participant_approve(participant=applicant("ada"), now=now)
    work(ada, {"p001": "1"}, end=end)
    page = staff.get(reverse("staff_participants", args=["pilot"]), {"person": ada.code}).text
    assert 'value="reject"' not in page
    code, page = send(staff, ada, decision="reject", seen="approved", reason="No degree")
    assert (code, status(ada), OutgoingMail.objects.count()) == (409, "approved", 0)
    assert f"{ada.code} has started: what they did stays." in page


def test_in_a_closed_study_nobody_is_let_in_any_more_and_may_still_be_told_so(
    staff: Client, study: Study, applicant: Applicant
) -> None:
    ada = applicant("ada")
    Study.objects.update(status=StudyStatus.CLOSED)
    panel = staff.get(reverse("staff_participants", args=["pilot"]), {"person": ada.code}).text
    assert "nobody can start any more, so nobody is let in" in panel
    assert 'value="approve"' not in panel
    code, page = send(staff, ada, decision="approve", seen="submitted")
    assert (code, status(ada)) == (409, "submitted")
    assert "nobody can start any more, so nobody is let in" in page
    assert send(staff, ada, decision="reject", seen="submitted", reason="The study is over")[0] == 200
    assert status(ada) == "rejected"


def test_after_a_decision_the_next_of_the_list_is_open(staff: Client, applicant: Applicant) -> None:
    ada, bob = applicant("ada"), applicant("bob")
    _, page = send(staff, ada, decision="approve", back="state=application&q=x%22y", then=bob.code)
    assert f'id="panel-title"> <a href="/staff/studies/pilot/participants/{bob.code}/"' in page
    assert 'value="x&quot;y"' in page


def test_whoever_is_approved_beyond_the_places_waits_on_the_reserve_list(
    staff: Client, study: Study, applicant: Applicant, now: datetime
) -> None:
    assert places_of(study) == {"stem-phd": 1, "writer": 1}
    ada, bob, cy = applicant("ada"), applicant("bob"), applicant("cy", profile="writer")
    for person in (ada, bob, cy):
        _, page = send(staff, person, decision="approve", seen="submitted")
    assert [status(person) for person in (ada, bob, cy)] == ["approved", "reserve", "approved"]
    assert "you are on the reserve list" in OutgoingMail.objects.get(to="bob@example.org").subject
    assert StudyEvent.objects.get(kind="participant_reserved").participant == bob
    with pytest.raises(NotApproved, match="You are on the reserve list"):
        session_start(participant=bob, now=now)
    _, page = send(staff, bob, decision="approve", seen="reserve")
    assert f"{bob.code} is on the reserve list already." in page
    assert "1 on the reserve list" in page


def test_of_people_who_are_named_none_is_decided_on_where_one_stays_on_the_reserve_list(
    study: Study, applicant: Applicant, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(participants, "DECISIONS_A_SLICE", 1)
    ada, bob, cy = applicant("ada"), applicant("bob"), applicant("cy", profile="writer")
    for person in (ada, bob):
        person_approve(participant=person, now=now)
    names = [cy.code, bob.code]
    with pytest.raises(VettingRefused, match=f"{bob.code} is on the reserve list already"):
        participants_vet(study=study, approve=True, names=names, now=now, approve_with=person_approve)
    assert [status(person) for person in (bob, cy)] == ["reserve", "submitted"]


def test_a_place_that_somebody_leaves_is_offered_to_the_first_of_the_reserve_list(
    staff: Client, study: Study, applicant: Applicant, now: datetime
) -> None:
    ada, bob, cy = applicant("ada"), applicant("bob"), applicant("cy")
    for person in (ada, bob, cy):
        person_approve(participant=person, now=now)
    assert next_on_reserve(study)["stem-phd"] == bob
    refused = send(staff, bob, "person_promote")[1]
    assert "All places of the profile" in refused
    session_withdraw(participant=ada, now=now)
    offered = re.sub(r"\s+", " ", staff.get(reverse("staff_participants", args=["pilot"])).text)
    assert f"Give a free place to {bob.code}" in offered
    assert f"{bob.code} has a place now" in send(staff, bob, "person_promote")[1]
    assert [status(person) for person in (bob, cy)] == ["approved", "reserve"]
    again = send(staff, bob, "person_promote")[1]
    assert f"{bob.code} is not on the reserve list any more" in again


def test_whoever_does_not_count_is_replaced_in_their_question_set(
    staff: Client, study: Study, applicant: Applicant, work: Callable[..., Session], lead: User, now: datetime
) -> None:
    ada, bob = applicant("ada"), applicant("bob")
    for person in (ada, bob):
        person_approve(participant=person, now=now)
    session = work(ada, {"p001": "1"})
    early = send(staff, ada, "person_replace", successor=bob.code)[1]
    assert f"{ada.code} counts or may still count" in early
    exclude(ada, lead, now)
    page = re.sub(
        r"\s+", " ", staff.get(reverse("staff_participants", args=["pilot"]) + f"?person={ada.code}").text
    )
    assert f"Give the place to {bob.code}" in page
    done = send(staff, ada, "person_replace", successor=bob.code)[1]
    assert f"{bob.code} has the place of {ada.code} now" in done
    ada.refresh_from_db()
    assert (ada.replaced_by, status(bob)) == (bob, "approved")
    assert session_start(participant=bob, now=now).batch == session.batch
    assert holders_by_profile(study)["stem-phd"] == 1
    event = StudyEvent.objects.get(kind="participant_replaced")
    assert (event.participant, event.actor, event.details) == (ada, lead, {"successor": bob.code})
    twice = send(staff, ada, "person_replace", successor=bob.code)[1]
    assert "nothing was changed" in twice


def test_without_replacement_the_place_stays_taken(
    applicant: Applicant, work: Callable[..., Session], now: datetime
) -> None:
    ada, bob = applicant("ada"), applicant("bob")
    person_approve(participant=ada, now=now)
    work(ada, {"p001": "1"})
    participant_approve(participant=bob, now=now)
    with pytest.raises(PlacesTaken):
        session_start(participant=bob, now=now)


def test_a_reminder_goes_once_a_day_and_only_to_who_can_start(
    applicant: Applicant, lead: User, now: datetime
) -> None:
    ada = applicant("ada")
    with pytest.raises(NotReminded, match="nothing left to do"):
        reminder_send(participant=ada, actor=lead, now=now.replace(day=3), site_url="")
    person_approve(participant=ada, now=now)
    with pytest.raises(NotReminded, match="within the last day"):
        reminder_send(participant=ada, actor=lead, now=now, site_url="")
    reminder_send(participant=ada, actor=lead, now=now.replace(day=3), site_url="")
    assert "you have not started yet" in OutgoingMail.objects.get().subject
    with pytest.raises(NotReminded, match="within the last day"):
        reminder_send(participant=ada, actor=lead, now=now.replace(day=3), site_url="")


def test_a_voided_session_is_not_counted_and_its_place_is_offered(
    staff: Client, applicant: Applicant, work: Callable[..., Session], lead: User, now: datetime
) -> None:
    ada, bob = applicant("ada"), applicant("bob")
    for person in (ada, bob):
        person_approve(participant=person, now=now)
    session_void(session=work(ada, {"p001": "1"}), reason="The wrong person", now=now, actor=lead)
    page = re.sub(r"\s+", " ", staff.get(reverse("staff_participants", args=["pilot"])).text)
    assert "Not counted 1" in page
    assert "the study team voided the session" in page
    assert (
        f"{bob.code} has the place of {ada.code} now"
        in send(staff, ada, "person_replace", successor=bob.code)[1]
    )
    session_start(participant=bob, now=now)


def test_who_may_not_decide_reads_who_does_and_reminds_the_leads_once_a_day(
    client: Client, study: Study, applicant: Applicant, lead: User, now: datetime
) -> None:
    applicant("ada")
    parts = [(lead, "lead"), (User.objects.create_user("c@example.org", is_staff=True), "coordinator")]
    for user, role in parts:
        StudyRole.objects.create(study=study, user=user, role=role, given_at=now)
    client.force_login(parts[1][0])
    page = client.get(reverse("staff_participants", args=[study.slug])).text
    assert "1 application waits for the study's lead, who decides on it." in " ".join(page.split())
    assert 'class="count hot"' not in page
    assert digest_waits_of(parts[1][0]) == []
    nudge = reverse("staff_people_nudge", args=[study.slug])
    assert "are told by mail that applications wait" in client.post(nudge, follow=True).text
    assert "were reminded within the last day" in client.post(nudge, follow=True).text
    mail = OutgoingMail.objects.get()
    assert (mail.to, "1 application to" in mail.body, "?state=application" in mail.body) == (
        lead.email,
        True,
        True,
    )
    assert study.events.get(kind="leads_nudged").details == {"number": 1}
    # Without a lead it is the site's administrators who decide.
    StudyRole.objects.filter(role="lead").delete()
    root = User.objects.create_superuser("root@example.org")
    leads_nudge(study=study, site_url="", actor=lead, now=timezone.now() + timedelta(days=2))
    assert OutgoingMail.objects.order_by("-pk")[0].to == root.email
    StudyRole.objects.filter(role="coordinator").update(rights=["decide_people"])
    page = client.get(reverse("staff_participants", args=[study.slug])).text
    assert ("Remind the lead" in page, 'class="count hot"' in page) == (False, True)


def test_whoever_asked_by_phone_is_withdrawn_with_the_reason_and_told_by_mail(
    staff: Client, applicant: Applicant
) -> None:
    ada = applicant("ada")
    # No switch keeps it from them.
    staff.post(reverse("staff_mails_switch", args=[ada.study.slug, "decision"]), {"send": "off"})
    address = reverse("staff_person_action", args=[ada.study.slug, ada.code, "withdraw"])
    assert staff.post(address, {"withdraw-reason": "Called on Monday."}).status_code == 302
    event = StudyEvent.objects.get(kind="participant_withdrew")
    assert (event.details["reason"], event.actor) == (
        "Called on Monday.",
        User.objects.get(email="lead@example.org"),
    )
    mail = OutgoingMail.objects.get()
    assert (mail.to, "the study team has withdrawn you" in mail.body) == (ada.user.email, True)
