"""Signing in by e-mailed code, and the account pages there are not."""

import re
from collections.abc import Callable
from datetime import timedelta
from http.cookies import SimpleCookie
from typing import Any

import pytest
from django.contrib.sessions.models import Session
from django.core import mail
from django.core.management import call_command
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from batches.tasks import clear_sign_ins
from studies.models import Participant, Study, User
from studies.services.mails.mails import mails_send
from studies.services.staff.sign_in import sign_ins_clear
from tests.support.same_moment import at_the_same_moment

pytestmark = pytest.mark.django_db

LOGIN, CONFIRM = "/accounts/login/", "/accounts/login/code/confirm/"


@pytest.fixture
def person() -> User:
    return User.objects.create_user("person@example.org")


def mailed() -> list[mail.EmailMessage]:
    """What has gone out once a worker did its part."""
    mails_send(clock=timezone.now)
    return mail.outbox


def code_mailed() -> str:
    found = re.search(r"^([A-Z0-9-]{4,})$", str(mailed()[-1].body), re.MULTILINE)
    assert found
    return found[1]


def sign_in(client: Client, email: str, next_page: str = "") -> None:
    suffix = f"?next={next_page}" if next_page else ""
    asked = client.post(LOGIN + suffix, {"email": email})
    assert asked["Location"].startswith(CONFIRM)
    client.post(asked["Location"], {"code": code_mailed()})


def test_a_person_signs_in_with_the_code_sent_to_them(client: Client, person: User) -> None:
    page = client.get(LOGIN)
    assert b'type="email"' in page.content
    assert b"password" not in re.sub(rb"There is no password", b"", page.content)
    asked = client.post(LOGIN, {"email": "Person@Example.org"})
    assert (asked.status_code, asked["Location"]) == (302, CONFIRM)
    assert mailed()[0].to == ["person@example.org"]
    assert mail.outbox[0].subject == "Your sign-in code"
    assert b"one-time-code" in client.get(CONFIRM).content
    entered = client.post(CONFIRM, {"code": code_mailed()})
    assert (entered.status_code, entered["Location"]) == (302, "/")
    assert client.session["_auth_user_id"] == str(person.pk)


def test_a_person_lands_where_they_wanted_to_go(client: Client, person: User) -> None:
    asked = client.post(f"{LOGIN}?next=/studies/pilot/", {"email": person.email})
    entered = client.post(asked["Location"], {"code": code_mailed(), "next": "/studies/pilot/"})
    assert entered["Location"] == "/studies/pilot/"


def test_sign_ins_and_codes_that_are_over_are_deleted_daily(
    client: Client, person: User, settings: Settings
) -> None:
    def left_after(**time: float) -> list[str]:
        sign_ins_clear(now=timezone.now() + timedelta(**time))
        return [str(one.get_decoded().get("_auth_user_id", "a visitor")) for one in Session.objects.all()]

    sign_in(client, person.email)
    visitor = Client()
    visitor.post(LOGIN, {"email": person.email})
    assert sorted(left_after(hours=23)) == sorted([str(person.pk), "a visitor"])
    assert left_after(hours=25) == [str(person.pk)]
    assert left_after(days=13) == [str(person.pk)]
    assert left_after(days=15) == []
    # More than daily: where a site runs for some hours a day, the first time is before its clock is believed.
    due = settings.CELERY_BEAT_SCHEDULE["clear-sign-ins"]
    assert (due["task"], due["schedule"]) == (clear_sign_ins.name, timedelta(hours=1))


def test_the_scheduler_without_a_worker_deletes_them_too(
    client: Client, person: User, capsys: pytest.CaptureFixture[str]
) -> None:
    sign_in(client, person.email)
    Session.objects.update(expire_date=timezone.now() - timedelta(seconds=1))
    call_command("erase_withdrawn")
    assert "Deleted 1 stored session of earlier sign-ins." in capsys.readouterr().out
    assert not Session.objects.exists()


