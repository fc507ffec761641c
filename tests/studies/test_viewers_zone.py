"""Times are in the zone of whoever reads them: on pages, in messages, in the copy of a consent, in mails."""

import re
from collections.abc import Callable
from datetime import datetime, timedelta

import pytest
from django.core import mail
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from batches.services.ending import session_submit
from batches.services.starting import session_start
from console.services.mail_examples import mail_example
from studies.models import MailKind, Participant, Study, User
from studies.roles import Role
from studies.services.mails.mails import mails_send
from studies.services.people.invitation_mails import invitation_send
from studies.services.people.invitations import invitation_create
from studies.services.people.vetting_mails import decision_mail
from studies.services.staff.roles import role_give
from studies.viewers_zone import COOKIE

pytestmark = pytest.mark.django_db
SITE = "https://study.example.org"
KATHMANDU, BERLIN = "Asia/Kathmandu", "Europe/Berlin"
TIME = re.compile(r"\d\d:\d\d(?::\d\d)?(?! UTC\)| Asia/Kathmandu \(| Europe/Berlin \()")


@pytest.fixture
def person(
    make_study: Callable[..., Study], make_person: Callable[..., Participant], now: datetime
) -> Participant:
    """Somebody in Kathmandu, in a study that somebody in Berlin leads."""
    study = make_study(slug="pilot", closes_at=now + timedelta(days=9))
    lead = User.objects.create_user("lead@example.org", is_staff=True, time_zone=BERLIN)
    role_give(study=study, user=lead, role=Role.LEAD, now=now)
    found = make_person(study)
    User.objects.filter(pk=found.user_id).update(time_zone=KATHMANDU)
    return Participant.objects.get(pk=found.pk)


def test_every_mail_of_a_study_names_the_zone_of_each_of_its_times(person: Participant) -> None:
    now, study = timezone.now(), person.study
    session_submit(session=session_start(participant=person, now=now), resources=None, now=now, site_url=SITE)
    invited = invitation_create(study=study, email="new@example.org", profile=person.profile, now=now)
    invitation_send(invitation=invited, site_url=SITE, now=now)
    mails_send(clock=timezone.now)
    bodies = [str(one.body) for one in mail.outbox]
    bodies += [
        str(decision_mail(person, decision="approved", reason="", site_url=SITE, now=now).body),
        *(
            str(mail_example(study=study, kind=kind, language=language, site_url=SITE, now=now).body)
            for kind in MailKind
            for language in ("en", "de")
        ),
    ]
    assert [body for body in bodies if TIME.search(body)] == []
    told = [(KATHMANDU in body, BERLIN in body) for body in bodies[:2]]
    assert sorted(told) == [(False, True), (True, False)]  # the invitation is in the lead's zone


def test_a_message_of_a_page_and_the_kept_consent_are_in_the_zone_of_the_device(
    client: Client, person: Participant
) -> None:
    client.force_login(person.user)
    client.cookies[COOKIE] = BERLIN
    copy = client.get(reverse("study_consent_copy", args=["pilot"])).content.decode()
    session = session_start(participant=person, now=timezone.now())
    session_submit(session=session, resources=None, now=timezone.now(), site_url="")
    again = client.post(reverse("session_submit", args=[session.pk]), follow=True).content.decode()
    assert [line for line in copy.splitlines() if line.startswith("Time:") and f" {BERLIN} (" in line] != []
    assert f" {BERLIN} (" in again
    person.user.refresh_from_db()
    assert person.user.time_zone == BERLIN


@pytest.mark.parametrize("told", ["Mars/Olympus", "../../etc/passwd", ""])
def test_what_is_no_zone_is_utc_and_changes_no_account(
    client: Client, person: Participant, told: str
) -> None:
    client.force_login(person.user)
    client.cookies[COOKIE] = told
    page = client.get(reverse("study_home", args=["pilot"])).content.decode()
    assert re.search(r"<time [^>]*>[^<]* UTC</time>", page)
    person.user.refresh_from_db()
    assert person.user.time_zone == KATHMANDU
