"""What the study home shows of the path of a participant."""

import re
from html import unescape
from typing import Any

from django.test import Client

from studies.models import Participant

HOME, START = "/studies/pilot/", "/studies/pilot/start/"


def signed_in(participant: Participant) -> Client:
    client = Client()
    client.force_login(participant.user)
    return client


def text_of(reply: Any) -> str:
    """What the page says, without tags and with single spaces."""
    return unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", reply.content.decode())))


def primary_address(reply: Any) -> str | None:
    """Where the one primary button leads."""
    buttons = re.findall(r'<a class="button primary"\s+href="([^"]+)"', reply.content.decode())
    assert len(buttons) <= 1
    return buttons[0] if buttons else None