def test_an_account_of_an_address_that_nobody_signed_in_with_goes_after_a_month(
    client: Client, person: User, make_study: Callable[..., Study], make_person: Callable[..., Participant]
) -> None:
    stranger = User.objects.create_user("stranger@example.org")
    kept = {
        make_person(make_study()).user,
        User.objects.create_user("member@example.org", is_staff=True),
        person,
    }
    sign_in(client, person.email)
    sign_ins_clear(now=timezone.now() + timedelta(days=29))
    assert stranger in User.objects.all()
    sign_ins_clear(now=timezone.now() + timedelta(days=31))
    assert set(User.objects.all()) == kept


def test_nobody_is_sent_to_another_site(client: Client, person: User) -> None:
    client.post(LOGIN, {"email": person.email})
    entered = client.post(CONFIRM, {"code": code_mailed(), "next": "https://example.com/"})
    assert entered["Location"] == "/"


def test_signed_in_state_outlives_the_longest_session(client: Client, person: User) -> None:
    sign_in(client, person.email)
    assert client.cookies["sessionid"]["max-age"] == 14 * 24 * 3600


def test_use_renews_it_once_a_day_and_writes_nothing_otherwise(
    client: Client, person: User, django_assert_num_queries: Callable[..., Any]
) -> None:
    sign_in(client, person.email)
    assert "sessionid" not in client.get("/").cookies
    User.objects.update(last_login=timezone.now() - timedelta(days=13))
    assert client.get("/").cookies["sessionid"]["max-age"] == 14 * 24 * 3600
    with django_assert_num_queries(3):  # session, person, their studies
        assert "sessionid" not in client.get("/").cookies
    session = client.session
    session["renewed_at"] = (timezone.now() - timedelta(days=1)).isoformat()
    session.save()
    assert "sessionid" in client.get("/").cookies


def test_a_superuser_signs_in_the_same_way_and_reaches_the_records(client: Client) -> None:
    User.objects.create_superuser("root@example.org", "a long password indeed")
    refused = client.get("/admin/")
    assert (refused.status_code, refused["Location"]) == (302, "/admin/login/?next=/admin/")
    assert client.get(refused["Location"])["Location"].startswith(LOGIN)
    sign_in(client, "root@example.org")
    assert client.get("/admin/").status_code == 200


def test_a_password_is_no_way_in(client: Client) -> None:
    User.objects.create_superuser("root@example.org", "a long password indeed")
    for page in (LOGIN, "/admin/login/"):
        client.post(page, {"email": "x", "login": "root@example.org", "password": "a long password indeed"})
        client.post(page, {"username": "root@example.org", "password": "a long password indeed"})
    assert "_auth_user_id" not in client.session


def test_an_unknown_address_gets_the_same_answer_and_no_mail(client: Client, person: User) -> None:
    known = client.post(LOGIN, {"email": person.email})
    mailed().clear()
    other = Client()
    unknown = other.post(LOGIN, {"email": "stranger@example.org"})
    assert (known.status_code, known["Location"]) == (unknown.status_code, unknown["Location"])
    assert mailed() == []
    page = other.get(CONFIRM)
    assert b"stranger@example.org" in page.content
    assert not User.objects.filter(email="stranger@example.org").exists()


@pytest.mark.parametrize("email", ["", "person", "person@"])
def test_what_is_no_address_is_said_at_the_field(client: Client, email: str) -> None:
    page = client.post(LOGIN, {"email": email})
    assert page.status_code == 200
    assert b'class="errorlist' in page.content
    assert b'aria-invalid="true"' in page.content


def test_a_wrong_code_is_said_and_a_few_of_them_end_the_attempt(client: Client, person: User) -> None:
    client.post(LOGIN, {"email": person.email})
    page = client.post(CONFIRM, {"code": "WRONG1"})
    assert b"Incorrect code" in page.content
    for _ in range(4):
        page = client.post(CONFIRM, {"code": "WRONG1"})
    assert page.status_code == 302
    client.post(CONFIRM, {"code": code_mailed()})
    assert "_auth_user_id" not in client.session


