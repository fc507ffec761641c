"""The first page and the lists of studies, as people see them."""

from collections.abc import Callable
from datetime import datetime

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from studies.models import Participant, Study, User
from studies.services.people.participants import participant_add
from tests.studies.pages.study_pages import assert_well_made, signed_in

pytestmark = pytest.mark.django_db


# --- home -----------------------------------------------------------------------------------------------


def test_a_visitor_is_told_what_this_is_and_where_to_sign_in(client: Client) -> None:
    page = client.get("/")
    assert b"What can people do together with AI?" in page.content
    assert b'href="/accounts/login/"' in page.content
    assert "script-src 'self'" in page["Content-Security-Policy"]
    assert "unsafe" not in page["Content-Security-Policy"]


@pytest.mark.parametrize("path", ["/", "/accounts/login/", "/no-such-page/", "/api/preview"])
def test_no_page_may_ask_for_the_camera_the_microphone_or_the_place(client: Client, path: str) -> None:
    policy = client.get(path)["Permissions-Policy"].split(", ")
    assert {"camera=()", "microphone=()", "geolocation=()"} <= set(policy)


def test_a_person_sees_their_studies_and_no_others(
    person: Participant, make_study: Callable[..., Study]
) -> None:
    make_study(slug="other")
    page = signed_in(person).get("/").content.decode()
    assert "The study pilot" in page
    assert person.code in page
    assert 'href="/studies/pilot/"' in page
    assert "The study other" not in page
    assert "/staff/" not in page


def test_lists_of_studies_are_asked_for_anew(person: Participant, staff_client: Client) -> None:
    assert "no-cache" in signed_in(person).get("/")["Cache-Control"]
    assert "no-store" in staff_client.get("/staff/")["Cache-Control"]


def test_a_person_without_a_study_is_told_what_to_do(client: Client) -> None:
    client.force_login(User.objects.create_user("alone@example.org"))
    assert b"You are not part of a study at the moment" in client.get("/").content


def test_staff_find_their_pages_from_home(staff_client: Client) -> None:
    assert b'href="/staff/"' in staff_client.get("/").content


def test_the_list_of_own_studies_costs_the_same_for_one_study_and_for_six(
    person: Participant,
    make_study: Callable[..., Study],
    now: datetime,
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    for number in range(5):
        study = make_study(slug=f"more-{number}")
        participant_add(study=study, email="person@example.org", profile="stem-phd", now=now)
    client = signed_in(person)
    with django_assert_num_queries(3):  # session, person, studies
        client.get("/")


# --- error pages and the records ------------------------------------------------------------------------


def test_every_open_page_is_well_made(client: Client) -> None:
    for page in ("/", "/accounts/login/", "/accounts/inactive/", "/nothing-here/"):
        assert_well_made(client.get(page).content)


def test_a_page_that_breaks_says_so_without_details(
    client: Client, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    client.raise_request_exception = False
    monkeypatch.setattr("studies.views.home.render", None)
    page = client.get("/")
    assert page.status_code == 500
    assert b"Something went wrong here" in page.content
    assert b"Traceback" not in page.content
    assert_well_made(page.content)
