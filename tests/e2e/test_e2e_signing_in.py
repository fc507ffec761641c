"""Signing in again in the middle of a session, the real way: with the code from the mail."""

import re
from collections.abc import Callable

from django.conf import settings
from django.contrib.sessions.models import Session as SignIn
from playwright.sync_api import BrowserContext, Page, expect

from batches.models import Answer, Session
from operations.rehearsal.mailbox import Mailbox


def sign_in_again(page: Page, email: str, mailbox: Mailbox) -> None:
    page.get_by_label(re.compile("e-?mail", re.IGNORECASE)).fill(email)
    page.keyboard.press("Enter")
    code = page.locator("input[autocomplete=one-time-code]")
    expect(code).to_be_visible()
    code.fill(mailbox.code_for(email))
    page.keyboard.press("Enter")


def test_after_the_cookie_expired_signing_in_again_leads_back_to_the_same_prompt_with_the_text(
    new_device: Callable[..., BrowserContext],
    begin: Callable[..., Session],
    open_prompt: Callable[..., Page],
    mailbox: Mailbox,
) -> None:
    session = begin()
    device = new_device(session.participant.user)
    page = open_prompt(session, 2, device=device)
    page.locator("[name=text]").press_sequentially("Before. ")
    expect(page.locator("#save-state")).to_contain_text("Saved at")
    SignIn.objects.all().delete()
    device.clear_cookies(name=settings.SESSION_COOKIE_NAME)
    page.locator("[name=text]").press_sequentially("While signed out.")
    notice = page.locator("#signed-out")
    expect(notice).to_contain_text("You are signed out.")
    notice.get_by_role("link", name="Sign in", exact=True).click()
    sign_in_again(page, session.participant.user.email, mailbox)
    page.wait_for_url(f"**/sessions/{session.pk}/prompts/2/")
    expect(page.locator("[name=text]")).to_have_value("Before. While signed out.")
    expect(page.locator("#save-state")).to_contain_text("Saved at")
    answer = Answer.objects.get(session=session, position=2)
    assert answer.text == "Before. While signed out."


def test_signing_in_in_another_tab_lets_the_open_page_save_what_it_holds(
    new_device: Callable[..., BrowserContext],
    begin: Callable[..., Session],
    open_prompt: Callable[..., Page],
    mailbox: Mailbox,
) -> None:
    session = begin()
    device = new_device(session.participant.user)
    page = open_prompt(session, device=device)
    device.clear_cookies(name=settings.SESSION_COOKIE_NAME)
    page.locator("[name=text]").press_sequentially("Kept in this page")
    with device.expect_page() as opened:
        page.locator("#signed-out").get_by_role("link", name="Sign in in a new tab").click()
    sign_in_again(opened.value, session.participant.user.email, mailbox)
    expect(page.locator("#signed-out")).to_be_hidden(timeout=20_000)
    expect(page.locator("#save-state")).to_contain_text("Saved at")
    assert Answer.objects.get(session=session, position=1).text == "Kept in this page"
