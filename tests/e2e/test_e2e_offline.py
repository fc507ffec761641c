"""Nothing typed is lost: without a network, without a server, over reloads."""

from collections.abc import Callable
from typing import Protocol

import pytest
from playwright.sync_api import BrowserContext, Error, Page, expect

from batches.models import Answer, Session
from tests.e2e.waiting import wait_until


class Server(Protocol):
    def start(self) -> None: ...
    def kill(self) -> None: ...


NOTE_TYPING = "field => field.addEventListener('input', () => { globalThis.lastTypedAt = Date.now(); })"


def saved_text(session: Session, position: int = 1) -> str:
    return Answer.objects.get(session=session, position=position).text


def expect_saved(page: Page, session: Session, text: str) -> None:
    """The page says saved, and the server has exactly what was typed."""
    expect(page.locator("#save-state")).to_contain_text("Saved")
    expect(page.locator("#save-problem")).to_be_hidden()
    assert saved_text(session) == text


def test_text_is_saved_within_three_seconds_after_typing_stops(
    begin: Callable[..., Session], open_prompt: Callable[..., Page]
) -> None:
    session = begin()
    page = open_prompt(session)
    page.locator("[name=text]").evaluate(NOTE_TYPING)
    with page.expect_request("**/answers/1") as sent:
        page.locator("[name=text]").press_sequentially("My answer")
    expect_saved(page, session, "My answer")
    # By the clock of the page, and without the way to the server: both are slow only on a busy machine.
    assert sent.value.timing["startTime"] - page.evaluate("lastTypedAt") <= 3_000


def test_text_is_saved_when_the_page_is_left_at_once(
    begin: Callable[..., Session], open_prompt: Callable[..., Page]
) -> None:
    session = begin()
    page = open_prompt(session)
    page.locator("[name=text]").press_sequentially("Typed and gone")
    page.goto("/")
    wait_until(page, lambda: saved_text(session), "the text of the page that was left is saved")
    assert saved_text(session) == "Typed and gone"


def test_everything_typed_without_a_network_is_on_the_server_after_a_reload(
    new_device: Callable[..., BrowserContext], begin: Callable[..., Session], open_prompt: Callable[..., Page]
) -> None:
    session = begin()
    device = new_device(session.participant.user)
    page = open_prompt(session, device=device)
    field = page.locator("[name=text]")
    field.press_sequentially("Before. ")
    expect(page.locator("#save-state")).to_contain_text("Saved")

    device.set_offline(True)
    field.press_sequentially("Without a network. ")
    expect(page.locator("#save-state")).to_have_text("Offline: kept on this device")
    field.press_sequentially("And more.")
    assert saved_text(session) == "Before. "
    # Leaving a page with unsaved text asks first; the person says yes. No page comes without a network.
    page.on("dialog", lambda dialog: dialog.accept())
    with pytest.raises(Error, match="ERR_INTERNET_DISCONNECTED"):
        page.reload()
    # The browser would load the failed page again by itself, at a moment of its choice.
    page.close()

    device.set_offline(False)
    page = open_prompt(session, device=device)
    expect(page.locator("[name=text]")).to_have_value("Before. Without a network. And more.")
    expect_saved(page, session, "Before. Without a network. And more.")


def test_everything_typed_without_a_network_is_sent_by_itself_when_it_is_back(
    new_device: Callable[..., BrowserContext], begin: Callable[..., Session], open_prompt: Callable[..., Page]
) -> None:
    session = begin()
    device = new_device(session.participant.user)
    page = open_prompt(session, device=device)
    device.set_offline(True)
    page.locator("[name=text]").press_sequentially("Underground")
    expect(page.locator("#save-state")).to_have_text("Offline: kept on this device")
    device.set_offline(False)
    expect(page.locator("#save-problem")).to_be_hidden()
    expect_saved(page, session, "Underground")


def test_everything_typed_while_the_server_is_dead_is_saved_after_its_restart(
    begin: Callable[..., Session],
    open_prompt: Callable[..., Page],
    server: Server,
) -> None:
    session = begin()
    page = open_prompt(session)
    field = page.locator("[name=text]")
    field.press_sequentially("Before. ")
    expect(page.locator("#save-state")).to_contain_text("Saved")
    server.kill()
    try:
        field.press_sequentially("While it was dead. ")
        expect(page.locator("#save-state")).to_have_text("Offline: kept on this device")
        field.press_sequentially("And more.")
    finally:
        server.start()
    expect(page.locator("#save-problem")).to_be_hidden(timeout=40_000)
    expect_saved(page, session, "Before. While it was dead. And more.")


def test_a_reload_after_the_restart_of_a_killed_server_brings_back_everything_typed(
    new_device: Callable[..., BrowserContext],
    begin: Callable[..., Session],
    open_prompt: Callable[..., Page],
    server: Server,
) -> None:
    session = begin()
    device = new_device(session.participant.user)
    page = open_prompt(session, device=device)
    field = page.locator("[name=text]")
    server.kill()
    try:
        field.press_sequentially("Only on this device")
        page.on("dialog", lambda dialog: dialog.accept())
        with pytest.raises(Error, match=r"net::ERR_(CONNECTION|EMPTY_RESPONSE)"):
            page.reload()
        page.close()  # the browser would load it again by itself, at a moment of its choice
    finally:
        server.start()
    page = open_prompt(session, device=device)
    expect(page.locator("[name=text]")).to_have_value("Only on this device")
    expect_saved(page, session, "Only on this device")
