"""Staff prove a second factor; participants may use a passkey and are never locked out by one."""

import json
import re
import time
from collections.abc import Callable
from importlib import import_module
from typing import Any
from urllib.parse import urlencode
from uuid import uuid4

import pytest
from allauth.mfa.models import Authenticator
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal.auth import TOTP, format_hotp_value, hotp_value
from cryptography.fernet import Fernet
from django.apps import apps
from django.contrib import admin
from django.contrib.sessions.models import Session
from django.core import mail
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from judging.models import JudgeConfig
from studies.models import Study, User
from studies.services.mails import mails_send
from studies.services.second_factor import second_factor_use

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.usefixtures("staff_with_second_factor"),
]

SET_UP, ACTIVATE = "/accounts/2fa/", "/accounts/2fa/totp/activate/"
SECRET = "JBSWY3DPEHPK3PXP"


@pytest.fixture
def study(make_study: Callable[..., Study], db: None) -> Study:
    return make_study(slug="pages")


@pytest.fixture
def staff_with_second_factor(staff_without_second_factor: None, settings: Settings) -> None:
    settings.STAFF_SECOND_FACTOR = True


@pytest.fixture
def lead() -> User:
    return User.objects.create_superuser("lead@example.org", "a long password indeed")


def signed_in(client: Client, person: User) -> str:
    """Sign in by code; where that leads."""
    asked = client.post("/accounts/login/", {"email": person.email})
    mails_send(clock=timezone.now)
    code = re.findall(r"^([A-Z0-9-]{4,})$", str(mail.outbox[-1].body), re.MULTILINE)
    return str(client.post(asked["Location"], {"code": code[-1]})["Location"])


