"""The first administrator of a site, made in the browser: once, by whoever has the link, on this machine."""

import re
from collections.abc import Callable
from datetime import datetime, timedelta
from importlib import import_module

import pytest
from django.apps import apps
from django.contrib.auth import get_user
from django.core.management import call_command
from django.test import Client
from pytest_django import Settings

from studies.models import FirstRun, LimitedUse, Study, User
from studies.services.clock import server_now
from studies.services.staff.first_run import FirstRunRefused, first_run_link_draw, first_run_redeem
from tests.support.same_moment import at_the_same_moment

REFUSED = "This link does not make an administrator"


@pytest.fixture
def client() -> Client:
    return Client(HTTP_HOST="127.0.0.1:8000")


def link(now: datetime | None = None) -> str:
    token = first_run_link_draw(now=now or server_now())
    assert token is not None
    return f"/first-run/{token}/"


@pytest.mark.django_db
def test_the_link_makes_one_account_that_still_signs_in_with_a_code(client: Client) -> None:
    address = link()
    assert "terminal in which the site was started" in client.get(address).content.decode()
    assert client.head(address).status_code == 200
    refused = client.post(address, {"email": "not an address"})
    assert refused.status_code == 422
    done = client.post(address, {"email": "Lead@Example.org"})
    assert done["Location"] == "/accounts/login/?next=/staff/"
    user = User.objects.get()
    assert (user.email, user.is_staff, user.is_superuser) == ("lead@example.org", True, True)
    assert not get_user(client).is_authenticated
    page = client.get(done["Location"]).content.decode()
    assert 'value="lead@example.org"' in page
    assert "it appears in the terminal" in page


@pytest.mark.django_db
def test_wrong_old_replaced_and_used_links_are_refused_in_the_same_words(client: Client) -> None:
    old = link(server_now() - timedelta(hours=1))
    replaced, valid = link(), link()
    assert client.post(valid, {"email": "lead@example.org"}).status_code == 302
    answers = [
        client.generic(method, address, "email=other%40example.org", "application/x-www-form-urlencoded")
        for address in (old, replaced, valid, "/first-run/wrong/")
        for method in ("GET", "POST")
    ]
    assert {answer.status_code for answer in answers} == {410}
    pages = "".join(answer.content.decode() for answer in answers)
    sentences = set(re.findall(r'class="notice bad">(.*?)</p>', pages, re.DOTALL))
    assert len(sentences) == 1
    assert REFUSED in sentences.pop()
    assert [user.email for user in User.objects.all()] == ["lead@example.org"]


@pytest.mark.django_db
def test_only_a_browser_on_this_machine_finds_the_page(client: Client, settings: Settings) -> None:
    address = link()
    settings.ALLOWED_HOSTS = ["*"]
    elsewhere: list[dict[str, str]] = [
        {"REMOTE_ADDR": "192.0.2.7"},
        {"REMOTE_ADDR": ""},
        {"HTTP_HOST": "study.example.org"},
        {"HTTP_X_FORWARDED_FOR": "127.0.0.1"},
        {"HTTP_FORWARDED": "for=127.0.0.1"},
    ]
    assert [client.get(address, **headers).status_code for headers in elsewhere] == [404] * 5  # type: ignore[arg-type]
    assert client.get(address, REMOTE_ADDR="::1", HTTP_HOST="[::1]:8000").status_code == 200
    settings.SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    assert client.get(address).status_code == 404
    settings.SECURE_PROXY_SSL_HEADER = None
    settings.PRODUCTION = True
    assert client.get(address).status_code == 404


@pytest.mark.django_db
def test_tries_are_counted_before_they_are_looked_at(client: Client) -> None:
    """The page looks first; whoever comes past it in parallel finds the limit."""
    for _try in range(5):
        with pytest.raises(FirstRunRefused):
            first_run_redeem(token="wrong", email="lead@example.org", now=server_now())
    address = link()
    refused = client.post(address, {"email": "lead@example.org"})
    assert refused.status_code == 429
    assert "Wait five minutes" in refused.content.decode()
    LimitedUse.objects.all().delete()
    assert client.post(address, {"email": "lead@example.org"}).status_code == 302


def by_command() -> None:
    call_command("add_staff", "lead@example.org", superuser=True, verbosity=0)


def by_django() -> None:
    User.objects.create_superuser("lead@example.org")


def by_many_at_once() -> None:
    User.objects.create_user("lead@example.org")
    User.objects.all().update(is_superuser=True)


@pytest.mark.django_db
@pytest.mark.parametrize("make", [by_command, by_django, by_many_at_once])
def test_once_there_was_an_administrator_no_link_is_drawn_any_more(
    make: Callable[[], None], client: Client
) -> None:
    address = link()
    make()
    User.objects.all().delete()
    assert first_run_link_draw(now=server_now()) is None
    assert client.post(address, {"email": "thief@example.org"}).status_code == 410
    assert not User.objects.exists()


@pytest.mark.django_db
@pytest.mark.parametrize("used_by", ["nobody", "staff", "a study"])
def test_a_site_in_use_is_closed_when_it_is_upgraded(used_by: str, make_study: Callable[..., Study]) -> None:
    if used_by == "staff":
        User.objects.create_user("former@example.org", is_staff=True, is_active=False)
    if used_by == "a study":
        make_study()
    FirstRun.objects.all().delete()
    import_module("studies.migrations.0019_the_first_run_of_a_site").close_sites_in_use(apps, None)
    assert (first_run_link_draw(now=server_now()) is None) == (used_by != "nobody")


@pytest.mark.django_db(transaction=True)
def test_of_many_at_the_same_moment_one_becomes_the_administrator() -> None:
    token = link().split("/")[2]

    def redeem(number: int) -> bool:
        try:
            first_run_redeem(token=token, email=f"person-{number}@example.org", now=server_now())
        except FirstRunRefused:
            return False
        return True

    won = at_the_same_moment([lambda number=number: redeem(number) for number in range(5)])  # type: ignore[misc]
    assert sum(won) == 1
    assert User.objects.count() == 1
    assert FirstRun.objects.get().had_administrator
