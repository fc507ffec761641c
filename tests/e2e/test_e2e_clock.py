"""The time a page shows is the server's: whatever the device's clock says, whatever the tab slept through."""

import math
import re
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.db.models import F
from django.utils import timezone
from playwright.sync_api import APIResponse, BrowserContext, Page, Route, expect

from batches.models import Revision, RevisionOutcome, Session
from batches.rules.statuses import SessionStatus
from batches.services.ending import DeclaredResources, session_submit
from batches.services.extending import session_extend, session_reopen
from tests.e2e.waiting import wait_until

HOUR_MS = 3_600_000
TEN_MINUTES_MS = 600_000
# The device's clock is this much ahead of or behind the truth.
SHIFTED_DATE = """
(() => {
  const Real = Date;
  globalThis.Date = class extends Real {
    constructor(...parts) { parts.length ? super(...parts) : super(Real.now() + SHIFT); }
    static now() { return Real.now() + SHIFT; }
  };
})();
"""
SLEEPING = SHIFTED_DATE.replace("SHIFT", "(globalThis.slept ?? 0)")
# A tab says itself whether it is in front; here the test says so.
VISIBILITY = """
Object.defineProperty(document, "visibilityState", {get: () => globalThis.shown ?? "visible"});
Object.defineProperty(document, "hidden", {get: () => globalThis.shown === "hidden"});
"""
SHOW = """(state) => { globalThis.shown = state; document.dispatchEvent(new Event("visibilitychange")); }"""


def shown_seconds(page: Page) -> int:
    """The time left on the page; only below ten minutes it says seconds."""
    words = page.locator("[data-time-left]").inner_text()
    units = {"h": 3600, "min": 60, "s": 1}
    parts = re.findall(r"(\d+) (h|min|s)\b", words)
    assert parts, words
    return sum(int(number) * units[unit] for number, unit in parts)


def true_seconds(session: Session) -> float:
    session.refresh_from_db()
    return (session.deadline_at - timezone.now()).total_seconds()


def expect_right(page: Page, session: Session) -> None:
    """Right to a second, where half a second is for the way to the server and for looking.

    The page writes whole seconds once a second: what is read may have been written a second ago.
    """
    before = true_seconds(session)
    shown = shown_seconds(page)
    assert math.floor(true_seconds(session) - 0.5) - 1 <= shown <= before + 1


@pytest.fixture(params=[HOUR_MS, -HOUR_MS], ids=["an hour fast", "an hour slow"])
def wrong_clock(request: pytest.FixtureRequest) -> str:
    return SHIFTED_DATE.replace("SHIFT", str(request.param))


def test_a_wrong_device_clock_changes_neither_the_time_left_nor_a_save(
    wrong_clock: str,
    new_device: Callable[..., BrowserContext],
    begin: Callable[..., Session],
    open_prompt: Callable[..., Page],
) -> None:
    session = begin(seconds_left=500)
    device = new_device(session.participant.user)
    device.add_init_script(wrong_clock)
    page = open_prompt(session, device=device)
    expect_right(page, session)
    page.locator("[name=text]").press_sequentially("On time")
    expect(page.locator("#save-state")).to_contain_text("Saved at")
    revision = Revision.objects.get(answer__session=session)
    assert (revision.outcome, revision.text) == (RevisionOutcome.ACCEPTED, "On time")
    expect_right(page, session)


def test_with_a_wrong_device_clock_the_page_ends_at_the_true_deadline(
    wrong_clock: str,
    new_device: Callable[..., BrowserContext],
    begin: Callable[..., Session],
    open_prompt: Callable[..., Page],
    pass_time: Callable[..., None],
) -> None:
    session = begin()
    device = new_device(session.participant.user)
    device.add_init_script(wrong_clock)
    page = open_prompt(session, device=device)
    pass_time(session, left=6, page=page)
    page.locator("[name=text]").press_sequentially("Written to the end")
    expect(page.locator("[name=text]")).to_have_attribute("readonly", "")
    # Late is how busy this machine is; the device's clock is an hour off.
    assert -6.0 <= true_seconds(session) <= 1.0
    assert Revision.objects.filter(answer__session=session).latest("id").text == "Written to the end"


