"""What the team, reviewers and the payer wrote about somebody goes with the person's data; amounts stay."""

from collections.abc import Callable
from datetime import datetime, timedelta
from decimal import Decimal

import pytest

from batches.models import PaymentReport, Session, SessionEvent
from batches.selectors.deletion import withdrawal_of
from batches.services.ending import session_withdraw
from batches.services.extending import session_extend
from console.services.live import Order, SessionAction, sessions_change
from operations.services.erasure import withdrawn_erase
from screening.models import Verdict
from studies.models import OutgoingMail, Participant, Study, StudyEvent, User
from studies.services.events import StudyEventKind, participant_event
from studies.services.people.messages import message_answer

pytestmark = pytest.mark.django_db
SAID = "whose mother is in hospital"


@pytest.fixture
def study(make_study: Callable[..., Study]) -> Study:
    return make_study(deletion_days=1)


def written_about(person: Participant, lead: User, now: datetime) -> None:
    """By everybody who can write something about a person."""
    session = Session.objects.get(participant=person)
    session_extend(
        session=session, minutes=5, reason=SAID, now=now, actor=lead, deadline_seen=session.deadline_at
    )
    order = Order(SessionAction.EXTEND, SAID, lead, seen_at=now, minutes=7)
    sessions_change(
        study=person.study, sessions=Session.objects.filter(participant__study=person.study), order=order,
        now=now,
    )  # fmt: skip
    for kind in (StudyEventKind.APPROVED, StudyEventKind.CHECK_ATTEMPT_GRANTED):
        participant_event(person, kind, now, actor=lead, before="submitted", reason=SAID)
    Participant.objects.filter(pk=person.pk).update(vetting_reason=SAID)
    Verdict.objects.create(
        participant=person,
        rules_version="1",
        decision="confirm",
        reason=SAID,
        decided_by=lead,
        decided_at=now,
    )
    PaymentReport.objects.create(
        participant=person, state="paid", amount=Decimal("12.50"), currency="EUR", note=SAID,
        reported_by=lead, reported_at=now,
    )  # fmt: skip
    message_answer(participant=person, text=SAID, actor=lead, now=now, site_url="http://testserver")


def where_it_stands(person: Participant) -> list[str]:
    rows = {
        "vetting": Participant.objects.filter(pk=person.pk).values_list("vetting_reason"),
        "verdicts": Verdict.objects.filter(participant=person).values_list("reason"),
        "payer": PaymentReport.objects.filter(participant=person).values_list("note"),
        "events": StudyEvent.objects.values_list("details"),
        "sessions": SessionEvent.objects.filter(session__participant=person).values_list("details"),
    }
    return [name for name, found in rows.items() if SAID in str(list(found))]


def test_what_others_wrote_goes_and_the_facts_stay(
    study: Study,
    make_person: Callable[..., Participant],
    work: Callable[..., Session],
    lead: User,
    now: datetime,
) -> None:
    person, other = make_person(study), make_person(study)
    for one in (person, other):
        work(one, {"p001": "1"}, end="active")
    written_about(person, lead, now)
    assert where_it_stands(person) == ["vetting", "verdicts", "payer", "events", "sessions"]
    session_withdraw(participant=person, now=now + timedelta(minutes=1))
    left = withdrawal_of(person)
    assert left is not None
    assert withdrawn_erase(now=left.deletes_at) == 1
    assert where_it_stands(person) == []
    report = PaymentReport.objects.get(participant=person)
    assert (report.state, report.amount, report.currency) == ("paid", Decimal("12.50"), "EUR")
    assert Verdict.objects.get(participant=person).decision == "confirm"
    assert not OutgoingMail.objects.filter(record__participant=person).exists()
    # Others keep what is about them, and the trail what happened.
    assert SAID in str(list(SessionEvent.objects.filter(session__participant=other).values_list("details")))
    extended = SessionEvent.objects.filter(session__participant=person, kind="extended")
    assert [one.details["minutes"] for one in extended] == [5, 7]
    assert withdrawn_erase(now=left.deletes_at) == 0


def test_what_is_written_after_the_deletion_goes_with_the_next(
    study: Study, make_person: Callable[..., Participant], lead: User, now: datetime
) -> None:
    person = make_person(study)
    session_withdraw(participant=person, now=now)
    later = now + timedelta(days=2)
    assert withdrawn_erase(now=later) == 1
    PaymentReport.objects.create(
        participant=person, state="failed", note=SAID, reported_by=lead, reported_at=later
    )
    Verdict.objects.create(
        participant=person,
        rules_version="1",
        decision="confirm",
        reason=SAID,
        decided_by=lead,
        decided_at=later,
    )
    assert withdrawn_erase(now=later) == 1
    assert where_it_stands(person) == []
    assert withdrawn_erase(now=later) == 0
