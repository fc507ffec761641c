"""The tools of the answering page: copying, files, word count, note, flag, list of prompts, preview, keys."""

import re
import struct
import zlib
from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, Locator, Page, expect

from batches.models import Answer, Session
from studies.bank.records import PromptRecord
from studies.models import Study
from tests.e2e.made_rows import attachment

SHOWN_TEXT = "Is **x < y** & *why*?\n\n- one\n- “two”, naïve"
PNG_SIZE = (400, 300)


def png_bytes() -> bytes:
    """A grey picture, wide enough to be enlarged from where it fits the window."""
    width, height = PNG_SIZE

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    rows = (b"\0" + b"\x99" * width) * height
    chunks = chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + chunks


@pytest.fixture(scope="module")
def study_with_files(make_study: Callable[..., Study], tmp_path_factory: pytest.TempPathFactory) -> Study:
    """Two prompts, each with an image; a note and a confidence are asked for."""
    folder = tmp_path_factory.mktemp("bank")
    files = (attachment(folder, "image.png", "image/png", png_bytes()),)
    prompts = [
        PromptRecord(prompt_id=f"p{n}", text=f"{SHOWN_TEXT} ({n})", gold_answer="1", attachments=files)
        for n in (1, 2)
    ]
    return make_study(
        prompts=prompts,
        root=folder,
        note_per_prompt=True,
        confidence_per_prompt=True,
        replicates_per_profile=20,
    )


@pytest.fixture
def session(study_with_files: Study, begin: Callable[..., Session]) -> Session:
    return begin(study_with_files)


@pytest.fixture
def browser_of_theirs(session: Session, new_device: Callable[..., BrowserContext]) -> BrowserContext:
    return new_device(session.participant.user)


@pytest.fixture
def page(session: Session, browser_of_theirs: BrowserContext, open_prompt: Callable[..., Page]) -> Page:
    return open_prompt(session, device=browser_of_theirs)


def answer_of(session: Session, position: int = 1) -> Answer:
    return Answer.objects.get(session=session, position=position)


def entry(page: Page, position: int) -> Locator:
    """What the list of prompts says of one."""
    return page.locator(f".answer-list li[data-position='{position}']")


def test_the_prompt_is_copied_as_plain_text_to_the_letter(
    session: Session, browser_of_theirs: BrowserContext, page: Page
) -> None:
    browser_of_theirs.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Copy the question as plain text").click()
    expect(page.locator("[data-copied]").first).to_have_text("Copied.")
    copied = page.evaluate("() => navigator.clipboard.readText()")
    assert copied == answer_of(session).prompt.text
    assert copied.startswith(SHOWN_TEXT)


def test_an_image_is_opened_enlarged_and_closed_by_keyboard_and_focus_returns(page: Page) -> None:
    opener = page.get_by_role("button", name="Enlarge image.png")
    dialog = page.locator("#zoom-dialog")
    image = dialog.locator("img")
    opener.focus()
    page.keyboard.press("Enter")
    expect(dialog).to_be_visible()
    expect(image).to_have_attribute("width", re.compile(r"^\d+$"))
    fitting = int(image.get_attribute("width") or 0)
    page.keyboard.press("+")
    expect(image).not_to_have_attribute("width", str(fitting))
    assert int(image.get_attribute("width") or 0) > fitting > 0
    page.keyboard.press("0")
    expect(image).to_have_attribute("width", str(fitting))
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    expect(opener).to_be_focused()


def test_the_word_count_follows_the_typing(page: Page) -> None:
    field, count = page.locator("[name=text]"), page.locator("#word-count")
    expect(count).to_have_text("0 words")
    field.press_sequentially("One")
    expect(count).to_have_text("1 word")
    field.press_sequentially(", two; three.")
    expect(count).to_have_text("3 words")
    field.fill("")
    expect(count).to_have_text("0 words")


