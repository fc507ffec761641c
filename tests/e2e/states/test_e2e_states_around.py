"""States of the pages before and after the session: each accessible, none scrolls sideways."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.utils import timezone
from playwright.sync_api import BrowserContext, Page, expect

from batches.models import Session
from batches.services.ending import session_withdraw
from studies.models import Participant, Study
from studies.selectors.invitations import token_sha256
from studies.selectors.participants import questions_sha256
from studies.services.people.comprehension import check_answer
from studies.services.people.consents import consent_record
from studies.services.people.invitations import invitation_create, invitation_revoke, token_new
from studies.services.people.participants import participant_add, participant_reject

Looks = Callable[..., list[str]]


@pytest.fixture
def open_page(new_device: Callable[..., BrowserContext]) -> Callable[..., Page]:
    """`open_page(participant, address)`, or without anybody signed in."""

    def show(participant: Participant | None, address: str) -> Page:
        page = new_device(participant.user if participant else None).new_page()
        page.goto(address)
        return page

    return show


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
