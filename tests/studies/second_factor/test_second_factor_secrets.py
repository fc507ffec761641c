"""Secrets of second factors are stored encrypted."""

from importlib import import_module

import pytest
from allauth.mfa.models import Authenticator
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal.auth import TOTP
from cryptography.fernet import Fernet
from django.apps import apps
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from studies.models import User
from studies.services.staff.second_factor import second_factor_use
from tests.studies.second_factor.second_factors import ACTIVATE, SECRET, app_code, shown_secret, signed_in

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.usefixtures("staff_with_second_factor"),
]


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
