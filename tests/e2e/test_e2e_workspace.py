"""The workspace's own pieces: both sides beside each other, how sure, the last question, a phone."""

from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, Page, Response, expect

from batches.models import Answer, Session

PHONE = {"width": 360, "height": 740}


@pytest.fixture
def session(begin: Callable[..., Session]) -> Session:
    return begin(prompts=2, note_per_prompt=True, confidence_per_prompt=True)


def room(page: Page) -> float:
    """How wide the question is, of the window."""
    box = page.locator("#question-pane").bounding_box()
    assert box is not None
    return round(100 * box["width"] / int(page.evaluate("innerWidth")))


def test_the_room_for_the_question_is_changed_by_keys_and_by_dragging_and_kept(
    session: Session, open_prompt: Callable[..., Page]
) -> None:
    page = open_prompt(session)
    bar = page.get_by_role("separator", name="Room for the question")
    assert room(page) == 50
    bar.press("ArrowRight")
    bar.press("ArrowRight")
    expect(bar).to_have_attribute("aria-valuenow", "60")
    assert room(page) == 60
    bar.press("End")
    bar.press("ArrowRight")
    expect(bar).to_have_attribute("aria-valuenow", "75")
    box = bar.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 4, box["y"] + 50)
    page.mouse.down()
    page.mouse.move(page.evaluate("innerWidth * 0.4"), box["y"] + 60, steps=4)
    page.mouse.up()
    expect(bar).to_have_attribute("aria-valuenow", "40")
    page.keyboard.press("Alt+Shift+J")
    page.wait_for_url("**/prompts/2/")
    assert room(page) == 40
    bar.press("Enter")
    assert room(page) == 50


def test_write_and_preview_are_tabs_in_one_place(session: Session, open_prompt: Callable[..., Page]) -> None:
    page = open_prompt(session)
    field, preview = page.locator("[name=text]"), page.locator("#answer-preview")
    field.fill("A **bold** word")
    page.get_by_role("tab", name="Write").focus()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("tab", name="Preview")).to_be_focused()
    expect(preview.locator("strong")).to_have_text("bold")
    expect(field).to_be_hidden()
    page.keyboard.press("Alt+Shift+P")
    expect(preview).to_be_hidden()
    expect(field).to_be_focused()


def says_how_sure(sent: str) -> Callable[[Response], bool]:
    return lambda reply: f'"confidence":{sent}' in (reply.request.post_data or "")


def test_how_sure_is_one_of_five_and_a_number_that_was_saved_before_stays(
    session: Session, open_prompt: Callable[..., Page]
) -> None:
    Answer.objects.filter(session=session, position=1).update(confidence=85, revision=1)
    page = open_prompt(session)
    expect(page.get_by_role("radio", name="85 %")).to_be_checked()
    for name, sent, stored in (("Certain", "90", 90), ("Guess", "10", 10), ("No answer", "null", None)):
        # The keys that save at once may send a choice again: its body tells which one came back.
        with page.expect_response(says_how_sure(sent)) as saved:
            page.get_by_role("radio", name=name).press("Space")
            page.keyboard.press("Control+Enter")
        assert saved.value.status == 200
        assert Answer.objects.get(session=session, position=1).confidence == stored


def test_the_main_button_of_the_last_question_saves_and_leads_to_the_review(
    session: Session, open_prompt: Callable[..., Page]
) -> None:
    page = open_prompt(session)
    expect(page.get_by_role("button", name="Previous")).to_be_disabled()
    page.get_by_role("button", name="Next question").click()
    page.wait_for_url("**/prompts/2/")
    page.locator("[name=text]").fill("The last one")
    page.get_by_role("button", name="Review and submit").click()
    page.wait_for_url("**/submit/")
    assert Answer.objects.get(session=session, position=2).text == "The last one"
    expect(page.locator(".dots li").nth(1)).to_contain_text("answered")


def test_a_phone_shows_the_question_or_the_answer_with_the_time_and_the_way_on_in_sight(
    session: Session, new_device: Callable[..., BrowserContext], open_prompt: Callable[..., Page]
) -> None:
    page = open_prompt(session, device=new_device(session.participant.user, viewport=PHONE))
    question, field = page.locator("#question-pane"), page.locator("[name=text]")
    expect(question).to_be_visible()
    expect(field).to_be_hidden()
    page.get_by_role("button", name="Answer", exact=True).click()
    expect(question).to_be_hidden()
    field.press_sequentially("Written on a phone")
    expect(page.locator("#save-state")).to_contain_text("Saved at")
    for part in ("[data-time-left]", "#save-state", "#flag-button", "#answer-form [value=next]"):
        box = page.locator(part).bounding_box()
        assert box is not None, part
        assert 0 <= box["x"] <= box["x"] + box["width"] <= PHONE["width"], part
        assert 0 <= box["y"] <= box["y"] + box["height"] <= PHONE["height"], part
