"""The deadline with text in the box: what counts, what is refused, what the person sees."""

from collections.abc import Callable

from django.utils import timezone
from playwright.sync_api import BrowserContext, Page, Route, expect

from batches.models import Answer, Revision, RevisionOutcome, Session, SessionEvent, SessionEventKind
from batches.rules.statuses import SessionStatus
from tests.e2e.waiting import wait_until


def saved_text(session: Session) -> str:
    return Answer.objects.get(session=session, position=1).text


def wait_until_past(page: Page, session: Session, seconds: float) -> None:
    left = (session.deadline_at - timezone.now()).total_seconds() + seconds
    page.wait_for_timeout(max(0.0, left * 1_000))


def events(session: Session, kind: SessionEventKind) -> int:
    return SessionEvent.objects.filter(session=session, kind=kind).count()


def test_at_the_deadline_the_page_turns_read_only_by_itself_and_shows_the_receipt(
    begin: Callable[..., Session], open_prompt: Callable[..., Page], pass_time: Callable[..., None]
) -> None:
    session = begin()
    page = open_prompt(session)
    pass_time(session, left=8, page=page)
    page.locator("[name=text]").fill("Still in the box")
    expect(page.locator("[name=text]")).to_have_value("Still in the box")
    expect(page.locator("[name=text]")).to_have_attribute("readonly", "")
    expect(page.locator("#session-over")).to_contain_text("Your time has ended.")
    expect(page.locator("#receipt-place")).to_contain_text(session.reference)
    assert saved_text(session) == "Still in the box"
    here = page.locator("#receipt-place #receipt").inner_text()
    page.goto(f"/sessions/{session.pk}/receipt/")
    assert page.locator("#receipt").inner_text() == here


def test_a_text_on_the_wire_at_the_deadline_counts_and_is_logged_as_late(
    begin: Callable[..., Session], open_prompt: Callable[..., Page], pass_time: Callable[..., None]
) -> None:
    session = begin(late_tolerance_seconds=60)
    page = open_prompt(session)
    page.locator("[name=text]").press_sequentially("In time. ")
    expect(page.locator("#save-state")).to_contain_text("Saved at")
    on_the_wire: list[Route] = []
    page.route("**/answers/1", lambda route: on_the_wire.append(route))
    page.locator("[name=text]").fill("In time. On the wire.")
    # Only then does the time go by: however slow the machine is, the text was on its way before.
    wait_until(page, lambda: on_the_wire, "the text is on its way")
    pass_time(session, left=4, page=page)
    wait_until_past(page, session, 1.0)
    for route in on_the_wire:
        route.continue_()
    expect(page.locator("#session-over")).to_be_visible()
    expect(page.locator("#receipt-place")).to_contain_text(session.reference)
    assert saved_text(session) == "In time. On the wire."
    assert (
        Revision.objects.filter(answer__session=session).latest("id").outcome == RevisionOutcome.ACCEPTED_LATE
    )
    assert events(session, SessionEventKind.LATE_SAVE_ACCEPTED) == 1


def test_a_text_after_the_tolerance_is_refused_and_stays_readable_and_copyable(
    new_device: Callable[..., BrowserContext],
    begin: Callable[..., Session],
    open_prompt: Callable[..., Page],
    pass_time: Callable[..., None],
) -> None:
    session = begin(late_tolerance_seconds=1)
    device = new_device(session.participant.user, permissions=["clipboard-read", "clipboard-write"])
    page = open_prompt(session, device=device)
    field = page.locator("[name=text]")
    field.press_sequentially("In time. ")
    expect(page.locator("#save-state")).to_contain_text("Saved at")
    pass_time(session, left=8, page=page)
    device.set_offline(True)
    field.fill("In time. Too late.")
    wait_until_past(page, session, 2.0)
    device.set_offline(False)
    expect(page.locator("#save-state")).to_contain_text("Not saved: the time is over")
    expect(field).to_have_attribute("readonly", "")
    expect(field).to_have_value("In time. Too late.")
    assert saved_text(session) == "In time. "
    assert events(session, SessionEventKind.LATE_SAVE_REFUSED) >= 1
    refused = Revision.objects.filter(answer__session=session, outcome=RevisionOutcome.REFUSED_LATE)
    assert refused[0].text == "In time. Too late."
    field.focus()
    page.keyboard.press("Control+A")
    page.keyboard.press("Control+C")
    assert page.evaluate("navigator.clipboard.readText()") == "In time. Too late."


def test_the_receipt_shows_what_only_this_device_has(
    new_device: Callable[..., BrowserContext],
    begin: Callable[..., Session],
    open_prompt: Callable[..., Page],
    pass_time: Callable[..., None],
) -> None:
    session = begin(late_tolerance_seconds=0)
    device = new_device(session.participant.user)
    page = open_prompt(session, device=device)
    pass_time(session, left=8, page=page)
    device.set_offline(True)
    page.locator("[name=text]").fill("Only here")
    wait_until_past(page, session, 1.0)
    page.close()
    device.set_offline(False)
    receipt = device.new_page()
    receipt.goto(f"/sessions/{session.pk}/receipt/")
    expect(receipt.locator("#unsent-texts textarea")).to_have_value("Only here")


def test_a_session_ends_at_its_deadline_with_every_browser_closed(
    sweep: None,
    begin: Callable[..., Session],
    open_prompt: Callable[..., Page],
    pass_time: Callable[..., None],
) -> None:
    session = begin(late_tolerance_seconds=0)
    page = open_prompt(session)
    page.locator("[name=text]").press_sequentially("Saved")
    expect(page.locator("#save-state")).to_contain_text("Saved at")
    page.goto("about:blank")
    pass_time(session, left=1)
    over = Session.objects.filter(pk=session.pk).exclude(status=SessionStatus.ACTIVE)
    wait_until(page, over.exists, "the sweep ends the session", seconds=60)
    session.refresh_from_db()
    assert (session.status, session.ended_at) == (SessionStatus.EXPIRED, session.deadline_at)
    assert saved_text(session) == "Saved"
