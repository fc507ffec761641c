"""Signing in with a second factor."""

import re
import time

from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value
from django.core import mail
from django.test import Client
from django.utils import timezone

from studies.models import User
from studies.services.mails.mails import mails_send

SET_UP, ACTIVATE = "/accounts/2fa/", "/accounts/2fa/totp/activate/"
SECRET = "JBSWY3DPEHPK3PXP"


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