def app_code(secret: str, *, steps: int = 0) -> str:
    return str(format_hotp_value(hotp_value(secret, int(time.time()) // 30 + steps)))


def shown_secret(client: Client) -> str:
    found = re.search(r"<dd class=\"code\">\s*(\w+)", client.get(ACTIVATE).text)
    assert found
    return found[1]


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
    assert "Their second factor is forgotten (2 passkeys, apps, sets of codes)." in capsys.readouterr().out
    assert signed_in(client, lead) == "/staff/"
    assert client.get("/staff/")["Location"] == SET_UP


# --- a second factor proved long ago ----------------------------------------------------------------------

PROOF = "/accounts/2fa/reauthenticate/"
JUDGE = {
    "slug": "my-judge",
    "base_url": "https://judge.example/v1",
    "model": "judge-1",
    "provider": "generic",
    "parameters": "{}",
    "concurrency": "8",
    "timeout_seconds": "60",
}


@pytest.fixture
def proved(client: Client, lead: User) -> Client:
    """The lead's browser just after a sign-in with both factors."""
    TOTP.activate(lead, SECRET)
    signed_in(client, lead)
    client.post("/accounts/2fa/authenticate/", {"code": app_code(SECRET)})
    return client


def time_passes(client: Client, minutes: int) -> None:
    """Since the second factor was proved at this session."""
    session = client.session
    for record in session["account_authentication_methods"]:
        record["at"] -= minutes * 60
    session.save()


def prove(client: Client, asked: Any) -> Any:
    assert asked["Location"].startswith(PROOF)
    return client.post(asked["Location"], {"code": app_code(SECRET, steps=1)})


@pytest.mark.parametrize("file", ["payments.csv", "report/report.html"])
def test_staff_take_nothing_away_on_a_proof_of_long_ago(proved: Client, study: Study, file: str) -> None:
    address = f"/staff/studies/{study.slug}/{file}"
    assert proved.get(address).status_code == 200
    time_passes(proved, minutes=16)
    assert proved.get(f"/staff/studies/{study.slug}/").status_code == 200
    assert prove(proved, proved.get(address))["Location"] == address
    assert proved.get(address).status_code == 200


def test_nor_on_one_that_a_wrong_clock_dated_ahead(proved: Client, study: Study) -> None:
    time_passes(proved, minutes=-60)
    address = f"/staff/studies/{study.slug}/payments.csv"
    assert prove(proved, proved.get(address))["Location"] == address
    assert proved.get(address).status_code == 200


def test_nor_a_file_that_somebody_handed_in(proved: Client, study: Study) -> None:
    time_passes(proved, minutes=16)
    address = f"/staff/studies/{study.slug}/participants/P-ABCDEF/credentials/{uuid4()}/"
    assert proved.get(address)["Location"] == f"{PROOF}?{urlencode({'next': address})}"


def test_judges_change_only_on_a_new_proof_and_what_was_sent_is_done_then(proved: Client) -> None:
    time_passes(proved, minutes=16)
    assert proved.get("/staff/add-judge/").status_code == 200
    asked = proved.post("/staff/add-judge/", JUDGE)
    assert not JudgeConfig.objects.exists()
    page = proved.get(asked["Location"]).text
    assert "What you sent is kept, and done as soon as your second factor is proved." in page
    assert prove(proved, asked)["Location"] == "/staff/judges/my-judge/"
    judge = JudgeConfig.objects.get()
    for address in ("", "try/"):
        time_passes(proved, minutes=16)
        assert proved.get(f"/staff/judges/{judge.slug}/").status_code == 200
        changed = proved.post(f"/staff/judges/{judge.slug}/{address}", {**JUDGE, "model": "judge-2"})
        assert changed["Location"].startswith(PROOF)
    judge.refresh_from_db()
    assert judge.model == "judge-1"


def stored_sessions() -> str:
    return str([one.get_decoded() for one in Session.objects.all()])


@pytest.mark.parametrize("address", ["/staff/add-judge/", f"{SET_UP}totp/deactivate/"])
def test_what_is_kept_until_the_proof_is_what_was_sent_and_no_header(proved: Client, address: str) -> None:
    time_passes(proved, minutes=16)
    sent = {**JUDGE, "csrfmiddlewaretoken": "a-token"}
    asked = proved.post(address, sent, REMOTE_ADDR="192.0.2.77", headers={"user-agent": "Browser/77"})
    assert asked["Location"] == f"{PROOF}?{urlencode({'next': address})}"
    stored = stored_sessions()
    assert "judge-1" in stored
    for secret in ("192.0.2.77", "Browser/77", proved.cookies["sessionid"].value, "a-token"):
        assert secret not in stored
    assert prove(proved, asked).status_code == 302
    assert (JudgeConfig.objects.exists(), Authenticator.objects.filter(type="totp").exists()) == (
        (True, True) if "judge" in address else (False, False)
    )


def test_what_was_sent_elsewhere_is_not_done(proved: Client) -> None:
    time_passes(proved, minutes=16)
    proved.post("/staff/add-judge/", JUDGE)
    done = proved.post(f"{PROOF}?next=/staff/", {"code": app_code(SECRET, steps=1)})
    assert done["Location"] == "/staff/"
    assert not JudgeConfig.objects.exists()


def test_a_key_typed_as_its_variable_is_refused_before_the_proof_and_stored_nowhere(proved: Client) -> None:
    key = "sk-0123456789abcdef0123456789abcdef"
    proved.post("/staff/add-judge/", JUDGE)
    time_passes(proved, minutes=16)
    for address in ("/staff/add-judge/", "/staff/judges/my-judge/"):
        page = proved.post(address, {**JUDGE, "slug": "other", "key_variable": key})
        assert page.status_code == 422
        assert "The key itself belongs neither" in page.text
        assert key not in page.text + stored_sessions()


def test_nobody_is_asked_where_staff_need_no_second_factor(
    client: Client, lead: User, study: Study, settings: Settings
) -> None:
    settings.STAFF_SECOND_FACTOR = False
    client.force_login(lead)
    assert client.get(f"/staff/studies/{study.slug}/payments.csv").status_code == 200
    assert client.post("/staff/add-judge/", JUDGE)["Location"] == "/staff/judges/my-judge/"


def test_a_factor_is_changed_only_on_a_new_proof(proved: Client) -> None:
    time_passes(proved, minutes=16)
    for page in ("totp/deactivate/", "recovery-codes/generate/", "webauthn/add/"):
        assert proved.get(f"{SET_UP}{page}")["Location"].startswith(PROOF)


def test_who_removes_their_last_factor_sets_one_up_again_and_is_signed_out_elsewhere(
    proved: Client, lead: User
) -> None:
    elsewhere = Client()
    elsewhere.force_login(User.objects.get(pk=lead.pk))
    assert proved.post(f"{SET_UP}totp/deactivate/")["Location"] == SET_UP
    assert elsewhere.get(SET_UP)["Location"].startswith("/accounts/login/")
    assert proved.get(SET_UP).status_code == 200
    assert proved.get("/staff/")["Location"] == SET_UP


def test_secrets_are_stored_encrypted_and_a_new_key_takes_over(
    client: Client, lead: User, settings: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    TOTP.activate(lead, SECRET)
    code = RecoveryCodes.activate(lead).get_unused_codes()[0]
    stored = str(list(Authenticator.objects.values_list("data", flat=True)))
    assert SECRET not in stored
    old, new = settings.SECOND_FACTOR_KEYS, Fernet.generate_key().decode()

    settings.SECOND_FACTOR_KEYS = (new,)
    with pytest.raises(CommandError, match="add the former key at its end"):
        call_command("encrypt_second_factors")
    settings.SECOND_FACTOR_KEYS = (new, *old)
    call_command("encrypt_second_factors")
    assert capsys.readouterr().out == "2 secrets encrypted with the first key.\n"
    assert str(list(Authenticator.objects.values_list("data", flat=True))) != stored

    settings.SECOND_FACTOR_KEYS = (new,)
    for typed in (app_code(SECRET), code):
        signed_in(client, lead)
        client.post("/accounts/2fa/authenticate/", {"code": typed})
        assert client.get("/staff/").status_code == 200
        client.logout()


def test_a_secret_under_a_key_that_is_gone_lets_nobody_in_and_is_logged(
    client: Client, lead: User, settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    TOTP.activate(lead, SECRET)
    settings.SECOND_FACTOR_KEYS = (Fernet.generate_key().decode(),)
    signed_in(client, lead)
    page = client.post("/accounts/2fa/authenticate/", {"code": app_code(SECRET)})
    assert "This did not work." in page.text
    assert "name its key in CHIRON_SECOND_FACTOR_KEYS" in caplog.text


def test_secrets_of_earlier_releases_are_encrypted_once_by_the_migration(lead: User) -> None:
    data = {"totp": {"secret": SECRET}, "recovery_codes": {"seed": "5eed", "used_mask": 5}}
    for kind, plain in data.items():
        Authenticator.objects.create(user=lead, type=kind, data=plain)
    Authenticator.objects.create(user=lead, type="webauthn", data={"name": "Phone", "credential": {}})
    import_module("studies.migrations.0005_secrets_of_second_factors_encrypted").encrypt(apps, None)
    stored = {one.type: one.data for one in Authenticator.objects.all()}
    assert SECRET not in str(stored)
    assert "5eed" not in str(stored)
    assert stored["recovery_codes"]["used_mask"] == 5
    assert stored["webauthn"] == {"name": "Phone", "credential": {}}
    assert second_factor_use(user=lead, code=app_code(SECRET), now=timezone.now()) is not None


def test_the_code_that_connected_an_app_is_used(client: Client, lead: User) -> None:
    signed_in(client, lead)
    code = app_code(shown_secret(client))
    client.post(ACTIVATE, {"code": code})
    other = Client()
    signed_in(other, lead)
    page = other.post("/accounts/2fa/authenticate/", {"code": code})
    assert "This did not work." in page.text
