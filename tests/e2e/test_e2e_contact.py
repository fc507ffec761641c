"""Between a participant at work and the study team: announcements, messages, replies."""

from collections.abc import Callable

from django.utils import timezone
from playwright.sync_api import BrowserContext, Page, Route, expect

from batches.models import Session
from studies.models import Message, User
from studies.services.people.messages import announcement_make, message_answer
from tests.e2e.test_e2e_clock import SHOW, VISIBILITY
from tests.e2e.waiting import wait_until

POLL_MS = 21_000  # a little more than the pages wait between two questions
RETRY_MS = 31_000  # and between two tries to save
FOCUS = "window.dispatchEvent(new Event('focus'))"


def test_an_announcement_and_a_reply_appear_on_an_open_page_without_a_reload(
    new_device: Callable[..., BrowserContext],
    begin: Callable[..., Session],
    open_prompt: Callable[..., Page],
    staff: User,
) -> None:
    """The page's own clock is put forward by one turn of asking, instead of waiting for it."""
    session = begin()
    device = new_device(session.participant.user)
    device.clock.install()
    page = open_prompt(session, device=device)
    page.evaluate("globalThis.stayed = true")
    page.locator("[name=text]").press_sequentially("Half a sent")
    now = timezone.now()
    announcement_make(study=session.participant.study, text="Lunch is at noon.", actor=staff, now=now)
    message_answer(participant=session.participant, text="You may use a ruler.", actor=staff, now=now)
    device.clock.fast_forward(POLL_MS)
    expect(page.locator("#notices")).to_contain_text("Lunch is at noon.")
    expect(page.locator("#notices")).to_contain_text("You may use a ruler.")
    assert page.evaluate("stayed")
    expect(page.locator("[name=text]")).to_have_value("Half a sent")
    expect(page.locator("[name=text]")).to_be_focused()


def test_a_message_from_a_prompt_carries_the_reference_of_the_session_and_reaches_the_team(
    new_device: Callable[..., BrowserContext],
    begin: Callable[..., Session],
    open_prompt: Callable[..., Page],
    staff: User,
) -> None:
    session = begin()
    participant = session.participant
    page = open_prompt(session, 2)
    page.locator("[name=text]").press_sequentially("Do not lose me")
    with page.context.expect_page() as opened:  # beside the work, which stays open
        page.get_by_role("link", name="Help").click()
    help_page = opened.value
    help_page.locator("main textarea").fill("The image does not load.")
    help_page.get_by_role("button", name="Send").click()
    expect(help_page.locator("main")).to_contain_text("The image does not load.")
    message = Message.objects.get(participant=participant)
    assert (message.session_reference, message.is_from_team) == (session.reference, False)
    assert "/prompts/2/" in message.page
    assert session.answers.get(position=2).text == "Do not lose me"
    team = new_device(staff).new_page()
    team.goto(f"/staff/studies/{participant.study.slug}/messages/{participant.code}/")
    expect(team.locator("main")).to_contain_text("The image does not load.")
    expect(team.locator("main")).to_contain_text(session.reference)


def test_the_clock_runs_on_the_help_page_and_its_end_takes_no_message_away(
    new_device: Callable[..., BrowserContext],
    begin: Callable[..., Session],
    pass_time: Callable[..., None],
    looks: Callable[..., list[str]],
) -> None:
    session = begin(seconds_left=500)
    page = new_device(session.participant.user).new_page()
    page.goto(f"/studies/{session.participant.study.slug}/help/")
    left = page.locator("[data-time-left]")
    for _ in range(2):
        expect(left).not_to_have_text(left.inner_text())
    page.get_by_role("button", name="Say the time left").click()
    expect(page.locator("#time-said")).to_contain_text("minutes")
    assert looks(page, "help-at-work", again=False) == []
    page.get_by_label("Your message").fill("A long question")
    pass_time(session, left=2, page=page)
    expect(page.locator("[data-over]")).to_be_visible()
    expect(page.get_by_label("Your message")).to_have_value("A long question")


def test_what_two_reports_told_at_once_is_taken_back_once(
    new_device: Callable[..., BrowserContext], begin: Callable[..., Session], open_prompt: Callable[..., Page]
) -> None:
    """Hidden while its report is on the way, a page tells the same again; later reports start at nought."""
    session = begin()
    device = new_device(session.participant.user)
    device.clock.install()
    device.add_init_script(VISIBILITY)
    page = open_prompt(session, device=device)
    page.route("**/answers/1", lambda route: route.abort())
    page.route("**/time", lambda route: route.abort())
    page.route("**/report", lambda route: route.abort())
    page.locator("[name=text]").fill("Kept here")
    with page.expect_event("requestfailed", lambda request: request.url.endswith("/time")):
        page.evaluate(FOCUS)
    device.clock.fast_forward(POLL_MS)
    expect(page.locator("#save-state")).to_have_text("Offline: kept on this device")
    page.unroute("**/time")
    with page.expect_event("requestfailed", lambda request: request.url.endswith("/report")):
        page.evaluate(FOCUS)

    held: list[Route] = []
    page.unroute("**/report")
    page.route("**/report", lambda route: held.append(route))
    page.unroute("**/answers/1")
    device.clock.fast_forward(RETRY_MS)
    expect(page.locator("#save-state")).to_contain_text("Saved at")
    wait_until(page, lambda: len(held) == 1, "the page reports that it saves again")
    page.evaluate(SHOW, "hidden")
    wait_until(page, lambda: len(held) == 2, "the page reports that it was hidden")
    told = [route.request.post_data_json for route in held]
    assert [one["is_hidden"] for one in told] == [False, True]
    assert all(one["lost_seconds"] > 0 and one["failed_saves"] > 0 for one in told)
    for route in held[:2]:
        with page.expect_response("**/report"):
            route.continue_()

    page.evaluate(SHOW, "visible")
    page.evaluate(FOCUS)
    wait_until(page, lambda: len(held) == 3, "the page reports that it is seen again")
    later = held[2].request.post_data_json
    assert (later["lost_seconds"], later["failed_saves"]) == (0, 0)
    held[2].continue_()
