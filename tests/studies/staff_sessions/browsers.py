"""Browsers that are signed in."""

import re

from django.core import mail
from django.test import Client

from studies.models import User
from studies.services.database import database_now
from studies.services.mails.mails import mails_send

LOGIN, SECURITY = "/accounts/login/", "/accounts/2fa/"
FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
POLL = {"sec-fetch-dest": "empty"}


def browser_of(person: User, name: str = FIREFOX) -> Client:
    """A browser in which they have signed in by code."""
    client = Client(headers={"user-agent": name})
    asked = client.post(LOGIN, {"email": person.email})
    mails_send(clock=database_now)
    code = re.findall(r"^([A-Z0-9-]{4,})$", str(mail.outbox[-1].body), re.MULTILINE)[-1]
    client.post(asked["Location"], {"code": code})
    assert is_in(client)
    return client


def is_in(client: Client) -> bool:
    """Whether a script of an open page would still get in, which is no use."""
    return client.get(SECURITY, headers=POLL).status_code == 200
