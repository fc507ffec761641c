"""States a page of the workspace gets into, not only how it opens: each accessible, none scrolls sideways.

And the workspace at 200 % zoom with a warning open: what is needed can be reached and is not covered.
"""

from collections.abc import Callable

import pytest
from django.utils import timezone
from playwright.sync_api import BrowserContext, Locator, Page, expect

from batches.models import Session
from batches.services.answers import IncomingText, answer_save
from batches.services.ending import session_submit
from studies.models import Study

STOPS = 60
Looks = Callable[..., list[str]]


def test_the_shortcuts_are_shown(session: Session, open_prompt: Callable[..., Page], looks: Looks) -> None:
    page = open_prompt(session)
    page.keyboard.press("Alt+Shift+H")
    expect(page.locator("#shortcuts-dialog")).to_be_visible()
    assert looks(page, "state-shortcuts", again=False) == []


def test_an_image_is_enlarged(session: Session, open_prompt: Callable[..., Page], looks: Looks) -> None:
    page = open_prompt(session)
    page.locator("[data-zoom]").click()
    expect(page.locator("#zoom-dialog img")).to_be_visible()
    page.locator("[data-zoom-in]").click()
    assert looks(page, "state-zoom", again=False) == []


def test_the_preview_is_open(session: Session, open_prompt: Callable[..., Page], looks: Looks) -> None:
    page = open_prompt(session)
    page.locator("[name=text]").fill("# A heading\n\n`code` and **bold**, " + "long" * 100)
    page.locator("#preview-button").click()
    expect(page.locator("#answer-preview strong")).to_have_text("bold")
    assert looks(page, "state-preview", again=False) == []


def test_a_stale_text_is_not_saved(session: Session, open_prompt: Callable[..., Page], looks: Looks) -> None:
    page = open_prompt(session)
    answer_save(
        user_id=session.participant.user_id,
        session_id=session.pk,
        position=1,
        incoming=IncomingText(text="newer" * 100, base_revision=0, tab="other", sequence=1),
        now=timezone.now(),
    )
    page.locator("[name=text]").press_sequentially("The older tab's text")
    expect(page.locator("#save-problem [data-newer-text]")).to_contain_text("newer")
    assert looks(page, "state-stale", again=False) == []


def test_time_gets_short(
    begin: Callable[..., Session], study: Study, open_prompt: Callable[..., Page], looks: Looks
) -> None:
    page = open_prompt(begin(study, seconds_left=240))
    expect(page.locator("#time-warning")).to_be_visible()
    assert looks(page, "state-time-warning", again=False) == []


def test_the_session_is_over(session: Session, open_prompt: Callable[..., Page], looks: Looks) -> None:
    page = open_prompt(session)
    session_submit(session=session, resources=None, now=timezone.now())
    page.locator("[name=text]").press_sequentially("Too late")
    expect(page.locator("#session-over")).to_be_visible()
    expect(page.locator("#receipt-place")).to_contain_text(session.reference)
    assert looks(page, "state-session-over", again=False) == []


def test_a_form_is_sent_too_late(session: Session, open_prompt: Callable[..., Page], looks: Looks) -> None:
    page = open_prompt(session)
    session_submit(session=session, resources=None, now=timezone.now())
    with page.expect_response(lambda response: response.status == 410):
        page.locator("#answer-form").evaluate(SEND_WITHOUT_THE_SCRIPT)
    expect(page.locator("#late-text")).to_be_visible()
    assert looks(page, "state-too-late", again=False) == []


SEND_WITHOUT_THE_SCRIPT = """form => {
  form.elements.text.value = "Too late";
  form.submit();
}"""


