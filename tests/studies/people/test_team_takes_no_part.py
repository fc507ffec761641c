"""Whoever looks after a study decides about others, so they come into it by no way but as test people."""

from collections.abc import Callable
from datetime import datetime

import pytest
from django.core.management import CommandError, call_command

from batches.services.entering import person_enter
from studies.models import Invitation, Participant, Study, User
from studies.roles import Role
from studies.services.people.invitation_mails import invitation_send
from studies.services.people.invitations import invitation_accept, invitation_create
from studies.services.people.participants import OfTheTeam, participant_add
from studies.services.people.people_import import (
    PeopleReading,
    PeopleRefused,
    PersonRow,
    invitations_plan,
    participants_import,
)
from studies.services.people.recruiting_links import LinkSettings, PlatformIds, link_open, link_save
from studies.services.staff.colleagues import colleague_add
from studies.services.staff.roles import IsParticipant, role_give
from studies.services.staff.staff import staff_add
from tests.studies.invitations.invitations import SITE, token_mailed

pytestmark = pytest.mark.django_db
EYES = "eyes@example.org"
PROFILE = "stem-phd"


@pytest.fixture
def study(make_study: Callable[..., Study]) -> Study:
    return make_study(slug="pilot")


@pytest.fixture
def eyes(study: Study, now: datetime) -> User:
    user, _ = staff_add(email=EYES)
    role_give(study=study, user=user, role=Role.REVIEWER, now=now)
    return user


def test_they_are_neither_added_nor_invited_and_an_entry_link_refuses_them(
    study: Study, eyes: User, lead: User, now: datetime
) -> None:
    link = link_save(study=study, profile=PROFILE, settings=LinkSettings("PID"), actor=lead, now=now)
    link = link_open(link=link, actor=lead, now=now)
    for refused in (
        lambda: participant_add(study=study, email=EYES.upper(), profile=PROFILE, now=now),
        lambda: invitation_create(study=study, email=EYES.upper(), profile=PROFILE, now=now),
        lambda: person_enter(link=link, ids=PlatformIds("1"), user=eyes, now=now),
    ):
        with pytest.raises(OfTheTeam, match="cannot take part in it, except as a test person"):
            refused()
    assert not Participant.objects.exists()
    assert not Invitation.objects.exists()


def test_an_invitation_from_before_they_joined_the_team_lets_them_in_no_more(
    study: Study, now: datetime
) -> None:
    token = token_mailed(invitation_create(study=study, email=EYES, profile=PROFILE, now=now), now)
    colleague_add(study=study, email=EYES, role=Role.REVIEWER, site_url=SITE, now=now)
    with pytest.raises(OfTheTeam) as refusal:
        invitation_accept(token=token, now=now)
    assert EYES not in str(refusal.value), "whoever has the link may be anybody"


def test_lists_name_their_line_and_nobody_of_the_list_comes_in(
    study: Study, eyes: User, now: datetime
) -> None:
    rows = (PersonRow(2, "ada@example.org", PROFILE), PersonRow(3, EYES.upper(), PROFILE))
    reading = PeopleReading(rows, ())
    with pytest.raises(PeopleRefused, match="line 3, email: looks after this study"):
        participants_import(study=study, reading=reading, now=now)
    with pytest.raises(PeopleRefused, match="line 3, email: looks after this study"):
        invitations_plan(study=study, reading=reading)
    assert not Participant.objects.exists()
    alone = PeopleReading((PersonRow(2, EYES, PROFILE, is_test=True),), ())
    assert len(invitations_plan(study=study, reading=alone).new) == 1
    assert len(participants_import(study=study, reading=alone, now=now).added) == 1
    by_now = PeopleReading((PersonRow(2, EYES, PROFILE),), ())
    assert participants_import(study=study, reading=by_now, now=now).unchanged == 1


def test_as_a_test_person_they_try_their_study_out_and_may_get_another_part(
    study: Study, eyes: User, now: datetime
) -> None:
    invitation = invitation_create(study=study, email=EYES, profile=PROFILE, is_test=True, now=now)
    invitation_send(invitation=invitation, site_url=SITE, now=now)
    assert participant_add(study=study, email=EYES, profile=PROFILE, is_test=True, now=now).user == eyes
    colleague_add(study=study, email=EYES, role=Role.LEAD, site_url=SITE, now=now)
    person = participant_add(study=study, email="ada@example.org", profile=PROFILE, now=now)
    with pytest.raises(IsParticipant):
        colleague_add(study=study, email=person.user.email, role=Role.ANALYST, site_url=SITE, now=now)
    with pytest.raises(CommandError, match="takes part in this study"):
        call_command("add_staff", person.user.email, study=study.slug)
    person.user.refresh_from_db()
    assert not person.user.is_staff  # and nothing of the command is left


def test_in_another_study_they_take_part_like_anybody(
    eyes: User, make_study: Callable[..., Study], now: datetime
) -> None:
    other = make_study(slug="other")
    assert participant_add(study=other, email=EYES, profile=PROFILE, now=now).user == eyes
