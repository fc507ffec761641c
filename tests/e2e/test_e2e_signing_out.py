"""What stays on a device that somebody signs out of, or somebody else signs in on."""

from collections.abc import Callable
from typing import Literal

from django.conf import settings
from playwright.sync_api import BrowserContext, Page, Route, expect

from batches.models import Answer, Session
from studies.models import Study
from tests.e2e.waiting import wait_until

Begin = Callable[..., Session]
Open = Callable[..., Page]
NewDevice = Callable[..., BrowserContext]

SAVES = "**/api/sessions/*/answers/*"
KEPT = "Object.keys(localStorage).filter((key) => key.startsWith('chiron:') && key !== 'chiron:shortcuts')"
TEXTS = f"{KEPT}.filter((key) => key.startsWith('chiron:answer:'))"


STOPS = 40


def press(page: Page, name: str, role: Literal["button", "link"] = "button") -> None:
    """Reach it with the Tab key and press Enter."""
    target = page.locator("main").get_by_role(role, name=name)
    expect(target).to_be_visible()
    for _ in range(STOPS):
        if target.evaluate("e => e === document.activeElement"):
            break
        page.keyboard.press("Tab")
    expect(target).to_be_focused()
    page.keyboard.press("Enter")


def sign_in_instead(device: BrowserContext, other: BrowserContext) -> None:
    """The person of the other device signs in on this one, whose sign-in has ended."""
    name = settings.SESSION_COOKIE_NAME
    device.clear_cookies(name=name)
    device.add_cookies([cookie for cookie in other.cookies() if cookie["name"] == name])  # type: ignore[misc]  # what came from a browser goes to one


def write_unsaved(page: Page, text: str) -> None:
    """Write something that never reaches the server, and leave."""
    # A page that is closed sends its text once more, past every route of this test.
    page.evaluate("() => { window.fetch = () => Promise.reject(new TypeError('no connection')); }")
    page.locator("[name=text]").fill(text)
    expect(page.locator("#save-state")).to_have_text("Offline: kept on this device")
    page.close()


def test_a_text_that_only_the_device_has_is_asked_about_and_removed_with_the_keyboard(
    begin: Begin, open_prompt: Open, new_device: NewDevice, looks: Callable[..., list[str]]
) -> None:
    session = begin()
    device = new_device(session.participant.user)
    write_unsaved(open_prompt(session, device=device), "only here")
    page = device.new_page()
    page.goto("/accounts/logout/")
    expect(page.locator("#device-texts textarea")).to_have_value("only here")
    press(page, "Stay signed in", "link")
    expect(page.get_by_role("heading", name="Sign out")).to_have_count(0)
    assert page.evaluate(f"{TEXTS}.length") == 1
    page.goto("/accounts/logout/")
    expect(page.locator("#device-texts")).to_be_visible()
    assert looks(page, "sign-out-question", again=False) == []
    press(page, "Remove them and sign out")
    expect(page.get_by_role("link", name="Sign in").first).to_be_visible()
    assert page.evaluate(KEPT) == []
    assert Answer.objects.get(session=session, position=1).text == ""


def test_a_press_before_the_question_stands_there_removes_nothing(
    begin: Begin, open_prompt: Open, new_device: NewDevice
) -> None:
    session = begin()
    device = new_device(session.participant.user)
    write_unsaved(open_prompt(session, device=device), "only here")
    page = device.new_page()
    waiting: list[Route] = []
    page.route(SAVES, lambda route: waiting.append(route))
    page.goto("/accounts/logout/")
    press(page, "Sign out")
    wait_until(page, lambda: waiting, "the text is on its way to the server")
    waiting.pop().continue_()
    expect(page.locator("#device-texts")).to_be_focused()
    expect(page.get_by_role("button", name="Remove them and sign out")).to_be_visible()
    assert page.evaluate(f"{TEXTS}.length") == 1


def test_a_message_that_was_not_sent_is_asked_about_and_removed(begin: Begin, new_device: NewDevice) -> None:
    session = begin()
    page = new_device(session.participant.user).new_page()
    page.goto(f"/studies/{session.participant.study.slug}/help/")
    page.get_by_label("Your message").fill("A long question")
    page.goto("/accounts/logout/")
    expect(page.get_by_label("Message to the study team")).to_have_value("A long question")
    press(page, "Remove them and sign out")
    expect(page.get_by_role("link", name="Sign in").first).to_be_visible()
    assert page.evaluate("sessionStorage.length") == 0


def test_what_the_server_has_goes_from_the_device_without_a_question(
    begin: Begin, open_prompt: Open, new_device: NewDevice
) -> None:
    session = begin()
    page = open_prompt(session, device=new_device(session.participant.user))
    page.locator("[name=text]").fill("on the server")
    expect(page.locator("#save-state")).to_contain_text("Saved at")
    # As a page that was closed before it heard of its last save leaves it.
    page.evaluate(
        """session => localStorage.setItem(`chiron:answer:${session}:1:gone`,
          JSON.stringify({ text: "on the server", note: "", confidence: null, revision: 0, at: 1 }))""",
        str(session.pk),
    )
    page.goto("/accounts/logout/")
    page.locator("main").get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("link", name="Sign in").first).to_be_visible()
    assert page.evaluate(KEPT) == []


def test_another_person_on_the_device_neither_sees_nor_removes_a_text(
    make_study: Callable[..., Study],
    begin: Begin,
    open_prompt: Open,
    new_device: NewDevice,
) -> None:
    study = make_study()
    theirs, mine = begin(study), begin(study)
    device = new_device(theirs.participant.user)
    write_unsaved(open_prompt(theirs, device=device), "of the one before")
    own = new_device(theirs.participant.user)
    sign_in_instead(device, new_device(mine.participant.user))
    for position in (1, 2, 3):
        page = open_prompt(mine, position, device=device)
        expect(page.locator("[name=text]")).to_have_value("")
        expect(page.locator("#local-copies")).to_be_hidden()
        page.close()
    page = device.new_page()
    page.goto("/accounts/logout/")
    page.locator("main").get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("link", name="Sign in").first).to_be_visible()
    sign_in_instead(device, own)
    page = open_prompt(theirs, device=device)
    expect(page.locator("[name=text]")).to_have_value("of the one before")
