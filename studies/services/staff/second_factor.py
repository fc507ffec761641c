"""Proving a second factor by a typed code, and the keys its secrets are encrypted with."""

from datetime import datetime

import structlog
from allauth.core.internal.cryptokit import compare_user_code
from allauth.mfa import app_settings
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value
from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django.conf import settings
from django.db import transaction

from studies.models import User

LOG = structlog.get_logger("chiron")
# The time step of the newest code of an app that was used: neither it nor an earlier one works again.
LAST_STEP = "last_step"
# Where authenticators of each type keep what must not be read from a copy of the database.
SECRETS = {Authenticator.Type.TOTP: "secret", Authenticator.Type.RECOVERY_CODES: "seed"}


def second_factor_keys() -> MultiFernet:
    """The keys of the setting: the first encrypts, all decrypt."""
    return MultiFernet([Fernet(key) for key in settings.SECOND_FACTOR_KEYS])


@transaction.atomic
def second_factor_use(*, user: User, code: str, now: datetime) -> Authenticator | None:
    """The app or set of recovery codes that this code is of; it works once. None: a wrong or used one."""
    typed = Authenticator.objects.select_for_update().filter(user=user, type__in=SECRETS).order_by("-type")
    try:
        for authenticator in typed:
            if authenticator.type == Authenticator.Type.TOTP:
                works = _use_app(authenticator, code, now)
            else:
                works = bool(authenticator.wrap().validate_code(code))
            if works:
                return authenticator
        return None
    except InvalidToken:
        LOG.error("a second factor cannot be decrypted; name its key in CHIRON_SECOND_FACTOR_KEYS")
        return None


def _use_app(authenticator: Authenticator, code: str, now: datetime) -> bool:
    secret = second_factor_keys().decrypt(authenticator.data["secret"]).decode()
    current = int(now.timestamp()) // app_settings.TOTP_PERIOD
    tolerance = app_settings.TOTP_TOLERANCE
    for step in range(current - tolerance, current + tolerance + 1):
        expected = format_hotp_value(hotp_value(secret, step))
        if step > authenticator.data.get(LAST_STEP, -1) and compare_user_code(actual=code, expected=expected):
            authenticator.data[LAST_STEP] = step
            authenticator.save(update_fields=["data"])
            return True
    return False


@transaction.atomic
def second_factors_encrypt_again() -> int:
    """Encrypt every secret with the first key; return how many. Raises InvalidToken if a key is missing."""
    keys, number = second_factor_keys(), 0
    for authenticator in Authenticator.objects.select_for_update().filter(type__in=SECRETS).order_by("pk"):
        name = SECRETS[authenticator.type]
        authenticator.data[name] = keys.rotate(authenticator.data[name]).decode()
        authenticator.save(update_fields=["data"])
        number += 1
    return number
