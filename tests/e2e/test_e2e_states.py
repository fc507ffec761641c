"""States a page gets into, not only how it opens: each accessible, none scrolls sideways.

And the workspace at 200 % zoom with a warning open: what is needed can be reached and is not covered.
"""

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from django.conf import settings
from django.utils import timezone
from playwright.sync_api import BrowserContext, Locator, Page, expect

from batches.models import Session
from batches.services.answers import IncomingText, answer_save
from batches.services.ending import session_submit, session_withdraw
from studies.bank.attachments import read_attachment
from studies.bank.records import PromptRecord
from studies.models import Participant, Study
from studies.selectors.comprehension import questions_sha256
from studies.selectors.invitations import token_sha256
from studies.services.people.comprehension import check_answer
from studies.services.people.consents import consent_record
from studies.services.people.invitations import invitation_create, invitation_revoke, token_new
from studies.services.people.participants import participant_add, participant_reject

STOPS = 60
Looks = Callable[..., list[str]]


@pytest.fixture(scope="module")
def study(make_study: Callable[..., Study]) -> Study:
    """Two prompts, each with an image."""
    drawing = next(Path(settings.BASE_DIR, "fixtures").rglob("*.png"))
    folder = drawing.parent
    image = read_attachment(drawing.name, root=folder, bases=(folder,), max_bytes=drawing.stat().st_size)
    prompts = [
        PromptRecord(
            prompt_id=f"p{n}",
            text="What does the image show?",
            gold_answer="1",
            category="QR",
            attachments=(image,),
        )
        for n in range(2)
    ]
    return make_study(prompts=prompts, root=folder, note_per_prompt=True, confidence_per_prompt=True)


@pytest.fixture
def open_page(new_device: Callable[..., BrowserContext]) -> Callable[..., Page]:
    """`open_page(participant, address)`, or without anybody signed in."""

    def show(participant: Participant | None, address: str) -> Page:
        page = new_device(participant.user if participant else None).new_page()
        page.goto(address)
        return page

    return show


# --- the workspace -----------------------------------------------------------------------------------


@pytest.fixture
def session(begin: Callable[..., Session], study: Study) -> Session:
    return begin(study)


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
    places = {"opened": place_of_next(page)}
    field.press_sequentially("An answer")
    places["typing"] = place_of_next(page)
    expect(state).to_contain_text("Saved at")
    places["saved"] = place_of_next(page)
    page.locator("[name=confidence]").fill("101")
    expect(page.locator("#confidence-problem")).to_be_visible()
    places["not a percentage"] = place_of_next(page)
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


# --- before and after the session --------------------------------------------------------------------


def test_the_consent_was_declined(
    study: Study, make_person: Callable[..., Participant], open_page: Callable[..., Page], looks: Looks
) -> None:
    person = make_person(study, consented=False)
    consent_record(participant=person, accepted=False, now=timezone.now())
    page = open_page(person, f"/studies/{study.slug}/consent/")
    expect(page.locator("main")).to_contain_text("declined")
    assert looks(page, "state-declined") == []


def test_the_person_was_rejected(
    study: Study, make_person: Callable[..., Participant], open_page: Callable[..., Page], looks: Looks
) -> None:
    person = make_person(study)
    participant_reject(participant=person, reason="The degree does not fit.", now=timezone.now())
    page = open_page(person, f"/studies/{study.slug}/")
    expect(page.locator("main")).to_contain_text("The degree does not fit.")
    assert looks(page, "state-rejected") == []


def test_the_person_has_withdrawn(session: Session, open_page: Callable[..., Page], looks: Looks) -> None:
    person = session.participant
    session_withdraw(participant=person, now=timezone.now())
    page = open_page(person, f"/studies/{person.study.slug}/")
    expect(page.locator("main")).to_contain_text("withdrawn")
    assert looks(page, "state-withdrawn") == []


def test_no_try_is_left(
    make_study: Callable[..., Study],
    make_person: Callable[..., Participant],
    open_page: Callable[..., Page],
    looks: Looks,
) -> None:
    person = make_person(make_study(comprehension_check=True))
    protocol = person.study.protocol
    wrong = [question.correct % len(question.options) + 1 for question in protocol.check_questions]
    for attempt in range(1, person.check_attempts + 1):
        check_answer(
            participant=person,
            choices=wrong,
            attempt=attempt,
            shown_sha256=questions_sha256(protocol),
            now=timezone.now() - timedelta(minutes=1),
        )
    page = open_page(person, f"/studies/{person.study.slug}/check/")
    expect(page.locator("main input[type=radio]")).to_have_count(0)
    assert looks(page, "state-no-try-left") == []


def test_a_profile_form_comes_back_with_errors(
    study: Study, open_page: Callable[..., Page], looks: Looks
) -> None:
    email = "nothing-written@example.org"
    person = participant_add(study=study, email=email, profile="stem-phd", now=timezone.now())
    consent_record(participant=person, accepted=True, now=timezone.now())
    page = open_page(person, f"/studies/{study.slug}/profile/")
    with page.expect_response(lambda response: response.status == 422):
        page.locator("main form button[type=submit]").click()
    expect(page.get_by_role("alert")).to_be_visible()
    assert looks(page, "state-profile-errors") == []


def test_an_invitation_was_revoked(study: Study, open_page: Callable[..., Page], looks: Looks) -> None:
    email, token = "revoked@example.org", token_new()
    invitation = invitation_create(study=study, email=email, profile="stem-phd", now=timezone.now())
    invitation.token_sha256, invitation.sent_at = token_sha256(token), timezone.now()
    invitation.save()
    invitation_revoke(invitation=invitation, now=timezone.now())
    page = open_page(None, f"/invitations/{token}/")
    expect(page.locator("main")).to_contain_text("revoked")
    assert looks(page, "state-revoked") == []
