"""Two people act on one thing at once, each in their own browser: the second is told, nothing is lost."""

import re
from collections.abc import Callable
from datetime import timedelta
from itertools import count

import pytest
from django.utils import timezone
from playwright.sync_api import BrowserContext, Page, expect

from batches.models import Session
from batches.rules.statuses import SessionStatus
from batches.services.ending import DeclaredResources, session_submit
from screening.models import Verdict
from screening.services.screening import study_screen
from studies.models import Participant, Study, VettingStatus
from studies.roles import Role
from studies.services.people.consents import consent_record
from studies.services.people.participants import participant_add
from studies.services.people.profiles import profile_submit
from studies.services.staff.roles import role_give
from studies.services.staff.staff import staff_add
from tests.e2e.world import fill

NUMBERS = count(1)
Colleague = Callable[[Study, Role], Page]


@pytest.fixture
def colleague(new_device: Callable[..., BrowserContext]) -> Colleague:
    """A browser of somebody with this role in the study, and nothing else: `colleague(study, Role.LEAD)`."""

    def of_role(study: Study, role: Role) -> Page:
        user, _changed = staff_add(email=f"{role.value}{next(NUMBERS)}@at-once.example.org")
        role_give(study=study, user=user, role=role, now=timezone.now())
        return new_device(user).new_page()

    return of_role


@pytest.fixture
def flagged(begin: Callable[..., Session]) -> Participant:
    """Somebody who wrote next to nothing, and whom the filter named."""
    session = begin()
    fill(session, "idk")
    session_submit(session=session, resources=DeclaredResources(("Books",), ""), now=timezone.now())
    study_screen(study=session.participant.study, now=timezone.now())
    return session.participant


@pytest.fixture
def applicant(make_study: Callable[..., Study]) -> Participant:
    """Somebody who has sent the profile and waits for the decision."""
    now = timezone.now()
    study = make_study()
    person = participant_add(
        study=study, email=f"applicant-{study.slug}@example.org", profile="stem-phd", now=now
    )
    consent_record(participant=person, accepted=True, now=now)
    profile_submit(participant=person, answers={"field": "Physics"}, file=None, now=now)
    person.refresh_from_db()
    return person


def press(page: Page, name: str) -> None:
    page.locator("main").get_by_role("button", name=re.compile(name)).first.click()


def says(page: Page, words: str) -> None:
    expect(page.locator("main")).to_contain_text(words)


def give_verdict(page: Page, decision: str) -> None:
    page.get_by_label(decision).check()
    press(page, "^Record the verdict")


def test_the_second_of_two_reviewers_is_told_and_keeps_what_they_wrote(
    flagged: Participant, colleague: Colleague
) -> None:
    first, second = (colleague(flagged.study, Role.REVIEWER) for _ in range(2))
    for page, why in ((first, "Nothing but one word"), (second, "Short answers are right here")):
        page.goto(f"/staff/studies/{flagged.study.slug}/screening/")
        own = page.get_by_label("Reason in your own words")
        expect(own).to_be_hidden()
        page.get_by_label("Another reason").check()
        own.fill(why)
    give_verdict(first, "Off-task, do not count")
    says(first, f"{flagged.code}: Off-task")
    give_verdict(second, "On task, count")
    says(second, f"Somebody decided about {flagged.code} since you opened the page.")
    says(second, "Nothing of yours is lost")
    says(second, "Nothing but one word")
    expect(second.locator("#reason")).to_have_value("Short answers are right here")
    assert [one.reason for one in Verdict.objects.filter(participant=flagged)] == ["Nothing but one word"]
    give_verdict(second, "On task, count")
    says(second, f"{flagged.code}: On task")
    assert [one.decision for one in Verdict.objects.filter(participant=flagged).order_by("pk")] == [
        "confirm",
        "overturn",
    ]


