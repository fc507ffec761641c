"""Where somebody is signed in, and the commands that close and open an account."""

import re
from datetime import timedelta
from io import StringIO

import pytest
from allauth.usersessions.models import UserSession
from django.contrib import admin
from django.contrib.sessions.models import Session
from django.core import mail
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone

from studies.models import User
from studies.services.database import database_now
from studies.services.mails.mails import mails_send
from tests.studies.staff_sessions.browsers import LOGIN, SECURITY, browser_of, is_in

pytestmark = pytest.mark.django_db
CHROME = "Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36"


# --- the list ------------------------------------------------------------------------------------------


def shown(client: Client) -> str:
    return " ".join(client.get(SECURITY).text.split())


def ends(client: Client) -> list[str]:
    """Where the list's buttons lead that sign out somewhere else."""
    return re.findall(r'action="(/accounts/sign-ins/\d+/end/)"', client.get(SECURITY).text)


def test_everybody_sees_where_they_are_signed_in_and_ends_one_of_them_at_once(person: User) -> None:
    here, there = browser_of(person), browser_of(person, CHROME)
    assert "<strong>Firefox, Linux</strong>" in shown(here)
    assert "<strong>Chrome, Windows</strong>" in shown(here)
    assert shown(here).count("this browser") == 1
    (end,) = ends(here)
    assert here.post(end)["Location"] == SECURITY
    assert not is_in(there)
    assert is_in(here)
    assert "Chrome, Windows" not in shown(here)


def test_nobody_ends_the_sign_in_of_somebody_else(person: User, lead: User) -> None:
    here, there, stranger = browser_of(person), browser_of(person), browser_of(lead)
    (end,) = ends(here)
    assert stranger.post(end).status_code == 404
    assert Client().post(end)["Location"].startswith(LOGIN)
    assert here.get(end).status_code == 405
    assert is_in(there)


def test_signing_out_everywhere_ends_all_sessions_and_this_one(person: User) -> None:
    here, there = browser_of(person), browser_of(person)
    assert "/accounts/logout/?everywhere" in shown(here)
    left = here.post("/accounts/logout/", {"everywhere": "on"})
    assert left["Clear-Site-Data"] == '"cache"'
    assert [is_in(here), is_in(there)] == [False, False]


def test_signing_out_leaves_other_browsers_alone(person: User) -> None:
    here, there = browser_of(person), browser_of(person)
    here.post("/accounts/logout/")
    assert [is_in(here), is_in(there)] == [False, True]


def test_no_network_address_is_kept_and_nothing_of_a_sign_in_that_ended(person: User) -> None:
    client = browser_of(person)
    (kept,) = UserSession.objects.all()
    assert (kept.ip, kept.user_agent, kept.data) == ("0.0.0.0", "Firefox, Linux", {})  # noqa: S104
    client.post("/accounts/logout/")
    assert not UserSession.objects.exists()
    browser_of(person)
    Session.objects.update(expire_date=timezone.now() - timedelta(days=1))
    call_command("clearsessions")
    assert not UserSession.objects.exists()
    assert not admin.site.is_registered(UserSession)


def test_a_session_from_before_the_list_is_in_it(person: User) -> None:
    client = browser_of(person)
    UserSession.objects.all().delete()
    assert "this browser" in shown(client)


# --- the commands --------------------------------------------------------------------------------------


def said(*arguments: str) -> str:
    out = StringIO()
    call_command(*arguments, stdout=out)
    return out.getvalue()


def test_an_account_is_closed_and_opened_again(lead: User) -> None:
    assert said("disable_staff", "Lead@example.org").startswith("The account of lead@example.org is closed")
    assert said("disable_staff", lead.email).startswith("Unchanged:")
    Client().post(LOGIN, {"email": lead.email})
    mails_send(clock=database_now)
    assert mail.outbox == []
    assert said("add_staff", lead.email).startswith("lead@example.org may see staff pages")
    assert is_in(browser_of(lead))


@pytest.mark.parametrize(
    ("command", "email", "sentence"),
    [
        ("disable_staff", "nobody@example.org", "There is no account with the address nobody@example.org."),
        ("disable_staff", "person@example.org", "person@example.org is no staff member."),
        ("disable_staff", "person", '"person" is no e-mail address; correct it.'),
        ("sign_out", "nobody@example.org", "There is no account with the address nobody@example.org."),
        ("sign_out", "", '"" is no e-mail address; correct it.'),
    ],
)
def test_a_wrong_address_is_said_and_changes_nothing(
    person: User, command: str, email: str, sentence: str
) -> None:
    client = browser_of(person)
    with pytest.raises(CommandError) as refusal:
        call_command(command, email)
    assert str(refusal.value) == sentence
    assert is_in(client)
