"""Staff prove a second factor; participants may use a passkey and are never locked out by one."""

import json
import re

import pytest
from allauth.mfa.models import Authenticator
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal.auth import TOTP
from django.contrib import admin
from django.core import mail
from django.core.management import call_command
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from studies.models import User
from studies.services.mails.mails import mails_send
from tests.studies.second_factor.second_factors import (
    ACTIVATE,
    SECRET,
    SET_UP,
    app_code,
    shown_secret,
    signed_in,
)

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.usefixtures("staff_with_second_factor"),
]


@pytest.mark.parametrize("wanted", ["/staff/", "/admin/"])
def test_staff_without_one_are_sent_to_set_it_up(client: Client, lead: User, wanted: str) -> None:
    signed_in(client, lead)
    answer = client.get(wanted, follow=True)
    assert answer.redirect_chain[-1][0] == SET_UP
    assert "Staff see what participants write, so they sign in with a second factor." in answer.text


def test_staff_land_on_their_studies_and_others_on_their_own_page(client: Client, lead: User) -> None:
    assert signed_in(client, lead) == "/staff/"
    client.post("/accounts/logout/")
    assert signed_in(client, User.objects.create_user("person@example.org")) == "/"


@pytest.mark.parametrize("is_staff", [False, True])
def test_the_records_say_what_they_need(client: Client, is_staff: bool) -> None:
    client.force_login(User.objects.create_user("someone@example.org", is_staff=is_staff))
    answer = client.get("/admin/studies/study/", follow=True)
    assert answer.status_code == 403
    assert "need a staff account with administrator rights and a second factor" in answer.text
    assert "add_staff --superuser" in answer.text
    assert ('href="/staff/"' in answer.text) == is_staff


def test_the_records_lead_on_from_signing_in_to_the_page_that_was_asked_for(client: Client) -> None:
    asked = client.get("/admin/studies/study/", follow=True)
    assert asked.redirect_chain[-1][0] == "/accounts/login/?next=%2Fadmin%2Fstudies%2Fstudy%2F"


def test_connecting_an_app_lets_staff_go_on_to_the_page_they_wanted(client: Client, lead: User) -> None:
    signed_in(client, lead)
    client.get("/staff/?from=mail")
    done = client.post(ACTIVATE, {"code": app_code(shown_secret(client))})
    assert done["Location"] == "/accounts/2fa/recovery-codes/"
    codes = client.get(done["Location"])
    assert 'href="/staff/?from=mail"' in codes.text
    assert len(re.findall(r"\b\d{8}\b", codes.text)) == 10
    assert client.get("/staff/").status_code == 200
    assert "/staff/?from=mail" not in client.get(SET_UP).text


@pytest.mark.parametrize("mail_works", [True, False])
def test_a_change_is_mailed_and_stays_made_where_no_mail_can_be_sent(
    client: Client, settings: Settings, mail_works: bool
) -> None:
    person = User.objects.create_user("person@example.org")
    key = Authenticator.objects.create(user=person, type="webauthn", data={"name": "Phone", "credential": {}})
    client.force_login(person)
    if not mail_works:
        settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
        settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 1
    assert client.post(f"{SET_UP}webauthn/keys/{key.pk}/remove/")["Location"] == SET_UP
    assert not Authenticator.objects.exists()
    mails_send(clock=timezone.now)
    told = [(message.to, message.subject) for message in mail.outbox]
    assert told == [(["person@example.org"], "A passkey was removed from your account")] * mail_works


def test_a_wrong_code_of_the_app_is_said_and_connects_nothing(client: Client, lead: User) -> None:
    signed_in(client, lead)
    client.get(ACTIVATE)
    page = client.post(ACTIVATE, {"code": "000000"})
    assert "This did not work. Check the code" in page.text
    assert not Authenticator.objects.exists()


def test_staff_sign_in_with_both_factors(client: Client, lead: User) -> None:
    TOTP.activate(lead, SECRET)
    assert signed_in(client, lead) == "/accounts/2fa/authenticate/"
    assert client.get("/staff/")["Location"].startswith("/accounts/login/")
    assert "_auth_user_id" not in client.session
    client.post("/accounts/2fa/authenticate/", {"code": "000000"})
    assert "_auth_user_id" not in client.session
    client.post("/accounts/2fa/authenticate/", {"code": app_code(SECRET)})
    assert client.get("/staff/").status_code == 200


