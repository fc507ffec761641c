"""Two pages at one answer, and a start that happens once however often it is asked for."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from batches.models import Answer, Revision, RevisionOutcome, Session, SessionEvent, SessionEventKind
from studies.models import Participant, Study

START = re.compile("^Start my")


def saved_text(session: Session) -> str:
    return Answer.objects.get(session=session, position=1).text


@pytest.fixture(params=["two tabs of one browser", "two devices"])
def two_pages(
    request: pytest.FixtureRequest,
    new_device: Callable[..., BrowserContext],
    begin: Callable[..., Session],
    open_prompt: Callable[..., Page],
) -> tuple[Session, Page, Page]:
    """A session and two pages that show its first prompt, neither knowing of the other."""
    session = begin()
    user = session.participant.user
    first = new_device(user)
    second = first if "tabs" in request.param else new_device(user)
    return session, open_prompt(session, device=first), open_prompt(session, device=second)


def make_stale(session: Session, older: Page, newer: Page) -> None:
    newer.locator("[name=text]").press_sequentially("The newer text")
    expect(newer.locator("#save-state")).to_contain_text("Saved at")
    older.locator("[name=text]").press_sequentially("The older tab's text")
    expect(older.locator("#save-problem")).to_be_visible()


def test_the_older_page_is_told_keeps_its_text_and_overwrites_nothing(
    two_pages: tuple[Session, Page, Page],
) -> None:
    session, older, newer = two_pages
    make_stale(session, older, newer)
    expect(older.locator("#save-problem")).to_contain_text("The newer text")
    expect(older.locator("[name=text]")).to_have_value("The older tab's text")
    older.locator("[name=text]").press_sequentially(", and on")
    older.locator("[name=text]").blur()
    older.wait_for_timeout(300)
    assert saved_text(session) == "The newer text"
    refused = Revision.objects.filter(answer__session=session, outcome=RevisionOutcome.REFUSED_STALE)
    assert refused[0].text == "The older tab's text"


def test_in_the_older_page_the_person_may_decide_for_either_text(
    two_pages: tuple[Session, Page, Page],
) -> None:
    session, older, newer = two_pages
    make_stale(session, older, newer)
    older.get_by_role("button", name="Keep my text").click()
    expect(older.locator("#save-state")).to_contain_text("Saved at")
    assert saved_text(session) == "The older tab's text"
    newer.locator("[name=text]").press_sequentially("!")
    expect(newer.locator("#save-problem")).to_be_visible()
    newer.get_by_role("button", name="Use the newer text").click()
    expect(newer.locator("[name=text]")).to_have_value("The older tab's text")
    expect(newer.locator("#save-problem")).to_be_hidden()
    assert saved_text(session) == "The older tab's text"


# --- the start ---------------------------------------------------------------------------------------


@pytest.fixture
def at_start(
    make_study: Callable[..., Study],
    make_person: Callable[..., Participant],
    new_device: Callable[..., BrowserContext],
) -> tuple[Participant, Page]:
    """Somebody who may start, at the start page."""
    participant = make_person(make_study())
    page = new_device(participant.user).new_page()
    page.goto(f"/studies/{participant.study.slug}/start/")
    return participant, page


def started_once(participant: Participant) -> Session:
    session = Session.objects.get(participant=participant)
    assert SessionEvent.objects.filter(session=session, kind=SessionEventKind.STARTED).count() == 1
    return session


def test_opening_the_start_page_starts_nothing(at_start: tuple[Participant, Page]) -> None:
    participant, page = at_start
    page.reload()
    assert not Session.objects.filter(participant=participant).exists()


def test_a_double_click_starts_once(at_start: tuple[Participant, Page]) -> None:
    participant, page = at_start
    page.get_by_role("button", name=START).dblclick()
    page.wait_for_url("**/sessions/*/**")
    started_once(participant)


def test_going_back_and_pressing_again_does_not_start_again(at_start: tuple[Participant, Page]) -> None:
    participant, page = at_start
    page.get_by_role("button", name=START).click()
    page.wait_for_url("**/sessions/*/**")
    before = started_once(participant)
    page.reload()
    page.go_back()
    if page.get_by_role("button", name=START).is_visible():
        page.get_by_role("button", name=START).click()
        page.wait_for_url("**/sessions/*/**")
    assert started_once(participant).deadline_at == before.deadline_at


def test_two_start_pages_start_once_and_the_second_one_leads_to_the_same_session(
    at_start: tuple[Participant, Page],
) -> None:
    participant, first = at_start
    second = first.context.new_page()
    second.goto(first.url)
    first.get_by_role("button", name=START).click()
    second.get_by_role("button", name=START).click()
    for page in (first, second):
        page.wait_for_url("**/sessions/*/**")
    assert str(started_once(participant).pk) in second.url
    assert str(started_once(participant).pk) in first.url