def pass_ten_minutes(session: Session) -> None:
    """On the server, ten minutes go by: everything it stored of the session is ten minutes older."""
    ten = timedelta(minutes=10)
    Session.objects.filter(pk=session.pk).update(
        started_at=F("started_at") - ten, deadline_at=F("deadline_at") - ten
    )


def test_after_ten_minutes_in_a_throttled_background_tab_the_time_is_right_within_a_second(
    new_device: Callable[..., BrowserContext], begin: Callable[..., Session], open_prompt: Callable[..., Page]
) -> None:
    """Simulated: the tab is hidden, its clocks run on, and each of its timers fires at most once in all."""
    session = begin(seconds_left=900)
    device = new_device(session.participant.user)
    device.add_init_script(VISIBILITY)
    device.clock.install()
    page = open_prompt(session, device=device)
    page.evaluate(SHOW, "hidden")
    pass_ten_minutes(session)
    device.clock.fast_forward(600_000)
    page.evaluate(SHOW, "visible")
    page.wait_for_timeout(1_000)
    expect_right(page, session)
    page.wait_for_timeout(2_500)
    expect_right(page, session)


def test_after_ten_minutes_of_a_sleeping_device_the_time_is_right_within_a_second(
    new_device: Callable[..., BrowserContext], begin: Callable[..., Session], open_prompt: Callable[..., Page]
) -> None:
    """Simulated: no timer and no steady clock of the page moves while ten minutes go by."""
    session = begin(seconds_left=900)
    device = new_device(session.participant.user)
    device.add_init_script(VISIBILITY + SLEEPING)
    page = open_prompt(session, device=device)
    page.evaluate(SHOW, "hidden")
    sleep_ten_minutes(page, session)
    page.wait_for_timeout(1_000)
    expect_right(page, session)


def sleep_ten_minutes(page: Page, session: Session) -> None:
    pass_ten_minutes(session)
    page.evaluate(f"slept = {TEN_MINUTES_MS}")
    page.evaluate(SHOW, "visible")


def test_a_reply_from_before_a_sleep_is_not_believed(
    new_device: Callable[..., BrowserContext], begin: Callable[..., Session], open_prompt: Callable[..., Page]
) -> None:
    session = begin(seconds_left=900)
    device = new_device(session.participant.user)
    device.add_init_script(VISIBILITY + SLEEPING)
    page = open_prompt(session, device=device)
    held: list[tuple[Route, APIResponse]] = []
    page.route("**/time", lambda route: held.append((route, route.fetch())), times=1)

    def asks_for_the_time() -> bool:
        page.evaluate("dispatchEvent(new Event('focus'))")
        return bool(held)

    wait_until(page, asks_for_the_time, "the page asks for the time")
    sleep_ten_minutes(page, session)
    route, told_before = held.pop()
    route.fulfill(response=told_before)
    page.wait_for_timeout(1_000)
    expect_right(page, session)


def test_extra_time_given_while_the_page_is_open_appears_within_ten_seconds_with_a_notice(
    begin: Callable[..., Session], open_prompt: Callable[..., Page]
) -> None:
    session = begin(seconds_left=200)
    page = open_prompt(session)
    expect(page.locator("#time-extended")).to_be_hidden()
    session_extend(session=session, minutes=5, reason="A fire alarm", now=timezone.now())
    expect(page.locator("#time-extended")).to_contain_text("5 more minutes", timeout=10_000)
    expect_right(page, session)
    assert "A fire alarm" not in page.inner_text("body")


def test_a_reopened_session_can_be_written_in_again_within_ten_seconds_where_its_page_is_still_open(
    begin: Callable[..., Session], open_prompt: Callable[..., Page]
) -> None:
    session = begin(seconds_left=500)
    page = open_prompt(session)
    field = page.locator("[name=text]")
    session_submit(session=session, resources=DeclaredResources((), ""), now=timezone.now())
    expect(field).to_have_attribute("readonly", "", timeout=10_000)
    session_reopen(session=session, reason="Submitted by accident", now=timezone.now())
    expect(field).not_to_have_attribute("readonly", "", timeout=10_000)
    field.press_sequentially("Once more")
    expect(page.locator("#save-state")).to_contain_text("Saved at")
    expect_right(page, session)


