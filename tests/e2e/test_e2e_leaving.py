"""Going away from a page with something unsaved in it, on networks and devices that do not help."""

from collections.abc import Callable

from django.conf import settings
from playwright.sync_api import BrowserContext, Dialog, Page, Route, expect

from batches.models import Session
from tests.e2e.waiting import wait_until

Begin = Callable[..., Session]
Open = Callable[..., Page]

SAVES = "**/api/sessions/*/answers/*"
FILL_STORAGE = """() => {
  for (const size of [1_000_000, 1_000, 1])
    try { for (let n = 0; ; n += 1) localStorage.setItem(`${size}-${n}`, "x".repeat(size)); } catch {}
}"""


def slow_down(page: Page, milliseconds: int) -> None:
    conditions = {
        "offline": False,
        "latency": milliseconds,
        "downloadThroughput": -1,
        "uploadThroughput": -1,
    }
    page.context.new_cdp_session(page).send("Network.emulateNetworkConditions", conditions)


def test_after_a_reload_on_a_slow_network_ones_own_late_save_is_no_other_tab(
    begin: Begin, open_prompt: Open
) -> None:
    page = open_prompt(begin())
    slow_down(page, 1_500)
    field = page.locator("[name=text]")
    field.fill("one")
    page.reload()
    field.press("End")
    field.press_sequentially(" and two")
    expect(page.locator("#save-state")).to_contain_text("Saved at")
    expect(page.locator("#save-problem")).to_be_hidden()
    page.reload()
    expect(field).to_have_value("one and two")


def test_a_reply_that_is_not_the_sites_own_is_never_taken_for_a_save(begin: Begin, open_prompt: Open) -> None:
    page = open_prompt(begin())
    replies = iter([(200, "{}"), (200, "<html>Sign in</html>"), (422, "{}")])

    def reply(route: Route) -> None:
        status, body = next(replies, (0, ""))
        if status:
            route.fulfill(status=status, content_type="application/json", body=body)
        else:
            route.continue_()

    page.route(SAVES, reply)
    page.locator("[name=text]").fill("mine")
    expect(page.locator("#save-state")).to_have_text("Offline: kept on this device")
    expect(page.locator("#save-state")).to_contain_text("Saved at")


def test_a_page_whose_text_this_device_cannot_keep_is_not_left_without_a_question(
    begin: Begin, open_prompt: Open
) -> None:
    page = open_prompt(begin())
    asked: list[str] = []

    def stay(dialog: Dialog) -> None:
        asked.append(dialog.type)
        dialog.dismiss()

    page.on("dialog", stay)
    page.evaluate(FILL_STORAGE)
    page.route(SAVES, lambda route: None)  # a save that is under way for long
    page.locator("[name=text]").press_sequentially("kept nowhere else")
    page.evaluate("window.location.assign('/')")
    expect(page.locator("[name=text]")).to_have_value("kept nowhere else")
    wait_until(page, lambda: asked, "the browser asks")
    assert asked == ["beforeunload"]


def test_a_message_to_the_team_survives_signing_in_again(
    begin: Begin, new_device: Callable[..., BrowserContext]
) -> None:
    session = begin()
    device = new_device(session.participant.user)
    cookie = next(one for one in device.cookies() if one["name"] == settings.SESSION_COOKIE_NAME)
    page = device.new_page()
    address = f"/studies/{session.participant.study.slug}/help/"
    page.goto(address)
    page.get_by_label("Your message").fill("A long question")
    device.clear_cookies(name=settings.SESSION_COOKIE_NAME)
    page.get_by_role("button", name="Send", exact=True).click()
    page.wait_for_url("**/accounts/login/**")
    device.add_cookies([cookie])  # type: ignore[list-item]  # what came from the browser goes back
    page.goto(address)
    expect(page.get_by_label("Your message")).to_have_value("A long question")
    page.get_by_role("button", name="Send", exact=True).click()
    expect(page.get_by_text("Your message is sent.")).to_be_visible()
    expect(page.get_by_label("Your message")).to_have_value("")
