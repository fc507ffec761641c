"""The daily digest: once a day, what waits where the reader has the right to it, and nothing else."""

from collections.abc import Callable
from datetime import datetime, timedelta

import pytest
from django.core import mail

from console.services.digests import digest_wish_set, digests_queue
from studies.models import MailKind, Participant, Study, User
from studies.roles import Role
from studies.services.mails.mails import mails_send
from studies.services.mails.study_mails import mail_switch
from studies.services.people.messages import message_send
from studies.services.people.participants import participant_add
from studies.services.staff.roles import role_give
from studies.services.staff.staff import staff_add

pytestmark = pytest.mark.django_db
SITE = "https://study.example.org"


@pytest.fixture
def study(make_study: Callable[..., Study], make_person: Callable[..., Participant], now: datetime) -> Study:
    """One application and one message wait."""
    study = make_study(slug="pilot")
    participant_add(study=study, email="new@example.org", profile="stem-phd", now=now)
    message_send(participant=make_person(study), text="May I use a ruler?", now=now)
    return study


def member(study: Study, role: Role, now: datetime) -> User:
    user, _ = staff_add(email=f"{role}@example.org")
    role_give(study=study, user=user, role=role, now=now)
    return user


def digests(now: datetime) -> dict[str, str]:
    mail.outbox.clear()
    digests_queue(now=now, site_url=SITE)
    mails_send(clock=lambda: now)
    return {one.to[0]: str(one.body) for one in mail.outbox}


def test_each_is_told_once_a_day_what_their_part_lets_them_do(study: Study, now: datetime) -> None:
    for role in (Role.LEAD, Role.COORDINATOR, Role.REVIEWER):
        member(study, role, now)
    assert digests(now.replace(hour=5)) == {}
    told = digests(now)
    assert set(told) == {"lead@example.org", "coordinator@example.org"}
    assert "1 application waits for a decision" in told["lead@example.org"]
    assert "application" not in told["coordinator@example.org"]
    for body in told.values():
        assert "1 person waits for an answer" in body
        assert ("ruler" in body, "new@example.org" in body, f"{SITE}/staff/" in body) == (False, False, True)
    assert digests(now + timedelta(hours=2)) == {}
    assert set(digests(now + timedelta(days=1))) == set(told)


def test_the_day_begins_at_six_where_the_member_is(study: Study, now: datetime) -> None:
    lead = member(study, Role.LEAD, now)
    User.objects.filter(pk=lead.pk).update(time_zone="America/Los_Angeles")
    midnight = now.replace(month=1, hour=0)  # 16:00 of the day before, there
    assert set(digests(midnight)) == {lead.email}
    assert digests(midnight.replace(hour=13, minute=59)) == {}
    assert set(digests(midnight.replace(hour=14, minute=0))) == {lead.email}
    User.objects.filter(pk=lead.pk).update(time_zone="Asia/Tokyo")
    assert set(digests(midnight.replace(hour=21, minute=0))) == {lead.email}
    User.objects.filter(pk=lead.pk).update(time_zone="America/Los_Angeles")
    assert digests(midnight.replace(hour=22, minute=0)) == {}, "a day that they had elsewhere"


def test_nobody_is_told_who_does_not_want_it_or_whose_study_sends_none(study: Study, now: datetime) -> None:
    lead, other = member(study, Role.LEAD, now), member(study, Role.COORDINATOR, now)
    digest_wish_set(member=other, is_wanted=False)
    assert set(digests(now)) == {lead.email}
    mail_switch(study=study, kind=MailKind.DIGEST, is_on=False, actor=lead, now=now)
    assert digests(now + timedelta(days=1)) == {}
