"""How long staff stay signed in, and what ends every session of theirs at once."""

from collections.abc import Callable
from datetime import datetime, timedelta
from io import StringIO

import pytest
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import TOTP
from django.contrib.auth.models import Group, Permission
from django.core.management import call_command
from django.db import connection
from django.test import RequestFactory
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from studies.models import User
from studies.session_renewal import is_use
from tests.studies.staff_sessions.browsers import LOGIN, browser_of, is_in

pytestmark = pytest.mark.django_db


class Clock:
    """The server's clock, which a test moves."""

    def __init__(self) -> None:
        self.moment = timezone.now()

    def __call__(self) -> datetime:
        return self.moment

    def go_on(self, **time: float) -> None:
        self.moment += timedelta(**time)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    moving = Clock()
    monkeypatch.setattr(timezone, "now", moving)
    return moving


# --- how long ----------------------------------------------------------------------------------------


def test_staff_who_do_nothing_are_signed_out_after_eight_hours(clock: Clock, lead: User) -> None:
    client = browser_of(lead)
    clock.go_on(hours=7.9)
    assert client.get("/staff/").status_code == 200
    clock.go_on(hours=7.9)
    assert is_in(client)
    clock.go_on(hours=0.2)
    assert client.get("/staff/")["Location"].startswith(LOGIN)


def test_an_open_page_that_asks_on_its_own_keeps_nobody_signed_in(clock: Clock, lead: User) -> None:
    client = browser_of(lead)
    for _ in range(7):
        clock.go_on(hours=1)
        assert is_in(client)
    clock.go_on(hours=1)
    assert not is_in(client)


@pytest.mark.parametrize(
    ("method", "header", "counts"),
    [
        ("GET", "document", True),
        ("GET", None, True),
        ("GET", "empty", False),
        ("HEAD", "empty", False),
        ("PUT", "empty", True),
        ("POST", "document", True),
    ],
)
def test_use_is_what_somebody_opens_or_sends(method: str, header: str | None, counts: bool) -> None:
    headers = {"sec-fetch-dest": header} if header else {}
    assert is_use(RequestFactory().generic(method, "/", headers=headers)) is counts


def test_staff_sign_in_again_after_seven_days_of_use(clock: Clock, lead: User) -> None:
    client = browser_of(lead)
    for _ in range(27):
        clock.go_on(hours=6)
        assert client.get("/staff/").status_code == 200
    clock.go_on(hours=6)
    assert not is_in(client)


def test_a_participant_stays_signed_in_for_two_weeks_without_use(clock: Clock, person: User) -> None:
    client = browser_of(person)
    clock.go_on(days=13)
    assert client.get("/").status_code == 200
    clock.go_on(days=13)
    assert is_in(client)


def test_somebody_made_staff_while_signed_in_has_the_times_of_staff(clock: Clock, person: User) -> None:
    client = browser_of(person)
    call_command("add_staff", person.email, stdout=StringIO())
    assert is_in(client)
    clock.go_on(hours=8)
    assert not is_in(client)


def test_use_writes_once_in_five_minutes(clock: Clock, lead: User) -> None:
    client = browser_of(lead)

    def writes() -> int:
        with CaptureQueriesContext(
            connection,
        ) as queries:
            client.get("/staff/")
        return sum(query["sql"].startswith('UPDATE "django_session"') for query in queries)

    found = []
    for _ in range(3):
        clock.go_on(minutes=2)
        found.append(writes())
    assert found == [0, 0, 1]


# --- what ends every session ---------------------------------------------------------------------------


def saved(user: User, **values: object) -> None:
    for name, value in values.items():
        setattr(user, name, value)
    user.save()


def without_factor(user: User) -> None:
    TOTP.activate(user, "JBSWY3DPEHPK3PXP")
    Authenticator.objects.filter(user=user).delete()


def out_of_group(user: User) -> None:
    group = Group.objects.create(name="readers")
    user.groups.add(group)
    group.user_set.remove(user)


def group_gone(user: User) -> None:
    user.groups.add(Group.objects.create(name="readers"))
    Group.objects.all().delete()


def without_permission(user: User) -> None:
    user.user_permissions.add(Permission.objects.earliest("pk"))
    user.user_permissions.clear()


def forgotten_by_command(user: User) -> None:
    TOTP.activate(user, "JBSWY3DPEHPK3PXP")
    call_command("add_staff", user.email, "--forget-second-factor", stdout=StringIO())


ROADS: dict[str, Callable[[User], object]] = {
    "disabled by command": lambda user: call_command("disable_staff", user.email, stdout=StringIO()),
    "disabled by a save": lambda user: saved(user, is_active=False),
    "disabled in bulk": lambda user: User.objects.update(is_active=False),
    "no longer staff, by a save": lambda user: saved(user, is_staff=False),
    "no longer staff, in bulk": lambda user: User.objects.filter(pk=user.pk).update(is_staff=False),
    "no longer superuser": lambda user: saved(user, is_superuser=False),
    "taken out of a group": out_of_group,
    "their group deleted": group_gone,
    "a permission taken": without_permission,
    "second factor deleted": without_factor,
    "second factor forgotten by command": forgotten_by_command,
    "signed out by command": lambda user: call_command("sign_out", user.email, stdout=StringIO()),
}


@pytest.mark.parametrize("road", ROADS)
def test_whoever_loses_a_right_is_signed_out_everywhere_and_for_good(road: str) -> None:
    lead = User.objects.create_superuser("lead@example.org")
    other = User.objects.create_superuser("other@example.org")
    browsers, bystander = [browser_of(lead), browser_of(lead)], browser_of(other)
    other.refresh_from_db()
    ROADS[road](lead)
    assert [is_in(client) for client in browsers] == [False, False]
    saved(User.objects.get(pk=lead.pk), is_active=True, is_staff=True, is_superuser=True)
    assert [is_in(client) for client in browsers] == [False, False]
    User.objects.filter(pk=other.pk).update(is_active=True)
    assert is_in(bystander) is (road != "disabled in bulk")
    assert is_in(browser_of(lead))


def test_what_takes_nothing_signs_nobody_out(person: User) -> None:
    client = browser_of(person)
    User.objects.update(is_staff=True, is_superuser=True)
    saved(User.objects.get(), first_name="Ada")
    User.objects.filter(is_staff=False).update(is_active=False)
    assert is_in(client)


def test_a_record_read_before_revives_no_session_when_it_is_saved(person: User) -> None:
    client = browser_of(person)
    stale = User.objects.get()
    call_command("sign_out", person.email, stdout=StringIO())
    stale.save()
    assert not is_in(client)


def test_the_log_tells_whose_sessions_ended_without_an_address(
    lead: User, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level("INFO", logger="chiron"):
        call_command("disable_staff", lead.email, stdout=StringIO())
    logged = " ".join(str(record.msg) for record in caplog.records)
    assert "every session of these people is ended" in logged
    assert "staff disabled" in logged
    assert f"'person': {lead.pk}" in logged
    assert lead.email not in logged
