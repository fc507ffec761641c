"""Without a network all questions stay within reach on the open page; everything arrives when it is back."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.utils import timezone
from playwright.sync_api import BrowserContext, Dialog, Page, Route, expect

from batches.models import Answer, Session, SessionEvent, SessionEventKind
from batches.services.ending import session_submit
from studies.bank.records import PromptRecord
from tests.e2e.made_rows import attachment
from tests.e2e.waiting import wait_until


@pytest.fixture(scope="module")
def questions(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[PromptRecord]]:
    """Four: the second has a picture, the last is private."""
    folder = tmp_path_factory.mktemp("bank")
    picture = next(Path(settings.BASE_DIR, "fixtures").rglob("*.png")).read_bytes()
    return folder, [
        PromptRecord(
            prompt_id=f"p{n}", text=f"Question number {n}?", gold_answer=str(n), category="QR",
            split="private" if n == 4 else "public",
            attachments=(attachment(folder, "drawing.png", "image/png", picture),) if n == 2 else (),
        )
        for n in range(1, 5)
    ]  # fmt: skip


@pytest.fixture
def opened(
    questions: tuple[Path, list[PromptRecord]],
    new_device: Callable[..., BrowserContext],
    begin: Callable[..., Session],
    open_prompt: Callable[..., Page],
) -> Callable[..., tuple[Session, Page]]:
    """A session whose page holds what it may: `opened(private_offline=True)`."""

    def open_held(**protocol: Any) -> tuple[Session, Page]:
        folder, records = questions
        session = begin(prompts=records, root=folder, **protocol)
        device = new_device(session.participant.user)
        held = device.new_page()
        with held.expect_response("**/attachments/**") as picture:
            held.goto(f"/sessions/{session.pk}/prompts/1/")
        picture.value.finished()
        return session, held

    return open_held


def shown(page: Page, position: int) -> None:
    page.wait_for_url(f"**/prompts/{position}/")
    expect(page.locator("#question-pane h1")).to_be_focused()
    expect(page.locator(".dots [aria-current=page]")).to_contain_text(str(position))
    expect(page).to_have_title(f"Question {position} of 4 · Chiron")


def go_to(page: Page, position: int) -> None:
    page.locator(".dots a").nth(position - 1).click()
    shown(page, position)


def test_all_questions_are_visited_and_answered_without_a_network_and_everything_arrives(
    opened: Callable[..., tuple[Session, Page]],
) -> None:
    session, page = opened()
    page.locator("[name=text]").fill("One")
    expect(page.locator("#save-state")).to_contain_text("Saved at")
    page.context.set_offline(True)
    expect(page.locator("#line-lost")).to_contain_text("Do not reload")
    page.locator("[name=text]").fill("One, and more")
    page.get_by_role("button", name="Next question").click()
    shown(page, 2)
    expect(page.locator("#question-pane")).to_contain_text("Question number 2?")
    assert (
        page.locator(".attachment img").evaluate("image => image.decode().then(() => image.naturalWidth)") > 0
    )
    page.locator("[name=text]").fill("Two")
    page.keyboard.press("Alt+Shift+J")
    shown(page, 3)
    page.locator("[name=text]").fill("Three")
    seen = page.evaluate("performance.now()")
    # Devices tell whole seconds.
    wait_until(page, lambda: page.evaluate("performance.now()") - seen > 1_000, "a second went by")
    # Each keeps what was written, and its state.
    page.go_back()
    shown(page, 2)
    expect(page.locator("[name=text]")).to_have_value("Two")
    expect(page.locator("#save-state")).to_have_text("Offline: kept on this device")
    go_to(page, 4)
    expect(page.locator("#question-pane")).not_to_contain_text("Question number 4?")
    expect(page.locator("#question-pane")).to_contain_text("not held on this page")
    # No page comes, and this one stays.
    page.get_by_role("link", name="Review and submit").first.click()
    expect(page.locator("#line-lost")).to_contain_text("opens when the connection is back")
    assert page.url.endswith("/prompts/4/")
    assert not Answer.objects.filter(session=session, text="Two").exists()

    page.context.set_offline(False)
    answers = Answer.objects.filter(session=session).order_by("position")
    wait_until(
        page,
        lambda: [*answers.values_list("text", flat=True)] == ["One, and more", "Two", "Three", ""],
        "all arrived",
    )
    expect(page.locator("#line-lost")).to_be_hidden()
    told = SessionEvent.objects.filter(session=session, kind=SessionEventKind.SEEN_OFFLINE).order_by("pk")
    wait_until(page, lambda: told.count() == 2, "both first views arrived")
    assert [event.details["position"] for event in told] == [2, 3]
    for event, answer in zip(told, answers[1:3], strict=True):
        assert event.happened_at == answer.first_seen_at
        assert session.started_at <= event.happened_at < event.recorded_at
    session.refresh_from_db()
    assert session.extended_seconds == 0
    # What could not be shown is, where the person has stayed.
    expect(page.locator("#question-pane")).to_contain_text("Question number 4?")
    go_to(page, 2)
    expect(page.locator("#save-state")).to_contain_text("Saved at")


def test_a_reload_without_a_network_is_warned_about(opened: Callable[..., tuple[Session, Page]]) -> None:
    _session, page = opened()
    page.locator("[name=text]").click()
    page.context.set_offline(True)
    expect(page.locator("#line-lost")).to_be_visible()
    asked: list[Dialog] = []

    def stay(dialog: Dialog) -> None:
        asked.append(dialog)
        dialog.dismiss()

    page.on("dialog", stay)
    page.evaluate("setTimeout(() => location.reload())")
    wait_until(page, lambda: asked, "the page asks")
    assert asked[0].type == "beforeunload"
    page.get_by_role("button", name="Next question").click()
    shown(page, 2)


def test_a_portal_that_answers_for_the_server_takes_nothing_and_nobody_away_from_the_page(
    opened: Callable[..., tuple[Session, Page]],
) -> None:
    session, page = opened()
    page.locator("[name=text]").fill("One")
    expect(page.locator("#save-state")).to_contain_text("Saved at")
    portal = "**/*"
    page.route(portal, lambda route: route.fulfill(status=200, content_type="text/html", body="<h1>Pay</h1>"))
    page.locator("[name=text]").fill("One, and more")
    page.get_by_role("button", name="Next question").click()
    shown(page, 2)
    page.locator("[name=text]").fill("Two")
    page.keyboard.press("Alt+Shift+F")
    page.keyboard.press("Alt+Shift+J")
    shown(page, 3)
    # No question that is not held opens the portal's page, nor does handing in.
    page.locator(".dots a").nth(3).click()
    shown(page, 4)
    page.locator("[name=text]").fill("Four")
    page.get_by_role("button", name="Review and submit").click()
    expect(page.locator("#line-lost")).to_contain_text("opens when the connection is back")
    page.go_back()
    shown(page, 3)
    assert Answer.objects.get(session=session, position=1).text == "One"

    page.unroute(portal)
    answers = Answer.objects.filter(session=session).order_by("position")
    wait_until(
        page,
        lambda: (
            [*answers.values_list("text", "is_flagged")]
            == [("One, and more", False), ("Two", True), ("", False), ("Four", False)]
            and answers.exclude(first_seen_at=None).count() == len("123")
        ),
        "answers, the flag and first views arrived",
    )
    expect(page.locator("#line-lost")).to_be_hidden()


def test_whoever_is_signed_out_is_told_on_every_question_and_no_more_when_signed_in(
    opened: Callable[..., tuple[Session, Page]],
) -> None:
    session, page = opened()
    cookies = page.context.cookies()
    page.context.clear_cookies()
    page.locator("[name=text]").fill("One")
    expect(page.locator("#signed-out")).to_be_visible()
    with page.expect_response(lambda reply: reply.url.endswith("/time")):  # the clock is asked, too
        page.evaluate("window.dispatchEvent(new Event('focus'))")
    page.get_by_role("button", name="Next question").click()
    shown(page, 2)
    expect(page.locator("#signed-out")).to_be_visible()
    # Nor does signing in lead away from the page on a lost line.
    page.context.set_offline(True)
    page.locator("[data-sign-in]").click()
    expect(page.locator("#line-lost")).to_contain_text("opens when the connection is back")
    page.context.add_cookies(cookies)  # type: ignore[arg-type]
    page.context.set_offline(False)
    expect(page.locator("#signed-out")).to_be_hidden()
    go_to(page, 1)
    expect(page.locator("#signed-out")).to_be_hidden()
    expect(page.locator("#save-state")).to_contain_text("Saved at")
    assert Answer.objects.get(session=session, position=1).text == "One"


def test_on_a_slow_line_going_on_waits_a_moment_and_what_was_written_is_saved_beside_it(
    opened: Callable[..., tuple[Session, Page]],
) -> None:
    session, page = opened()
    held: list[Route] = []
    page.route("**/answers/1", lambda route: held.append(route))  # Playwright marks its handlers
    page.locator("[name=text]").fill("One")
    page.get_by_role("button", name="Next question").click()
    page.wait_for_url("**/prompts/2/", timeout=2_500)
    page.locator("[name=text]").fill("Two")
    expect(page.locator("#save-state")).to_contain_text("Saved at")
    page.unroute("**/answers/1")  # what was held goes on
    expect(page.locator(".dots li").first).to_contain_text("answered")
    expect(page.locator("[name=text]")).to_have_value("Two")
    answers = Answer.objects.filter(session=session).order_by("position")
    assert [*answers.values_list("text", flat=True)] == ["One", "Two", "", ""]


def test_a_private_question_is_held_where_the_protocol_says_so(
    opened: Callable[..., tuple[Session, Page]],
) -> None:
    _session, page = opened(private_offline=True)
    page.context.set_offline(True)
    expect(page.locator("#line-lost")).to_be_visible()
    go_to(page, 4)
    expect(page.locator("#question-pane")).to_contain_text("Question number 4?")
    # Nothing of any question is put on the device.
    kept = "JSON.stringify([localStorage, sessionStorage])"
    assert "number" not in page.evaluate(kept)
    assert page.evaluate("caches.keys().then(names => names.length)") == 0
    assert page.evaluate("indexedDB.databases().then(found => found.length)") == 0


# Notes what is sent as the page goes away, and what pictures it holds.
WATCHED = """
const send = window.fetch;
window.leaving = [];
window.fetch = (address, options) => {
  const sent = send(address, options);
  if (options?.method === "POST" && !options.signal) {
    const settled = sent.then(() => {}, () => {});
    window.leaving.push({ bytes: new Blob([options.body]).size, keepalive: options.keepalive, settled });
  }
  return sent;
};
window.pictures = new Set();
const { createObjectURL, revokeObjectURL } = URL;
URL.createObjectURL = (file) => {
  const address = createObjectURL.call(URL, file);
  window.pictures.add(address);
  return address;
};
URL.revokeObjectURL = (address) => {
  window.pictures.delete(address);
  revokeObjectURL.call(URL, address);
};
"""


def test_long_answers_of_a_page_that_goes_away_stay_together_below_what_a_browser_sends_then(
    opened: Callable[..., tuple[Session, Page]],
) -> None:
    session, page = opened()
    page.add_init_script(WATCHED)
    page.reload()
    texts = [character * 40_000 for character in "xy"]
    page.route("**/answers/*", lambda route: route.abort())
    page.locator("[name=text]").fill(texts[0])
    page.get_by_role("button", name="Next question").click()
    shown(page, 2)
    page.locator("[name=text]").fill(texts[1])
    for times in (1, 2):  # what was sent is no longer counted the second time
        page.evaluate("window.dispatchEvent(new PageTransitionEvent('pagehide'))")
        page.evaluate("Promise.all(window.leaving.map(({ settled }) => settled))")
        answers = page.evaluate("window.leaving.filter(({ bytes }) => bytes > 40_000)")
        assert [request["keepalive"] for request in answers] == [True, False] * times
        assert all(request["bytes"] < 64 * 1024 for request in answers)
    page.unroute("**/answers/*")
    saved = Answer.objects.filter(session=session, position__in=(1, 2)).order_by("position")
    wait_until(page, lambda: [*saved.values_list("text", flat=True)] == texts, "both arrived")


def test_after_the_end_the_page_holds_no_picture_any_more(
    opened: Callable[..., tuple[Session, Page]],
) -> None:
    session, page = opened()
    page.add_init_script(WATCHED)
    page.reload()
    wait_until(page, lambda: page.evaluate("window.pictures.size") == 1, "the picture is held")
    session_submit(session=session, resources=None, now=timezone.now())
    page.locator("[name=text]").fill("Too late")
    wait_until(page, lambda: page.evaluate("window.pictures.size") == 0, "it is held no more")


def test_what_another_page_saved_meanwhile_is_overwritten_by_none_of_the_questions_that_stand_aside(
    opened: Callable[..., tuple[Session, Page]],
) -> None:
    session, page = opened()
    go_to(page, 2)
    page.context.set_offline(True)
    page.locator("[name=text]").fill("Older")
    go_to(page, 3)
    other = page.context.browser.new_context()  # type: ignore[union-attr]  # there is a browser
    other.add_cookies(page.context.cookies())  # type: ignore[arg-type]
    newer = other.new_page()
    newer.goto(f"{page.url.partition('/sessions/')[0]}/sessions/{session.pk}/prompts/2/")
    newer.locator("[name=text]").fill("Newer")
    expect(newer.locator("#save-state")).to_contain_text("Saved at")
    with page.expect_response(lambda reply: reply.status == 409):
        page.context.set_offline(False)
    expect(page.locator(".dots li").nth(1)).to_contain_text("not saved yet")
    expect(page.get_by_role("link", name="Question 2 is not saved")).to_be_visible()
    expect(page.locator("#announcements")).to_contain_text("Question 2 is not saved")
    # Before handing in it is decided on.
    page.get_by_role("link", name="Review and submit").first.click()
    shown(page, 2)
    expect(page.locator("#undecided")).to_be_hidden()
    expect(page.locator("#save-problem")).to_contain_text("Newer")
    expect(page.locator("[name=text]")).to_have_value("Older")
    assert Answer.objects.get(session=session, position=2).text == "Newer"
    other.close()


def test_first_views_that_a_reload_left_untold_are_told_by_the_next_page(
    opened: Callable[..., tuple[Session, Page]],
) -> None:
    session, page = opened()
    device = page.context
    device.set_offline(True)
    expect(page.locator("#line-lost")).to_be_visible()
    page.get_by_role("button", name="Next question").click()
    shown(page, 2)
    page.get_by_role("button", name="Next question").click()
    shown(page, 3)
    seen = page.evaluate("Date.now()")
    # Which questions and when, nothing of what they say.
    kept = page.evaluate("Object.entries(localStorage).filter(([key]) => key.startsWith('chiron:seen:'))")
    assert sorted(key.rpartition(":")[2] for key, _value in kept) == ["2", "3"]
    assert all(abs(int(value) - seen) < 60_000 for _key, value in kept)
    # Devices tell whole seconds.
    wait_until(page, lambda: page.evaluate("Date.now()") - seen > 1_000, "a second went by")
    page.on("dialog", lambda dialog: dialog.accept())
    page.close()

    device.set_offline(False)
    again = device.new_page()
    again.goto(f"/sessions/{session.pk}/prompts/1/")
    told = SessionEvent.objects.filter(session=session, kind=SessionEventKind.SEEN_OFFLINE).order_by("pk")
    wait_until(again, lambda: told.count() == 2, "both first views arrived")
    assert [event.details["position"] for event in told] == [2, 3]
    assert all(event.happened_at < event.recorded_at for event in told)
    untold = "Object.keys(localStorage).filter(key => key.startsWith('chiron:seen:')).length"
    wait_until(again, lambda: again.evaluate(untold) == 0, "nothing of it stays on the device")


def test_first_views_that_were_untold_at_the_end_are_told_by_the_receipt(
    opened: Callable[..., tuple[Session, Page]],
) -> None:
    session, page = opened()
    device = page.context
    device.set_offline(True)
    expect(page.locator("#line-lost")).to_be_visible()
    page.get_by_role("button", name="Next question").click()
    shown(page, 2)
    seen = page.evaluate("Date.now()")
    wait_until(page, lambda: page.evaluate("Date.now()") - seen > 1_000, "devices tell whole seconds")
    page.close()
    Session.objects.filter(pk=session.pk).update(deadline_at=timezone.now())

    device.set_offline(False)
    receipt = device.new_page()
    receipt.goto(f"/sessions/{session.pk}/receipt/")
    told = SessionEvent.objects.filter(session=session, kind=SessionEventKind.SEEN_OFFLINE)
    wait_until(receipt, told.exists, "the view arrived")
    assert Answer.objects.get(session=session, position=2).first_seen_at == told.get().happened_at


def test_a_mark_of_another_device_shows_on_the_question_that_is_held_and_is_not_taken_back(
    opened: Callable[..., tuple[Session, Page]], new_device: Callable[..., BrowserContext]
) -> None:
    session, page = opened()
    other = new_device(session.participant.user).new_page()
    other.goto(f"/sessions/{session.pk}/prompts/2/")
    other.locator("#flag-button").click()
    mine = Answer.objects.filter(session=session, position=2)
    wait_until(other, lambda: mine.get().is_flagged, "the mark is saved")
    go_to(page, 2)
    expect(page.locator("#flag-button")).to_have_attribute("aria-pressed", "true")
    expect(page.locator(".dots li").nth(1).locator("[data-flag]")).to_be_visible()
    page.locator("#flag-button").click()
    wait_until(page, lambda: not mine.get().is_flagged, "the mark is taken away")
    go_to(page, 1)
    go_to(page, 2)
    expect(page.locator("#flag-button")).to_have_attribute("aria-pressed", "false")
