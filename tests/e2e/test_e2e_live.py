"""The live board in a real browser: it renews itself, and leaves alone what somebody is doing on it."""

from collections.abc import Callable
from datetime import timedelta

from django.db.models import F
from django.utils import timezone
from playwright.sync_api import BrowserContext, Page, expect

from batches.models import Answer, Session, SessionContact, SessionEventKind
from batches.services.answers import IncomingText, answer_save
from studies.models import Study, User
from tests.e2e.waiting import wait_until

SOON_MS = 15_000


def answer(session: Session, position: int) -> None:
    answer_save(
        user_id=session.participant.user_id,
        session_id=session.pk,
        position=position,
        incoming=IncomingText(text="Some words", base_revision=0, tab="one", sequence=1),
        now=timezone.now(),
    )


def test_the_board_renews_itself_and_keeps_focus_choice_and_what_is_typed(
    make_study: Callable[..., Study],
    begin: Callable[..., Session],
    staff: User,
    new_device: Callable[..., BrowserContext],
    looks: Callable[[Page, str], list[str]],
) -> None:
    study = make_study(prompts=3)
    first = begin(study)
    page = new_device(staff).new_page()
    page.goto(f"/staff/studies/{study.slug}/live/?session={first.pk}")
    row = page.locator("#live-rows tr", has_text=first.participant.code)
    expect(row).to_contain_text("0 / 3")
    row.get_by_role("checkbox").check()
    page.locator("#live-drawer summary", has_text="Give extra time").click()
    reason = page.get_by_label("Reason", exact=True).first
    reason.fill("Half a sen")
    row.get_by_role("link", name=first.participant.code).focus()

    answer(first, 1)
    second = begin(study)
    expect(row).to_contain_text("1 / 3", timeout=SOON_MS)
    expect(page.locator("#live-rows")).to_contain_text(second.participant.code)
    expect(page.locator("#live-happened")).to_contain_text("question 1: answer saved")
    expect(row.get_by_role("checkbox")).to_be_checked()
    expect(row.get_by_role("link", name=first.participant.code)).to_be_focused()
    expect(reason).to_have_value("Half a sen")
    expect(page.locator("#live-age")).to_contain_text("updated")
    assert looks(page, "live") == []

    reason.fill("The power was cut")
    page.locator("#live-drawer").get_by_role("button", name="Give extra time").click()
    expect(page.get_by_text(f"done for {first.participant.code}.")).to_be_visible()
    before = first.deadline_at
    first.refresh_from_db()
    assert (first.deadline_at - before).total_seconds() == 15 * 60


def test_a_server_that_is_gone_is_said_calmly(
    make_study: Callable[..., Study], staff: User, new_device: Callable[..., BrowserContext]
) -> None:
    study = make_study(prompts=2)
    device = new_device(staff)
    page = device.new_page()
    page.goto(f"/staff/studies/{study.slug}/live/")
    expect(page.locator("#live-age")).to_contain_text("updated")
    device.set_offline(True)
    expect(page.locator("#live-age")).to_contain_text("server not reached", timeout=30_000)
    expect(page.locator("#live-rows")).to_contain_text("Nobody is answering")
    device.set_offline(False)
    expect(page.locator("#live-age")).to_contain_text("updated", timeout=SOON_MS)


def test_the_board_sees_a_participant_go_offline_and_come_back(
    begin: Callable[..., Session], staff: User, new_device: Callable[..., BrowserContext]
) -> None:
    session = begin()
    board = new_device(staff).new_page()
    board.goto(f"/staff/studies/{session.participant.study.slug}/live/?session={session.pk}")
    row = board.locator("#live-rows tr", has_text=session.participant.code)
    device = new_device(session.participant.user)
    page = device.new_page()
    with page.expect_response("**/report"):
        page.goto(f"/sessions/{session.pk}/prompts/1/")
    expect(board.locator("#live-facts")).to_contain_text("Device clock", timeout=SOON_MS)
    expect(board.locator("#live-tab-incidents")).to_have_text("Incidents 0")

    device.set_offline(True)
    page.locator("[name=text]").fill("Written on the train")
    expect(page.locator("#save-problem")).to_be_visible()
    # By now the page would have said twice that it is there; a later look of the server's is not waited for.
    SessionContact.objects.filter(session=session).update(heard_at=F("heard_at") - timedelta(minutes=2))
    expect(row).to_contain_text("Offline", timeout=SOON_MS)

    device.set_offline(False)
    expect(page.locator("#save-state")).to_contain_text("Saved")
    expect(row).to_contain_text("Saving again", timeout=SOON_MS)
    expect(row).not_to_contain_text("Offline")
    expect(board.locator("#live-tab-incidents")).to_have_text("Incidents 1")
    expect(board.locator("#live-happened")).to_contain_text("saves failed")
    assert Answer.objects.get(session=session, position=1).text == "Written on the train"


def test_two_devices_at_once_are_seen_and_one_after_the_other_are_not(
    begin: Callable[..., Session], staff: User, new_device: Callable[..., BrowserContext]
) -> None:
    session = begin()
    board = new_device(staff).new_page()
    board.goto(f"/staff/studies/{session.participant.study.slug}/live/")
    row = board.locator("#live-rows tr", has_text=session.participant.code)
    laptop = new_device(session.participant.user).new_page()
    address = f"/sessions/{session.pk}/prompts/1/"
    with laptop.expect_response("**/report"):
        laptop.goto(address)
    laptop.goto("/")
    left = SessionContact.objects.filter(session=session, is_hidden=True)
    wait_until(laptop, left.exists, "the laptop says that its page was left")
    phone = new_device(session.participant.user).new_page()
    with phone.expect_response("**/report"):
        phone.goto(address)
    assert not session.events.filter(kind=SessionEventKind.TWO_DEVICES).exists()
    with laptop.expect_response("**/report"):
        laptop.goto(address)
    expect(row).to_contain_text("Two devices", timeout=SOON_MS)
    assert session.events.filter(kind=SessionEventKind.TWO_DEVICES).count() == 1