def test_a_recovery_code_works_once(lead: User) -> None:
    TOTP.activate(lead, SECRET)
    code = RecoveryCodes.activate(lead).get_unused_codes()[0]
    first, second = Client(), Client()
    for client in (first, second):
        signed_in(client, lead)
        client.post("/accounts/2fa/authenticate/", {"code": code})
    assert "_auth_user_id" in first.session
    assert "_auth_user_id" not in second.session


def test_somebody_made_staff_while_signed_in_proves_the_factor_they_have(client: Client) -> None:
    person = User.objects.create_user("person@example.org")
    signed_in(client, person)
    TOTP.activate(person, SECRET)
    User.objects.update(is_staff=True)
    asked = client.get("/staff/")
    assert asked["Location"] == "/accounts/2fa/reauthenticate/?next=%2Fstaff%2F"
    done = client.post(asked["Location"], {"code": app_code(SECRET)})
    assert done["Location"] == "/staff/"
    assert client.get("/staff/").status_code == 200


def test_staff_change_a_factor_only_after_proving_it(client: Client, lead: User) -> None:
    TOTP.activate(lead, SECRET)
    client.force_login(lead)
    for page in ("totp/deactivate/", "recovery-codes/", "recovery-codes/generate/", "webauthn/add/"):
        assert client.get(f"{SET_UP}{page}").status_code in {302, 404}
    client.post(f"{SET_UP}totp/deactivate/")
    assert Authenticator.objects.filter(type="totp").exists()


def test_switched_off_staff_need_none(client: Client, lead: User, settings: Settings) -> None:
    settings.STAFF_SECOND_FACTOR = False
    signed_in(client, lead)
    assert client.get("/staff/").status_code == 200


def test_participants_are_asked_for_nothing_and_see_no_app(client: Client) -> None:
    signed_in(client, User.objects.create_user("person@example.org"))
    page = client.get(SET_UP)
    assert "Add a passkey" in page.text
    assert "Authenticator app" not in page.text
    for address in ("totp/activate/", "totp/deactivate/", "recovery-codes/", "recovery-codes/generate/"):
        assert client.get(f"{SET_UP}{address}").status_code == 404
    assert client.get("/staff/").status_code == 404


def test_a_participant_with_a_passkey_still_signs_in_by_code_alone(client: Client) -> None:
    person = User.objects.create_user("person@example.org")
    Authenticator.objects.create(user=person, type="webauthn", data={"name": "Phone", "credential": {}})
    assert signed_in(client, person) == "/"
    assert "_auth_user_id" in client.session


def test_the_security_pages_need_a_sign_in(client: Client) -> None:
    for address in ("", "totp/activate/", "recovery-codes/"):
        assert client.get(f"{SET_UP}{address}")["Location"].startswith("/accounts/login/")
    assert client.post(f"{SET_UP}webauthn/add/")["Location"].startswith("/accounts/login/")


def test_nobody_removes_the_passkey_of_somebody_else(client: Client) -> None:
    owner = User.objects.create_user("owner@example.org")
    key = Authenticator.objects.create(user=owner, type="webauthn", data={"name": "Phone", "credential": {}})
    signed_in(client, User.objects.create_user("person@example.org"))
    assert client.post(f"{SET_UP}webauthn/keys/{key.pk}/remove/").status_code == 404
    assert Authenticator.objects.filter(pk=key.pk).exists()


@pytest.mark.parametrize(
    "credential",
    ["", "no json", "[]", "{}", '"x"', json.dumps({"response": {"userHandle": None}}), '{"response": 1}'],
)
def test_a_made_up_passkey_lets_nobody_in(client: Client, credential: str) -> None:
    client.get(f"{SET_UP}webauthn/login/", headers={"accept": "application/json"})
    answer = client.post(f"{SET_UP}webauthn/login/", {"credential": credential})
    assert (answer.status_code, answer["Location"]) == (302, "/accounts/login/")
    assert "_auth_user_id" not in client.session


def test_the_records_show_no_secret_of_a_second_factor(client: Client, lead: User) -> None:
    client.force_login(lead)
    assert client.get("/admin/mfa/authenticator/").status_code in {302, 404}
    assert not admin.site.is_registered(Authenticator)


def test_who_lost_everything_is_let_in_again_from_the_command_line(
    client: Client, lead: User, capsys: pytest.CaptureFixture[str]
) -> None:
    TOTP.activate(lead, SECRET)
    RecoveryCodes.activate(lead)
    call_command("add_staff", lead.email, "--forget-second-factor")
    assert (
        "Their second factor is forgotten (passkeys, apps and sets of codes: 2)." in capsys.readouterr().out
    )
    assert signed_in(client, lead) == "/staff/"
    assert client.get("/staff/")["Location"] == SET_UP
