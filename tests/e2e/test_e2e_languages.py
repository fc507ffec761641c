"""The second language, in the browser: texts of pages, of scripts and of the server's replies."""

from collections.abc import Callable

from playwright.sync_api import BrowserContext, Page, expect

from batches.models import Session


def test_the_workspace_speaks_the_language_the_reader_chooses(
    new_device: Callable[..., BrowserContext], begin: Callable[..., Session], open_prompt: Callable[..., Page]
) -> None:
    session = begin()
    page = open_prompt(session, device=new_device(session.participant.user))
    page.get_by_role("button", name="Deutsch").click()
    expect(page.locator("html")).to_have_attribute("lang", "de")
    expect(page.get_by_role("heading", level=1)).to_contain_text("Frage 1 von")
    page.locator("[name=text]").press_sequentially("Eine Antwort")
    expect(page.locator("#save-state")).to_contain_text("Gespeichert um")
    expect(page.locator(".answer-list li").first).to_contain_text("beantwortet")
    page.locator("[name=text]").fill("x" * 100_001)
    expect(page.locator("#save-problem")).to_contain_text("kürzen Sie")
