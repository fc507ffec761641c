"""What staff take away or change asks for a new proof of the second factor."""

from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode
from uuid import uuid4

import pytest
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import TOTP
from django.contrib.sessions.models import Session
from django.test import Client
from pytest_django import Settings

from judging.models import JudgeConfig
from studies.models import Study, User
from tests.studies.second_factor.second_factors import SECRET, SET_UP, app_code, signed_in

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.usefixtures("staff_with_second_factor"),
]


@pytest.fixture
def study(make_study: Callable[..., Study], db: None) -> Study:
    return make_study(slug="pages")


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
