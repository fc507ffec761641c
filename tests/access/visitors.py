"""Browsers of every role, whose requests are taken back."""

from collections.abc import Callable, Mapping
from html import unescape
from typing import Any

from django.conf import settings as django_settings
from django.db import transaction
from django.test import Client

# Bodies are empty, but for the JSON interface, which would refuse them before it looks who asks.
SAVE = b'{"text": "mine", "base_revision": 0, "tab": "a", "sequence": 1}'
BODIES = {
    "/answers/1": SAVE,
    "/practice/1": SAVE,
    "/flag": b'{"flagged": true}',
    "/preview": b'{"text": "a"}',
}


class Visitors:
    """A browser for each role; what a request changes is taken back."""

    language = "en"

    def __init__(self, cookies: Mapping[str, str]) -> None:
        self._cookies = cookies
        self._client = Client(raise_request_exception=False)
        self._noted: set[str] = set()

    def ask(self, role: str, method: str, path: str) -> str:
        """The status, or where a redirect leads."""
        return shown(self.reply(role, method, path)[0])

    def read(self, role: str, method: str, path: str) -> str:
        """Everything the reply says: its headers and its text as a reader sees it."""
        response, content = self.reply(role, method, path)
        return f"{response.headers} {unescape(content.decode(errors='replace'))}"

    def read_form(self, role: str, path: str, fields: Mapping[str, Any]) -> str:
        """The same of the reply to a form."""
        response, content = self.send(role, path, fields)
        return f"{response.headers} {unescape(content.decode(errors='replace'))}"

    def reply(self, role: str, method: str, path: str) -> tuple[Any, bytes]:
        """The reply to an empty body, or to the least that an interface takes, and its content."""
        return self._taken_back(role, lambda: self._client.generic(method, path, *content_for(path)))

    def send(self, role: str, path: str, fields: Mapping[str, Any]) -> tuple[Any, bytes]:
        """The reply to a form, and its content."""
        return self._taken_back(role, lambda: self._client.post(path, fields))

    def _taken_back(self, role: str, ask: Callable[[], Any]) -> tuple[Any, bytes]:
        if role not in self._noted:
            # A session's first request is noted: once, before those that are taken back.
            self._noted.add(role)
            self._come_as(role)
            self._client.get("/")
        self._come_as(role)
        self._client.defaults["HTTP_ACCEPT_LANGUAGE"] = self.language
        with transaction.atomic():
            response = ask()
            # Read to its end, a file is closed.
            content = response.getvalue() if response.streaming else response.content
            transaction.set_rollback(True)
        return response, content

    def _come_as(self, role: str) -> None:
        self._client.cookies.clear()
        if role in self._cookies:
            self._client.cookies[django_settings.SESSION_COOKIE_NAME] = self._cookies[role]


def content_for(path: str) -> tuple[bytes, str]:
    if path.startswith("/api/"):
        return next((body for end, body in BODIES.items() if path.endswith(end)), b""), "application/json"
    return b"", "application/x-www-form-urlencoded"


def shown(response: Any) -> str:
    where = str(response.headers.get("Location", ""))
    if response.status_code != 302:
        return str(response.status_code)
    if where.startswith(("/accounts/login/", "/admin/login/")):
        return "in"
    return "2f" if where.startswith("/accounts/2fa/") and "code" not in where else "->"
