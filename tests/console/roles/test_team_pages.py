"""The team of a study, the staff of the site, its health, and one's own sign-ins, on their pages."""

import re
from collections.abc import Callable
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.test import Client
from pytest_django import DjangoAssertNumQueries as MaxQueries

from studies.models import OutgoingMail, Participant, Study, User
from studies.models.roles import ROLES
from studies.roles import Role
from studies.services.staff.roles import role_give
from studies.services.staff.staff import staff_add
from studies.views.role_words import role_table

pytestmark = pytest.mark.django_db
TEAM = "/staff/studies/pilot/team/"


@pytest.fixture
def study(make_study: Callable[..., Study]) -> Study:
    return make_study(slug="pilot")


@pytest.fixture
def lead(client: Client, study: Study, now: object) -> User:
    user, _ = staff_add(email="lead@example.org")
    role_give(study=study, user=user, role=Role.LEAD, now=now)  # type: ignore[arg-type]
    client.force_login(user)
    return user


@pytest.fixture
def root(client: Client) -> User:
    user = User.objects.create_superuser("root@example.org")
    client.force_login(user)
    return user


def text_of(answer: Any) -> str:
    return str(unescape(answer.content.decode()))


def test_a_lead_brings_a_reviewer_in_who_gets_a_mail(client: Client, lead: User, study: Study) -> None:
    given = client.post(TEAM, {"email": "Eyes@example.org", "role": "reviewer"}, follow=True)
    assert "eyes@example.org is now reviewer." in text_of(given)
    eyes = User.objects.get(email="eyes@example.org")
    assert (eyes.is_staff, eyes.is_superuser, eyes.may_create_studies) == (True, False, False)
    mail = OutgoingMail.objects.get()
    assert (mail.to, "/staff/" in mail.body, study.name in mail.body) == (eyes.email, True, True)
    refused = client.post(TEAM, {"email": "eyes@example.org", "role": "analyst"})
    assert (refused.status_code, "nobody is both" in text_of(refused)) == (422, True)
    client.post(TEAM, {"email": "eyes@example.org", "role": "lead"})
    assert OutgoingMail.objects.count() == 1
    taken = client.post(f"{TEAM}{eyes.pk}/take/", {"role": "reviewer"}, follow=True)
    assert "eyes@example.org is no longer reviewer." in text_of(taken)
    assert [row.role for row in study.roles.filter(user=eyes)] == ["lead"]


def test_the_last_lead_stays(client: Client, lead: User, study: Study) -> None:
    answer = client.post(f"{TEAM}{lead.pk}/take/", {"role": "lead"}, follow=True)
    assert "You are the only lead of this study" in text_of(answer)
    assert study.roles.get().user == lead


def test_what_cannot_be_given_keeps_what_was_typed(
    client: Client, lead: User, study: Study, make_person: Callable[..., Participant]
) -> None:
    person = make_person(study)
    User.objects.create_user("closed@example.org", is_staff=True, is_active=False)
    for email, sentence in (
        ("no address", "This is no e-mail address; correct it."),
        (person.user.email, "takes part in this study"),
        ("closed@example.org", "is closed. Ask whoever runs this site"),
    ):
        answer = client.post(TEAM, {"email": email, "role": "analyst"})
        assert answer.status_code == 422
        assert sentence in text_of(answer)
        assert f'value="{email}"' in text_of(answer)
    assert study.roles.count() == 1
    person.user.refresh_from_db()
    assert not person.user.is_staff


def test_the_team_costs_the_same_for_one_and_for_many(
    client: Client,
    lead: User,
    study: Study,
    now: object,
    django_assert_max_num_queries: MaxQueries,
) -> None:
    for number in range(20):
        user, _ = staff_add(email=f"member{number}@example.org")
        role_give(study=study, user=user, role=Role.ANALYST, now=now)  # type: ignore[arg-type]
    client.get(TEAM)
    with django_assert_max_num_queries(15):
        assert "member19@example.org" in text_of(client.get(TEAM))


def test_staff_are_added_given_rights_and_closed(client: Client, root: User) -> None:
    client.post("/staff/team/", {"email": "new@example.org", "creates_studies": "on"})
    new = User.objects.get(email="new@example.org")
    assert (new.may_create_studies, new.is_superuser) == (True, False)
    assert OutgoingMail.objects.get().to == "new@example.org"
    for change, field, value in (
        ("make-administrator", "is_superuser", True),
        ("no-studies", "may_create_studies", False),
        ("close", "is_active", False),
        ("open", "is_active", True),
        ("no-administrator", "is_superuser", False),
    ):
        client.post(f"/staff/team/{new.pk}/", {"change": change})
        new.refresh_from_db()
        assert getattr(new, field) == value
    kept = client.post(f"/staff/team/{root.pk}/", {"change": "close"}, follow=True)
    assert "root@example.org is the only site administrator" in text_of(kept)
    assert client.post(f"/staff/team/{new.pk}/", {"change": "anything"}).status_code == 404


def test_the_list_of_staff_is_searched_and_taken_away(
    client: Client, root: User, django_assert_max_num_queries: MaxQueries
) -> None:
    staff_add(email="=cmd@example.org")
    for number in range(60):
        staff_add(email=f"member{number}@example.org")
    with django_assert_max_num_queries(15):
        assert "Page 1 of 2" in text_of(client.get("/staff/team/"))
    found = text_of(client.get("/staff/team/", {"q": "member59"}))
    assert "member59@example.org" in found
    assert "member58@example.org" not in found
    lines = client.get("/staff/team.csv", {"q": "cmd"}).content.decode().splitlines()
    assert lines[1].startswith("'=cmd@example.org,true,false,false,0,false,")


def test_the_health_of_the_site_is_what_doctor_says(
    client: Client, root: User, django_assert_max_num_queries: MaxQueries
) -> None:
    client.get("/staff/health/")
    with django_assert_max_num_queries(15):
        answer = client.get("/staff/health/")
    said = text_of(answer)
    assert answer.status_code == 200
    assert re.search(r"never seen in the last day.*start exactly one: celery", said, re.DOTALL)
    assert "0 waiting, 0 of them tried in vain" in said
    client.cookies["django_language"] = "de"
    german = text_of(client.get("/staff/health/"))
    assert "0 warten, davon 0 vergeblich versucht" in german
    assert "noch nicht nötig: keine Studie mit echten Personen ist gesperrt" in german


def test_every_other_sign_in_ends_and_this_one_goes_on(client: Client, root: User) -> None:
    elsewhere = Client()
    elsewhere.force_login(root)
    for browser in (client, elsewhere):
        assert browser.get("/accounts/2fa/").status_code == 200
    answer = client.post("/accounts/sign-ins/others/end/", follow=True)
    assert "You are signed out everywhere else." in text_of(answer)
    assert elsewhere.get("/staff/").status_code == 302


def test_the_documents_say_what_each_role_may() -> None:
    lines = (Path(settings.BASE_DIR) / "docs/console/roles.md").read_text(encoding="utf-8").splitlines()
    assert f"| may | {' | '.join(str(label) for _role, label in ROLES)} |" in lines
    for words, included in role_table():
        cells = ({"yes": "yes", "no": "–", "given": "if given"}[cell] for cell in included)
        assert f"| {words} | {' | '.join(cells)} |" in lines
