"""Signing in by e-mailed code, and the account pages there are not."""

import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.core import mail
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from studies.models import User

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("clear_rate_limits")]

LOGIN, CONFIRM = "/accounts/login/", "/accounts/login/code/confirm/"


@pytest.fixture
def person() -> User:
    return User.objects.create_user("person@example.org")


def code_mailed() -> str:
    found = re.search(r"^([A-Z0-9-]{4,})$", str(mail.outbox[-1].body), re.MULTILINE)
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
    assert mail.outbox[0].to == ["person@example.org"]
    assert mail.outbox[0].subject == "Your sign-in code"
    assert b"one-time-code" in client.get(CONFIRM).content
    entered = client.post(CONFIRM, {"code": code_mailed()})
    assert (entered.status_code, entered["Location"]) == (302, "/")
    assert client.session["_auth_user_id"] == str(person.pk)


def test_a_person_lands_where_they_wanted_to_go(client: Client, person: User) -> None:
    asked = client.post(f"{LOGIN}?next=/studies/pilot/", {"email": person.email})
    entered = client.post(asked["Location"], {"code": code_mailed(), "next": "/studies/pilot/"})
    assert entered["Location"] == "/studies/pilot/"


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
    mail.outbox.clear()
    other = Client()
    unknown = other.post(LOGIN, {"email": "stranger@example.org"})
    assert (known.status_code, known["Location"]) == (unknown.status_code, unknown["Location"])
    assert mail.outbox == []
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
    assert len(mail.outbox) == 5


def test_another_code_can_be_asked_for(client: Client, person: User) -> None:
    client.post(LOGIN, {"email": person.email})
    first = code_mailed()
    client.post(CONFIRM, {"action": "resend"})
    assert len(mail.outbox) == 2
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
    assert mail.outbox == []


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
    body = str(mail.outbox[0].body)
    assert body.startswith("Your code for signing in at testserver:\n\n")
    assert len(re.findall(r"^[A-Z0-9-]{4,}$", body, re.MULTILINE)) == 1


def test_a_mail_server_that_does_not_answer_is_said_and_nobody_waits_for_a_code(
    client: Client, person: User, settings: Settings
) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 1
    page = client.post(LOGIN, {"email": person.email})
    assert page.status_code == 503
    assert b"This site cannot send e-mail at the moment." in page.content
    assert client.get(CONFIRM)["Location"] == f"{LOGIN}code/"


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
