"""Practice is the workspace itself: the same words about saving, the same keys, a clock that ends nothing."""

import re
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.utils import timezone
from playwright.sync_api import BrowserContext, Page, expect

from batches.models import PracticeAnswer, PracticeClock
from studies.models import Participant, Study

# What a page sends while it is left goes past every route of a test.
CUT = "() => { globalThis.fetch = () => Promise.reject(new TypeError('no connection')); }"
SHOWN = """() => [
  document.getElementById("save-state")?.textContent.trim() ?? "",
  document.querySelector("[name=text]")?.value ?? ""]"""


@pytest.fixture
def person(make_study: Callable[..., Study], make_person: Callable[..., Participant]) -> Participant:
    return make_person(make_study(note_per_prompt=True, confidence_per_prompt=True))


@pytest.fixture
def page(person: Participant, new_device: Callable[..., BrowserContext]) -> Page:
    page = new_device(person.user).new_page()
    page.goto(f"/studies/{person.study.slug}/practice/1/")
    return page


def practised(person: Participant) -> PracticeAnswer:
    return PracticeAnswer.objects.get(participant=person, number=1)


def leave_seconds(person: Participant, seconds: int) -> None:
    """On the server, the practice clock runs until so many seconds are left."""
    budget = timedelta(minutes=person.study.protocol.time_budget_minutes)
    started_at = timezone.now() - budget + timedelta(seconds=seconds)
    PracticeClock.objects.filter(participant=person).update(started_at=started_at)


def test_words_typed_just_before_a_reload_are_never_called_saved_too_early(
    person: Participant, page: Page
) -> None:
    page.on("dialog", lambda dialog: dialog.accept())
    field = page.locator("[name=text]")
    field.press_sequentially("Before")
    expect(page.locator("#save-state")).to_contain_text("Saved at")
    page.evaluate(CUT)
    field.press_sequentially(" and after")
    page.reload(wait_until="commit")
    for _ in range(20):
        state, shown = page.evaluate(SHOWN)
        if state.startswith("Saved"):
            assert (shown, practised(person).text) == ("Before and after",) * 2
        page.wait_for_timeout(100)
    expect(page.locator("#save-state")).to_contain_text("Saved at")
    assert practised(person).text == "Before and after"


def test_the_whole_workspace_is_practised_with_the_keyboard(person: Participant, page: Page) -> None:
    expect(page.get_by_role("heading", level=1)).to_be_focused()
    assert page.title().startswith("Practice question 1 of 2")
    page.keyboard.press("Alt+Shift+U")
    expect(page.locator("#time-said")).to_contain_text(re.compile("4 hours 59 minutes left"))
    page.keyboard.press("Alt+Shift+F")
    expect(page.get_by_role("button", name="Flag")).to_have_attribute("aria-pressed", "true")
    page.locator("[name=text]").fill("450 g")
    page.locator("#note summary").press("Enter")
    page.get_by_label("What you used").fill("My head")
    page.get_by_role("radio", name="Sure", exact=True).focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Alt+Shift+J")
    page.wait_for_url("**/practice/2/")
    expect(page.get_by_role("heading", level=1)).to_be_focused()
    listed = page.locator(".answer-list li").first
    expect(listed).to_contain_text("answered")
    expect(listed).to_contain_text("flagged")
    answer = practised(person)
    assert (answer.text, answer.note, answer.confidence) == ("450 g", "My head", 90)


def test_when_the_practice_clock_runs_out_nothing_closes_and_it_can_be_started_again(
    person: Participant, page: Page, looks: Callable[..., list[str]]
) -> None:
    leave_seconds(person, 6)
    page.reload()
    over = page.locator("#practice-over")
    expect(over).to_be_hidden()
    expect(over).to_be_visible()
    expect(page.locator("#announcements")).to_contain_text("your answers would be closed now")
    page.locator("[name=text]").fill("Written after the end")
    expect(page.locator("#save-state")).to_contain_text("Saved at")
    assert practised(person).text == "Written after the end"
    assert looks(page, "state-practice-over") == []
    over.get_by_role("button", name="Start the practice clock again").click()
    expect(over).to_be_hidden()
    expect(page.locator("[data-time-left]")).to_contain_text("4 h 59 min")
    expect(page.locator("[name=text]")).to_have_value("Written after the end")