def test_an_ended_session_that_gets_extra_time_goes_on_where_its_page_is_still_open(
    begin: Callable[..., Session], open_prompt: Callable[..., Page], pass_time: Callable[..., None]
) -> None:
    session = begin(late_tolerance_seconds=0)
    page = open_prompt(session)
    pass_time(session, left=2, page=page)
    field = page.locator("[name=text]")
    expect(field).to_have_attribute("readonly", "")
    page.wait_for_timeout(1_000)
    session_extend(session=session, minutes=5, reason="The network of the room failed", now=timezone.now())
    expect(field).not_to_have_attribute("readonly", "", timeout=10_000)
    assert Session.objects.get(pk=session.pk).status == SessionStatus.ACTIVE
    expect(page.locator("#time-extended")).to_be_visible()
    expect_right(page, session)


def test_a_screen_reader_hears_the_time_at_warnings_and_on_request_only(
    begin: Callable[..., Session], open_prompt: Callable[..., Page]
) -> None:
    session = begin(seconds_left=5 * 60 + 12)  # time enough for the page to open on a busy machine
    page = open_prompt(session)
    page.evaluate(
        """() => {
          globalThis.heard = [];
          new MutationObserver((changes) => changes.forEach(({addedNodes}) =>
            addedNodes.forEach((node) => node.textContent.trim() && heard.push(node.textContent))
          )).observe(document.querySelector("[data-announcements]"), {childList: true, subtree: true});
        }"""
    )
    expect(page.locator("[data-time-left]")).to_contain_text(re.compile("4 min 5[0-8] s"))
    assert page.evaluate("heard") == ["5 minutes left."]
    page.keyboard.press("Alt+Shift+U")
    expect(page.locator("[data-announcements]")).to_contain_text("4 minutes")
    assert len(page.evaluate("heard")) == 2
    expect(page.locator("#time-said")).to_contain_text("4 minutes")
    # The ticking display itself is no live region.
    assert (
        page.locator("[data-time-left]").evaluate(
            "e => e.closest('[aria-live], [role=status], [role=timer]')"
        )
        is None
    )


@pytest.mark.parametrize("way", ["shortcut", "button"])
def test_the_time_that_is_said_is_also_shown_and_stays_true_until_it_is_closed(
    way: str, begin: Callable[..., Session], open_prompt: Callable[..., Page]
) -> None:
    page = open_prompt(begin(seconds_left=500))
    said = page.locator("#time-said")
    expect(said).to_be_hidden()
    if way == "shortcut":
        page.keyboard.press("Alt+Shift+U")
    else:
        page.locator("[data-say-time]").click()
    expect(said).to_contain_text(re.compile(r"8 minutes \d+ seconds? left\."))
    expect(page.locator("[data-announcements]")).to_contain_text(re.compile(r"8 minutes \d+ seconds? left\."))
    for _ in range(2):  # the words follow the clock
        expect(said).not_to_have_text(said.inner_text())
    said.get_by_role("button", name="Close").click()
    expect(said).to_be_hidden()


def test_a_save_brings_the_time_of_the_server_where_asking_for_it_fails(
    new_device: Callable[..., BrowserContext], begin: Callable[..., Session], open_prompt: Callable[..., Page]
) -> None:
    session = begin(seconds_left=530)
    device = new_device(session.participant.user)
    device.route("**/time", lambda route: route.abort())
    page = open_prompt(session, device=device)
    expect_right(page, session)
    Session.objects.filter(pk=session.pk).update(deadline_at=F("deadline_at") + timedelta(minutes=30))
    expect(page.locator("[data-time-left]")).to_contain_text("8 min")
    page.locator("[name=text]").press_sequentially("With the right time")
    expect(page.locator("#save-state")).to_contain_text("Saved at")
    expect(page.locator("[data-time-left]")).to_have_text("38 min")
    assert 38 * 60 <= true_seconds(session) < 39 * 60
