"""Accounts and their browsers: signing in the real way, going by the rail, pressing what is there."""

import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import BrowserContext, ConsoleMessage, Locator, Page, expect

from operations.rehearsal.mailbox import Mailbox
from studies.models import FirstRun
from studies.services.staff.first_run import first_run_link_draw

HOST = "walk.example.org"


def press(page: Page | Locator, name: str, role: str = "button") -> None:
    """Press the first button (or link) of the page's own part that has this name, a pattern."""
    root = page.locator("main") if isinstance(page, Page) else page
    root.get_by_role(role, name=re.compile(name)).first.click()  # type: ignore[arg-type]


def go(page: Page, entry: str) -> None:
    """Follow an entry of the rail."""
    page.get_by_role("navigation").get_by_role("link", name=re.compile(f"^{entry}")).first.click()
    expect(page.locator("main h1")).to_be_visible()


def says(page: Page, words: str) -> None:
    """The page's own part says these words, a pattern, as soon as they come."""
    expect(page.locator("main")).to_contain_text(re.compile(words))


def enter(page: Page) -> None:
    """From the list of one's studies into the one of this walk."""
    press(page, "^The whole walk$", "link")


@dataclass
class People:
    """Everybody of the walk, each with a browser of their own, made when they first appear."""

    new_device: Callable[..., BrowserContext]
    mailbox: Mailbox
    pages: dict[str, Page] = field(default_factory=dict)
    complaints: list[str] = field(default_factory=list)

    def address(self, name: str) -> str:
        return f"{name}@{HOST}"

    def browser_of(self, name: str) -> Page:
        if name not in self.pages:
            self.pages[name] = page = self.new_device().new_page()
            page.on("console", lambda line: self._said(name, line))
        return self.pages[name]

    def _said(self, name: str, line: ConsoleMessage) -> None:
        """A refused form comes back with 422, which the browser calls an error; nothing else may be one."""
        if line.type == "error" and "status of 422" not in line.text:
            self.complaints.append(f"{name}, {line.location.get('url')}: {line.text}")

    def sign_in(self, page: Page, name: str) -> None:
        """With the code that is mailed, on the sign-in page where this browser is."""
        page.wait_for_url("**/accounts/login/**")
        field_of_address = page.locator("main input[type=email]")
        if not field_of_address.input_value():
            field_of_address.fill(self.address(name))
        press(page, "Send me a code")
        page.locator("input[autocomplete=one-time-code]").fill(self.mailbox.code_for(self.address(name)))
        page.keyboard.press("Enter")

    def colleague(self, name: str) -> Page:
        """One of the staff: at the first use they sign in and set up a second factor, as all must."""
        if name in self.pages:
            return self.pages[name]
        page = self.browser_of(name)
        page.goto("/staff/")
        return self._admitted(page, name)

    def first_administrator(self) -> Page:
        """Who opens the link that a starting site prints, where nobody made the accounts of other tests."""
        FirstRun.objects.all().delete()
        page = self.browser_of("administrator")
        page.goto(reverse("first_run", args=[first_run_link_draw(now=timezone.now())]))
        page.locator("[name=email]").fill(self.address("administrator"))
        press(page, "Make the account")
        return self._admitted(page, "administrator")

    def _admitted(self, page: Page, name: str) -> Page:
        self.sign_in(page, name)
        press(page, "Connect an app", "link")
        secret = page.locator("dd.code").inner_text()
        code = format_hotp_value(hotp_value(secret.strip(), int(time.time()) // 30))
        page.get_by_label("Code", exact=True).fill(code)
        press(page, "Connect")
        press(page, "Go on to the page you wanted", "link")
        page.wait_for_url("**/staff/")
        return page
