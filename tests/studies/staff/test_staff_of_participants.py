"""An account that takes part in a study becomes staff of none without its owner's doing."""

from collections.abc import Callable
from datetime import datetime

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from studies.models import OutgoingMail, Participant, Study, StudyEvent, User
from studies.roles import Role
from studies.services.staff.colleagues import colleague_add
from studies.services.staff.roles import IsParticipant, role_give
from studies.services.staff.staff import staff_add

pytestmark = pytest.mark.django_db
TOLD = "signs in here as a participant, and such an account does not become staff"


@pytest.fixture
def person(make_study: Callable[..., Study], make_person: Callable[..., Participant]) -> User:
    """Who takes part in another study than the one that adds them."""
    return make_person(make_study(slug="theirs")).user


@pytest.fixture
def study(make_study: Callable[..., Study]) -> Study:
    return make_study(slug="ours")


def untouched(user: User, study: Study) -> bool:
    user.refresh_from_db()
    has_mail = OutgoingMail.objects.exists()
    return not (user.is_staff or study.roles.filter(user=user).exists() or has_mail)


@pytest.mark.parametrize("role", list(Role))
def test_a_lead_cannot_bring_them_into_a_team(person: User, study: Study, role: Role, now: datetime) -> None:
    with pytest.raises(IsParticipant, match="Ask the person for another address"):
        colleague_add(study=study, email=person.email, role=role, site_url="http://testserver", now=now)
    assert untouched(person, study)
    assert not StudyEvent.objects.filter(study=study, kind="role_given").exists()


def test_the_page_of_the_team_says_so(person: User, study: Study, now: datetime) -> None:
    lead = User.objects.create_user("lead@example.org", is_staff=True)
    role_give(study=study, user=lead, role=Role.LEAD, now=now)
    client = Client()
    client.force_login(lead)
    sent = {"email": person.email.upper(), "role": "analyst"}
    response = client.post(f"/staff/studies/{study.slug}/team/", sent)
    assert response.status_code == 422
    assert TOLD in response.content.decode()
    assert untouched(person, study)


def test_neither_does_the_page_of_the_site_nor_the_command(person: User, study: Study) -> None:
    client = Client()
    client.force_login(User.objects.create_superuser("root@example.org"))
    response = client.post("/staff/team/", {"email": person.email, "creates_studies": "on"})
    assert (response.status_code, TOLD in response.content.decode()) == (422, True)
    with pytest.raises(CommandError, match=TOLD):
        call_command("add_staff", person.email, "--study", study.slug)
    assert untouched(person, study)


def test_who_is_staff_already_or_only_tries_a_study_out_can_be_added(
    make_person: Callable[..., Participant], make_study: Callable[..., Study], study: Study, now: datetime
) -> None:
    other = make_study(slug="other")
    tester = make_person(other, is_test=True).user
    assert staff_add(email=tester.email)[0].is_staff
    colleague = make_person(other).user
    User.objects.filter(pk=colleague.pk).update(is_staff=True)
    site = "http://testserver"
    _row, is_new = colleague_add(
        study=study, email=colleague.email, role=Role.REVIEWER, site_url=site, now=now
    )
    assert is_new