def open_drawer(lead: Page, session: Session) -> None:
    """The lead has written why there is more time, and has not pressed the button yet."""
    lead.goto(f"/staff/studies/{session.participant.study.slug}/live/?session={session.pk}")
    lead.locator("#live-drawer summary", has_text="Give extra time").click()
    lead.get_by_label("Reason", exact=True).first.fill("The power was cut")


def open_submission(device: BrowserContext, session: Session) -> Page:
    """The participant has ticked what was used, and has not pressed the button yet."""
    page = device.new_page()
    page.goto(f"/sessions/{session.pk}/submit/")
    page.get_by_role("checkbox").first.check()
    return page


def give(lead: Page) -> None:
    lead.locator("#live-drawer").get_by_role("button", name="Give extra time").click()


def test_a_lead_who_extends_what_was_just_handed_in_is_told_and_it_stays_handed_in(
    begin: Callable[..., Session], colleague: Colleague, new_device: Callable[..., BrowserContext]
) -> None:
    session = begin()
    fill(session)
    deadline = session.deadline_at
    lead = colleague(session.participant.study, Role.LEAD)
    open_drawer(lead, session)
    person = open_submission(new_device(session.participant.user), session)
    press(person, "Submit my answers")
    person.wait_for_url("**/receipt/")
    give(lead)
    says(lead, "handed in early. Reopen it instead")
    says(lead, "You had written: “The power was cut”")
    session.refresh_from_db()
    assert (session.status, session.deadline_at) == (SessionStatus.SUBMITTED, deadline)


def test_what_is_handed_in_just_after_an_extension_counts(
    begin: Callable[..., Session], colleague: Colleague, new_device: Callable[..., BrowserContext]
) -> None:
    session = begin()
    fill(session)
    deadline = session.deadline_at
    lead = colleague(session.participant.study, Role.LEAD)
    open_drawer(lead, session)
    person = open_submission(new_device(session.participant.user), session)
    give(lead)
    says(lead, f"done for {session.participant.code}.")
    press(person, "Submit my answers")
    person.wait_for_url("**/receipt/")
    expect(person.locator("#receipt")).to_contain_text(session.reference)
    session.refresh_from_db()
    assert session.status == SessionStatus.SUBMITTED
    assert session.deadline_at == deadline + timedelta(minutes=15)


def open_person(page: Page, person: Participant) -> None:
    page.goto(f"/staff/studies/{person.study.slug}/participants/?person={person.code}")
    says(page, person.user.email)


def test_the_second_of_two_leads_who_decide_about_an_applicant_is_told_and_keeps_the_reason(
    applicant: Participant, colleague: Colleague
) -> None:
    first, second = (colleague(applicant.study, Role.LEAD) for _ in range(2))
    for page in (first, second):
        open_person(page, applicant)
    second.locator("#reason").fill("Not of this field")
    press(first, "^Approve as")
    says(first, f"{applicant.code} is approved.")
    press(second, "^Reject and say why")
    says(second, "decided")
    expect(second.locator("#reason")).to_have_value("Not of this field")
    applicant.refresh_from_db()
    assert applicant.vetting_status == VettingStatus.APPROVED


def test_a_coordinator_who_reminds_whom_the_lead_has_just_rejected_is_told_and_nothing_is_mailed(
    make_person: Callable[..., Participant], make_study: Callable[..., Study], colleague: Colleague
) -> None:
    person = make_person(make_study())
    lead, coordinator = (colleague(person.study, role) for role in (Role.LEAD, Role.COORDINATOR))
    for page in (lead, coordinator):
        open_person(page, person)
    lead.locator("#reason").fill("Took part under another name")
    press(lead, "^Reject and say why")
    says(lead, f"{person.code} is rejected.")
    press(coordinator, "^Send a reminder")
    says(coordinator, f"{person.code} has nothing left to do.")
    expect(coordinator.get_by_role("button", name="Send a reminder")).to_be_hidden()