def test_at_200_percent_nothing_covers_what_is_needed(
    begin: Callable[..., Session],
    study: Study,
    new_device: Callable[..., BrowserContext],
    open_prompt: Callable[..., Page],
) -> None:
    session = begin(study, seconds_left=240)
    zoomed = {"viewport": {"width": 640, "height": 400}, "device_scale_factor": 2}
    page = open_prompt(session, device=new_device(session.participant.user, **zoomed))
    expect(page.locator("#time-warning")).to_be_visible()
    page.evaluate("sessionStorage.clear()")  # so that the warning is due again
    page.reload()
    expect(page.locator("#time-warning")).to_be_visible()
    show_answer(page)
    form = page.locator("#answer-form")
    for target in (form.locator("[name=text]"), form.locator("[value=stay]"), form.locator("[value=next]")):
        tab_to(page, target)
        assert target.evaluate(UNCOVERED), f"{target} is covered"
    expect(page.locator("#time-warning")).to_be_visible()


# What shows of it: the browser brings a field's line of writing into view, not all of the field.
UNCOVERED = """e => {
  const box = e.getBoundingClientRect();
  const top = Math.max(box.top, 0), bottom = Math.min(box.bottom, innerHeight);
  if (bottom - top < 24) return false;
  return e.contains(document.elementFromPoint(box.x + box.width / 2, (top + bottom) / 2));
}"""


def show_answer(page: Page) -> None:
    """A narrow window shows one side at a time."""
    answer = page.locator("[data-shows=answer]")
    if answer.is_visible():
        answer.click()


def tab_to(page: Page, target: Locator) -> None:
    for _ in range(STOPS):
        if target.evaluate("e => e === document.activeElement"):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"{target} cannot be reached with the Tab key")


@pytest.mark.parametrize("width", [360, 900, 1280])
def test_next_stays_where_it_is_whatever_the_page_says(
    width: int,
    begin: Callable[..., Session],
    new_device: Callable[..., BrowserContext],
    open_prompt: Callable[..., Page],
) -> None:
    session = begin(seconds_left=310, note_per_prompt=True, confidence_per_prompt=True)
    device = new_device(session.participant.user, viewport={"width": width, "height": 800})
    page = open_prompt(session, device=device)
    field, state = page.locator("[name=text]"), page.locator("#save-state")
    expect(state).to_contain_text("Nothing")
    show_answer(page)
    places = {"opened": place_of_next(page)}
    field.press_sequentially("An answer")
    places["typing"] = place_of_next(page)
    expect(state).to_contain_text("Saved at")
    places["saved"] = place_of_next(page)
    page.get_by_role("radio", name="Unsure").check(force=True)
    places["sure"] = place_of_next(page)
    page.keyboard.press("Alt+Shift+U")
    expect(page.locator("#time-said")).to_be_visible()
    places["time said"] = place_of_next(page)
    expect(page.locator("#time-warning")).to_be_visible()
    places["time warning"] = place_of_next(page)
    device.set_offline(True)
    field.press_sequentially(", and more")
    expect(page.locator("#save-problem")).to_be_visible()
    places["offline"] = place_of_next(page)
    answer_save(
        user_id=session.participant.user_id,
        session_id=session.pk,
        position=1,
        incoming=IncomingText(text="newer " * 100, base_revision=1, tab="other", sequence=1),
        now=timezone.now(),
    )
    device.set_offline(False)
    expect(page.locator("#save-problem [data-newer-text]")).to_contain_text("newer")
    places["stale"] = place_of_next(page)
    page.get_by_role("button", name="Keep my text").click()
    expect(state).to_contain_text("Saved at")
    device.clear_cookies()
    field.press_sequentially(".")
    expect(page.locator("#signed-out")).to_be_visible()
    places["signed out"] = place_of_next(page)
    assert places == dict.fromkeys(places, places["opened"])


def place_of_next(page: Page) -> tuple[int, int]:
    """Where the button stands on the page, in whole pixels from its start, wherever it is scrolled to."""
    left, top = page.locator("#answer-form [value=next]").evaluate(
        """e => {
          let top = 0;
          for (let p = e.parentElement; p; p = p.parentElement) top += p.scrollTop;
          const box = e.getBoundingClientRect();
          return [box.left, box.top + top];
        }"""
    )
    return round(left), round(top)
