"""Between a participant at work and the study team: announcements, messages, replies."""

from collections.abc import Callable

from django.utils import timezone
from playwright.sync_api import BrowserContext, Page, expect

from batches.models import Session
from studies.models import Message, User
from studies.services.people.messages import announcement_make, message_answer

POLL_MS = 21_000  # a little more than the pages wait between two questions


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
