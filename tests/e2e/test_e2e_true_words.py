"""The save state is true at every moment, also after a reload: "Saved" means the server has every word."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import APIResponse, BrowserContext, Page, Request, Route, expect

from batches.models import Answer, Session

Begin = Callable[..., Session]
Open = Callable[..., Page]
NewDevice = Callable[..., BrowserContext]

SAVES = "**/api/sessions/*/answers/*"
MAIN_SCRIPT = re.compile(r"/batches/answering[^/]*\.js")
LOOKS = 30
STEP_MS = 100
# What a page sends while it is left goes past every route of a test.
CUT = "() => { globalThis.fetch = () => Promise.reject(new TypeError('no connection')); }"
SHOWN = """() => [
  document.getElementById("save-state")?.textContent.trim() ?? "",
  document.querySelector("[name=text]")?.value ?? ""]"""


def saved_text(session: Session, position: int = 1) -> str:
    return Answer.objects.get(session=session, position=position).text


def watch(page: Page, session: Session, typed: str, looks: int = LOOKS) -> None:
    """Compare the words with the server at every step."""
    for _ in range(looks):
        state, shown = page.evaluate(SHOWN)
        if state.startswith("Saved"):
            assert (shown, saved_text(session)) == (typed, typed), state
        page.wait_for_timeout(STEP_MS)


def is_a_save(request: Request) -> bool:
    return request.method == "POST" and "/answers/" in request.url


def expect_saved(page: Page, session: Session, typed: str) -> None:
    expect(page.locator("#save-state")).to_contain_text("Saved at")
    expect(page.locator("[name=text]")).to_have_value(typed)
    assert saved_text(session) == typed
    for notice in ("#local-copies", "#save-problem"):
        expect(page.locator(notice)).to_be_hidden()


@pytest.fixture
def session(begin: Begin) -> Session:
    return begin()


@pytest.fixture
def browser_of_theirs(session: Session, new_device: NewDevice) -> BrowserContext:
    return new_device(session.participant.user)


@pytest.fixture
def page(session: Session, browser_of_theirs: BrowserContext, open_prompt: Open) -> Page:
    """The first prompt with one word saved; leaving it with unsaved text is answered with yes."""
    page = open_prompt(session, device=browser_of_theirs)
    page.on("dialog", lambda dialog: dialog.accept())
    page.locator("[name=text]").press_sequentially("Before")
    expect(page.locator("#save-state")).to_contain_text("Saved at")
    return page


def test_words_typed_just_before_a_reload_are_not_called_saved_while_only_the_device_has_them(
    session: Session, page: Page
) -> None:
    page.evaluate(CUT)
    page.locator("[name=text]").press_sequentially(" and after")
    late: list[Route] = []
    page.route(MAIN_SCRIPT, lambda route: late.append(route), times=1)
    page.reload(wait_until="commit")
    watch(page, session, "Before and after", looks=10)
    assert saved_text(session) == "Before"
    page.wait_for_function("() => document.getElementById('save-state') !== null")
    (route,) = late
    with page.expect_request(is_a_save) as sent:
        route.continue_()
    assert "Before and after" in (sent.value.post_data or "")
    watch(page, session, "Before and after", looks=5)
    expect_saved(page, session, "Before and after")


def test_after_a_reload_into_a_cut_network_the_page_says_that_the_device_has_the_words(
    session: Session, browser_of_theirs: BrowserContext, page: Page
) -> None:
    page.evaluate(CUT)
    page.locator("[name=text]").press_sequentially(" and after")
    page.route(SAVES, lambda route: route.abort())
    page.reload()
    browser_of_theirs.set_offline(True)
    watch(page, session, "Before and after")
    expect(page.locator("#save-state")).to_have_text("Offline: kept on this device")
    assert saved_text(session) == "Before"
    page.unroute_all()
    browser_of_theirs.set_offline(False)
    watch(page, session, "Before and after", looks=5)
    expect_saved(page, session, "Before and after")


def test_a_page_left_for_a_typed_address_comes_back_with_its_last_words_and_saves_them_at_once(
    session: Session, page: Page
) -> None:
    address = page.url
    page.evaluate(CUT)
    page.locator("[name=text]").press_sequentially(" and after")
    page.goto("/")
    with page.expect_request(is_a_save) as sent:
        page.goto(address, wait_until="commit")
        watch(page, session, "Before and after", looks=10)
    assert "Before and after" in (sent.value.post_data or "")
    expect_saved(page, session, "Before and after")


def test_a_save_that_was_under_way_at_a_reload_is_no_other_tab(session: Session, page: Page) -> None:
    held: list[APIResponse] = []
    page.route(SAVES, lambda route: held.append(route.fetch()), times=1)
    field = page.locator("[name=text]")
    field.press_sequentially(" and then")
    while not held:  # the server has it and the page does not know
        page.wait_for_timeout(STEP_MS)
    assert saved_text(session) == "Before and then"
    field.press_sequentially(" and after")
    page.evaluate(CUT)
    page.reload(wait_until="commit")
    watch(page, session, "Before and then and after", looks=10)
    expect_saved(page, session, "Before and then and after")


def test_what_another_device_saved_meanwhile_is_not_overwritten_by_a_copy(
    session: Session, page: Page, new_device: NewDevice, open_prompt: Open
) -> None:
    page.evaluate(CUT)
    page.locator("[name=text]").press_sequentially(" on this device")
    other = open_prompt(session, device=new_device(session.participant.user))
    other.locator("[name=text]").press_sequentially("There: ")
    expect(other.locator("#save-state")).to_contain_text("Saved at")
    newer = saved_text(session)
    page.reload()
    expect(page.locator("#local-copies")).to_contain_text("Before on this device")
    watch(page, session, newer, looks=5)
    assert saved_text(session) == newer
    page.get_by_role("button", name="Use this text").click()
    expect_saved(page, session, "Before on this device")


@pytest.mark.parametrize("address", ["prompts/2/", ""], ids=["another prompt", "the list"])
def test_the_list_says_of_other_prompts_what_the_server_has(
    address: str, session: Session, browser_of_theirs: BrowserContext, page: Page
) -> None:
    page.evaluate(CUT)
    page.locator("[name=text]").press_sequentially(" and after")
    first = page.url
    state = page.locator(".answer-list li[data-position='1'] [data-state]")
    page.goto(f"/sessions/{session.pk}/{address}")
    expect(state).to_have_text("draft, not saved yet")
    page.goto(first)
    expect_saved(page, session, "Before and after")
    # As a page that was closed before it heard of its last save leaves it.
    page.evaluate(
        """session => localStorage.setItem(`chiron:answer:${session}:1:gone`,
          JSON.stringify({ text: "Before and after", tab: "gone", sequence: 1, revision: 1, at: 1 }))""",
        str(session.pk),
    )
    page.goto(f"/sessions/{session.pk}/{address}")
    expect(state).to_have_text("answered")


def test_without_the_script_the_page_says_when_it_was_saved_and_not_that_what_is_typed_is(
    session: Session, page: Page, new_device: NewDevice, open_prompt: Open
) -> None:
    plain = open_prompt(session, device=new_device(session.participant.user, java_script_enabled=False))
    plain.locator("[name=text]").press_sequentially(" and after")
    expect(plain.locator("#save-state")).to_have_text(re.compile(r"^\s*Last saved at \d\d:\d\d UTC\s*$"))