def test_note_and_confidence_are_saved_together_with_the_text(session: Session, page: Page) -> None:
    page.locator("[name=text]").press_sequentially("An answer")
    page.locator("#note summary").click()
    page.locator("[name=note]").press_sequentially("A table of mine")
    with page.expect_response(lambda reply: '"confidence":70' in (reply.request.post_data or "")) as saved:
        page.get_by_role("radio", name="Sure", exact=True).check(force=True)
        page.get_by_role("button", name="Save", exact=True).click()
    assert saved.value.status == 200
    expect(page.locator("#save-state")).to_contain_text("Saved at")
    answer = answer_of(session)
    assert (answer.text, answer.note, answer.confidence) == ("An answer", "A table of mine", 70)
    page.reload()
    expect(page.locator("[name=note]")).to_have_value("A table of mine")
    expect(page.locator("[name=note]")).to_be_visible()
    expect(page.get_by_role("radio", name="Sure", exact=True)).to_be_checked()


def test_a_flag_by_shortcut_or_by_button_is_stored_listed_and_there_after_a_reload(
    session: Session, page: Page
) -> None:
    mark, button = entry(page, 1).locator("[data-flag]"), page.locator("#flag-button")
    expect(mark).to_be_hidden()
    for way in ("shortcut", "button"):
        for flagged in (True, False) if way == "shortcut" else (True,):
            with page.expect_response("**/answers/1/flag") as stored:
                if way == "shortcut":
                    page.keyboard.press("Alt+Shift+F")
                else:
                    button.click()
            assert stored.value.ok
            expect(mark).to_be_visible(visible=flagged)
            assert answer_of(session).is_flagged is flagged
            page.reload()
            expect(mark).to_be_visible(visible=flagged)
            expect(button).to_have_attribute("aria-pressed", str(flagged).lower())


def test_the_list_says_not_opened_then_answered_then_emptied(session: Session, page: Page) -> None:
    state = entry(page, 2).locator("[data-state]")
    expect(state).to_have_text("not opened")
    entry(page, 2).get_by_role("link").click()
    page.wait_for_url("**/prompts/2/")
    field = page.locator("[name=text]")
    field.fill("Something")
    expect(state).to_have_text("answered")
    assert answer_of(session, 2).text == "Something"
    page.reload()
    expect(state).to_have_text("answered")
    field.fill("")
    expect(state).to_have_text("emptied")
    assert answer_of(session, 2).text == ""
    page.reload()
    expect(state).to_have_text("emptied")


def test_the_preview_renders_bold_words_and_shows_a_script_as_text(page: Page) -> None:
    page.locator("[name=text]").fill("A **bold** word\n\n<script>globalThis.ran = true</script>")
    page.get_by_role("tab", name="Preview").click()
    preview = page.locator("#answer-preview")
    expect(preview.locator("strong")).to_have_text("bold")
    expect(preview).to_contain_text("<script>globalThis.ran = true</script>")
    expect(preview.locator("script")).to_have_count(0)
    assert page.evaluate("() => globalThis.ran === undefined")


def test_the_shortcuts_are_shown_in_a_dialog_and_can_be_switched_off(page: Page) -> None:
    dialog, switch = page.locator("#shortcuts-dialog"), page.locator("#shortcuts-on")
    page.keyboard.press("Alt+Shift+H")
    expect(dialog).to_be_visible()
    expect(switch).to_be_checked()
    switch.uncheck()
    dialog.get_by_role("button", name="Close").click()
    expect(dialog).to_be_hidden()
    for reloaded in (False, True):
        if reloaded:
            page.reload()
        expect(page.locator("#shortcuts-button")).to_be_visible()
        page.keyboard.press("Alt+Shift+H")
        page.keyboard.press("Alt+Shift+P")
        expect(dialog).to_be_hidden()
        expect(page.locator("#answer-preview")).to_be_hidden()
    page.locator("#shortcuts-button").click()
    expect(switch).not_to_be_checked()
    switch.check()
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    page.keyboard.press("Alt+Shift+H")
    expect(dialog).to_be_visible()


@pytest.mark.parametrize("way", ["shortcut", "button", "list"])
def test_after_a_move_reading_begins_at_the_heading_of_the_prompt(way: str, page: Page) -> None:
    if way == "shortcut":
        page.keyboard.press("Alt+Shift+J")
    elif way == "button":
        page.get_by_role("button", name="Next question").click()
    else:
        entry(page, 2).get_by_role("link").click()
    page.wait_for_url("**/prompts/2/")
    expect(page.get_by_role("heading", level=1)).to_be_focused()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Question 2 of")
    page.keyboard.press("Alt+Shift+K")
    page.wait_for_url("**/prompts/1/")
    expect(page.get_by_role("heading", level=1)).to_be_focused()