def test_asking_for_codes_without_end_is_refused(client: Client, person: User) -> None:
    for _ in range(5):
        assert Client().post(LOGIN, {"email": person.email}).status_code == 302
    page = Client().post(LOGIN, {"email": person.email})
    assert page.status_code == 200
    assert b"Too many attempts. Please wait" in page.content
    assert len(mailed()) == 5


def test_another_code_can_be_asked_for(client: Client, person: User) -> None:
    client.post(LOGIN, {"email": person.email})
    first = code_mailed()
    client.post(CONFIRM, {"action": "resend"})
    assert len(mailed()) == 2
    assert code_mailed() != first
    client.post(CONFIRM, {"code": code_mailed()})
    assert "_auth_user_id" in client.session


def test_another_address_can_be_used(client: Client, person: User) -> None:
    client.post(LOGIN, {"email": "mistyped@example.org"})
    left = client.post("/accounts/logout/", {"next": LOGIN})
    assert left["Location"] == LOGIN
    assert client.get(LOGIN).status_code == 200


def test_signing_out_takes_a_button(client: Client, person: User) -> None:
    sign_in(client, person.email)
    assert b"running clock keeps running" in client.get("/accounts/logout/").content
    assert "_auth_user_id" in client.session
    client.post("/accounts/logout/")
    assert "_auth_user_id" not in client.session


def test_after_signing_out_the_back_button_shows_no_page_again(client: Client, person: User) -> None:
    """Two people may use one device: browsers keep whole pages with what was typed into them."""
    client.force_login(person)
    assert client.post("/accounts/logout/")["Clear-Site-Data"] == '"cache"'


def test_a_closed_account_gets_no_code(client: Client, person: User) -> None:
    User.objects.update(is_active=False)
    client.post(LOGIN, {"email": person.email})
    assert mailed() == []


@pytest.mark.parametrize(
    "address",
    [
        "signup/", "password/reset/", "password/change/", "password/set/", "email/", "confirm-email/",
        "reauthenticate/", "3rdparty/", "2fa/trust/", "2fa/webauthn/signup/", "phone/change/", "",
    ],
)  # fmt: skip
def test_there_are_no_other_account_pages(client: Client, person: User, address: str) -> None:
    assert client.get(f"/accounts/{address}").status_code == 404
    sign_in(client, person.email)
    assert client.get(f"/accounts/{address}").status_code == 404


def test_the_mail_names_no_study_and_holds_one_code(client: Client, person: User) -> None:
    client.post(LOGIN, {"email": person.email})
    body = str(mailed()[0].body)
    assert body.startswith("Your code for signing in at testserver:\n\n")
    assert len(re.findall(r"^[A-Z0-9-]{4,}$", body, re.MULTILINE)) == 1


def test_signing_in_leaves_no_address_and_no_code_in_the_logs(
    client: Client, person: User, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level("DEBUG"):
        client.post(LOGIN, {"email": person.email})
        client.post(CONFIRM, {"code": "WRONG1"})
        client.post(CONFIRM, {"code": code_mailed()})
    own = [record for record in caplog.records if not record.name.startswith("django.db")]
    logged = " ".join(record.getMessage() for record in own)
    assert person.email not in logged
    assert code_mailed() not in logged


@pytest.mark.django_db(transaction=True)
def test_a_code_used_eight_times_at_once_lets_one_in(person: User) -> None:
    asking = Client()
    asking.post(LOGIN, {"email": person.email})
    code = code_mailed()

    def enter() -> bool:
        browser = Client()
        browser.cookies = SimpleCookie(asking.cookies.output(header="", sep=";"))
        # One that comes while another signs in has lost its session (400), as that gets a new key.
        assert browser.post(CONFIRM, {"code": code}, follow=True).status_code in {200, 400}
        return "_auth_user_id" in browser.session

    assert at_the_same_moment([enter] * 8).count(True) == 1
