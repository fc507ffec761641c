"""A signed-in person's browser, and whether a page is well made."""

import re
from html.parser import HTMLParser

from django.test import Client

from studies.models import Participant, Study
from studies.protocol.consents import consent_sha256


def signed_in(person: Participant) -> Client:
    client = Client()
    client.force_login(person.user)
    return client


class Outline(HTMLParser):
    """What matters to a keyboard, a screen reader and the security policy."""

    def __init__(self, page: bytes) -> None:
        super().__init__()
        self.headings: list[int] = []
        self.labelled: set[str] = set()
        self.fields: list[str] = []
        self.refused: list[str] = []
        self.feed(page.decode())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        if re.fullmatch("h[1-6]", tag):
            self.headings.append(int(tag[1]))
        if tag == "label":
            self.labelled.add(values.get("for") or "")
        if tag in ("input", "select", "textarea") and values.get("type") != "hidden":
            self.fields.append(values.get("id") or "")
        is_data = values.get("type") == "application/json"
        inline = tag == "style" or (tag == "script" and "src" not in values and not is_data)
        if inline or "style" in values or any(name.startswith("on") for name in values):
            self.refused.append(tag)


def assert_well_made(page: bytes) -> None:
    outline = Outline(page)
    assert outline.headings[0] == 1
    assert outline.headings.count(1) == 1
    steps = zip(outline.headings, outline.headings[1:], strict=False)
    assert all(deeper - level <= 1 for level, deeper in steps)
    assert set(outline.fields) <= outline.labelled
    assert outline.refused == []
    assert b'<a class="skip-link" href="#main">' in page
    assert b'<html lang="en">' in page


def consent_form(study: Study, decision: str) -> dict[str, str]:
    return {"decision": decision, "shown": consent_sha256(study.protocol)}


CONSENT = "/studies/pilot/consent/"
