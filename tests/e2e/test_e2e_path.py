"""The whole way of a participant, invitation to receipt, through the pages and with the keyboard alone."""

import re
from collections.abc import Callable
from pathlib import Path

from django.utils import timezone
from playwright.sync_api import BrowserContext, Locator, Page, expect

from batches.models import PracticeAnswer, Session
from batches.rules.statuses import SessionStatus
from operations.rehearsal.mailbox import Mailbox
from studies.models import Participant, Study, User, VettingStatus
from studies.services.people.participants import participant_approve
from tests.e2e.mails import mailed_link

STOPS = 120


def reach(page: Page, target: Locator) -> None:
    """Press Tab until the element has the focus, and see that it shows."""
    target = target.first
    expect(target).to_be_visible()
    for _ in range(STOPS):
        if target.evaluate("e => e === document.activeElement"):
            style = target.evaluate("e => getComputedStyle(e).outlineStyle")
            assert style != "none", f"no visible focus on {target}"
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"{target} cannot be reached with the Tab key on {page.url}")


def press(page: Page, name: str, role: str = "button") -> None:
    reach(page, page.locator("main").get_by_role(role, name=re.compile(name)))  # type: ignore[arg-type]
    page.keyboard.press("Enter")


def write(page: Page, field: Locator, text: str) -> None:
    reach(page, field)
    page.keyboard.type(text)


def fill_in_profile(page: Page) -> None:
    """Choose or write something in every field, in the order of the page."""
    form = page.locator("main form")
    groups = set()
    for field in form.locator("select, input:not([type=hidden], [type=file]), textarea").all():
        kind, name = field.get_attribute("type"), field.get_attribute("name")
        if field.evaluate("e => e.tagName") == "SELECT":
            reach(page, field)
            page.keyboard.press("ArrowDown")
        elif kind in ("radio", "checkbox"):
            if name not in groups:
                reach(page, field)
                page.keyboard.press("Space")
            groups.add(name)
        else:
            write(page, field, "Physics")


def test_from_the_invitation_to_the_receipt_with_the_keyboard_alone(
    make_study: Callable[..., Study],
    new_device: Callable[..., BrowserContext],
    staff: User,
    mailbox: Mailbox,
    data_folder: Path,
) -> None:
    study = make_study(prompts=2)
    email = f"newcomer-{study.slug}@example.org"
    team = new_device(staff).new_page()
    team.goto(f"/staff/studies/{study.slug}/invitations/")
    write(team, team.get_by_label(re.compile("mail")), email)
    reach(team, team.get_by_label("Profile"))
    team.keyboard.type("STEM PhD")
    press(team, "Send the invitation")
    expect(team.locator("main")).to_contain_text(email)

    page = new_device().new_page()
    page.goto(mailed_link(data_folder / "mail", email))
    press(page, "Accept the invitation")
    page.wait_for_url("**/accounts/login/**")
    address = page.locator("main input[type=email]")
    if not address.input_value():
        write(page, address, email)
    press(page, "Send me a code")
    write(page, page.locator("input[autocomplete=one-time-code]"), mailbox.code_for(email))
    page.keyboard.press("Enter")
    page.wait_for_url("**/studies/**")
    press(page, "Read the consent text", "link")
    press(page, "I agree and take part")
    page.wait_for_url(f"**/studies/{study.slug}/")
    press(page, "Fill in the profile form", "link")
    page.wait_for_url("**/profile/")
    fill_in_profile(page)
    press(page, "Send")
    page.wait_for_url(f"**/studies/{study.slug}/")
    participant = Participant.objects.get(study=study)
    assert participant.vetting_status == VettingStatus.SUBMITTED
    participant_approve(participant=participant, now=timezone.now())

    page.reload()
    press(page, "Read the instructions", "link")
    press(page, "Practice question 1", "link")
    write(page, page.locator("[name=text]"), "Only practice")
    expect(page.locator("#save-state")).to_contain_text("Saved at")
    assert PracticeAnswer.objects.get(participant=participant).text == "Only practice"
    press(page, "End the practice", "link")
    press(page, "Go to the start page", "link")
    assert not Session.objects.filter(participant=participant).exists()
    press(page, "Start my")
    page.wait_for_url("**/sessions/**")
    press(page, "Go to question 1", "link")
    write(page, page.locator("[name=text]"), "The first answer")
    page.keyboard.press("Alt+Shift+J")
    page.wait_for_url("**/prompts/2/")
    write(page, page.locator("[name=text]"), "The second answer")
    press(page, "Review and submit")
    page.wait_for_url("**/submit/")
    reach(page, page.get_by_role("checkbox"))
    page.keyboard.press("Space")
    press(page, "Submit my answers")
    page.wait_for_url("**/receipt/")
    session = Session.objects.get(participant=participant)
    assert session.status == SessionStatus.SUBMITTED
    assert [answer.text for answer in session.answers.all()] == ["The first answer", "The second answer"]
    expect(page.locator("#receipt")).to_contain_text(session.reference)
