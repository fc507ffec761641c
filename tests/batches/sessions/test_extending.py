"""More time: before the start, while the clock runs, after it ran out, after handing in early."""

from collections.abc import Callable
from datetime import datetime, timedelta

import pytest

from batches.models import Answer, Session, SessionEvent
from batches.selectors.answers import answers_to_score
from batches.services.answers import IncomingText, answer_save
from batches.services.ending import DeclaredResources, session_submit, session_withdraw, sessions_expire
from batches.services.extending import (
    DeadlineMoved,
    MinutesInvalid,
    NothingToReopen,
    ReasonMissing,
    ReopenInstead,
    SessionWithdrawn,
    TimeSettled,
    extra_time_grant,
    session_extend,
    session_reopen,
)
from batches.services.starting import session_start
from screening.selectors.participants import screened_participants
from studies.models import Participant, Study, StudyEvent, User

pytestmark = pytest.mark.django_db
HALF_AN_HOUR = timedelta(minutes=30)
NOTHING = DeclaredResources((), "")


@pytest.fixture
def participant(make_study: Callable[..., Study], make_person: Callable[..., Participant]) -> Participant:
    return make_person(make_study(time_budget_minutes=90, late_tolerance_seconds=10))


@pytest.fixture
def session(participant: Participant, now: datetime) -> Session:
    return session_start(participant=participant, now=now)


def stored(session: Session) -> Session:
    return Session.objects.get(pk=session.pk)


def extend(session: Session, at: datetime, minutes: int = 30) -> Session:
    return session_extend(session=session, minutes=minutes, reason="A power cut", now=at)


def test_extra_time_is_added_at_the_start_and_recorded(
    participant: Participant, lead: User, now: datetime
) -> None:
    extra_time_grant(participant=participant, minutes=30, reason="Dyslexia", actor=lead, now=now)
    session = session_start(participant=participant, now=now)
    assert session.deadline_at == now + timedelta(minutes=120)
    event = StudyEvent.objects.get(kind="extra_time_granted")
    assert (event.actor, event.participant) == (lead, participant)
    assert event.details == {"minutes": 30, "minutes_before": 0, "reason": "Dyslexia"}


def test_the_closing_time_still_ends_a_session_with_extra_time(
    make_study: Callable[..., Study], make_person: Callable[..., Participant], now: datetime
) -> None:
    closes_at = now + timedelta(minutes=70)
    participant = make_person(make_study(time_budget_minutes=60, closes_at=closes_at))
    extra_time_grant(participant=participant, minutes=30, reason="Dyslexia", now=now)
    assert session_start(participant=participant, now=now).deadline_at == closes_at


def test_extra_time_comes_too_late_after_the_start_and_after_a_withdrawal(
    session: Session, participant: Participant, now: datetime
) -> None:
    with pytest.raises(TimeSettled, match="has started"):
        extra_time_grant(participant=participant, minutes=30, reason="Dyslexia", now=now)
    session_withdraw(participant=participant, now=now)
    with pytest.raises(TimeSettled, match="has withdrawn"):
        extra_time_grant(participant=participant, minutes=30, reason="Dyslexia", now=now)
    assert not StudyEvent.objects.filter(kind="extra_time_granted").exists()


def test_an_extension_moves_the_deadline_of_a_running_session(
    session: Session, lead: User, now: datetime
) -> None:
    before = session.deadline_at
    session_extend(session=session, minutes=30, reason="A power cut", actor=lead, now=now)
    session_extend(session=session, minutes=15, reason="Another one", actor=lead, now=now)
    assert stored(session).deadline_at == before + timedelta(minutes=45)
    assert stored(session).extended_seconds == 45 * 60
    event = SessionEvent.objects.filter(kind="extended").first()
    assert event is not None
    assert event.actor == lead
    assert event.details == {
        "minutes": 30,
        "deadline_at": (before + HALF_AN_HOUR).isoformat(),
        "deadline_before": before.isoformat(),
        "before": "active",
        "reason": "A power cut",
    }


@pytest.mark.parametrize("swept", [True, False])
def test_a_session_whose_time_ran_out_runs_again_from_now(session: Session, *, swept: bool) -> None:
    later = session.deadline_at + timedelta(minutes=20)
    if swept:
        sessions_expire(now=later)
    extend(session, later)
    now_running = stored(session)
    assert (now_running.status, now_running.ended_at) == ("active", None)
    assert now_running.deadline_at == later + HALF_AN_HOUR
    assert now_running.extended_seconds == 50 * 60
    assert SessionEvent.objects.get(kind="extended").details["before"] == "expired"
    assert sessions_expire(now=later + HALF_AN_HOUR) == 0
    assert sessions_expire(now=later + HALF_AN_HOUR + timedelta(seconds=11)) == 1


def test_an_extension_may_pass_the_closing_time(
    make_study: Callable[..., Study], make_person: Callable[..., Participant], now: datetime
) -> None:
    closes_at = now + timedelta(minutes=60)
    session = session_start(participant=make_person(make_study(closes_at=closes_at)), now=now)
    assert extend(session, now).deadline_at == closes_at + HALF_AN_HOUR


def test_a_batch_handed_in_early_is_reopened_with_the_time_that_was_left(
    session: Session, lead: User, now: datetime
) -> None:
    session_submit(session=session, resources=NOTHING, now=now + timedelta(minutes=20))
    tomorrow = now + timedelta(days=1)
    session_reopen(session=session, reason="Handed in by mistake", actor=lead, now=tomorrow)
    again = stored(session)
    assert (again.status, again.ended_at) == ("active", None)
    assert again.deadline_at == tomorrow + timedelta(minutes=70)
    assert again.extended_seconds == (again.deadline_at - session.deadline_at).total_seconds()
    assert not again.answers.filter(is_open=False).exists()
    assert SessionEvent.objects.get(kind="reopened").details["reason"] == "Handed in by mistake"
    session_submit(session=again, resources=NOTHING, now=tomorrow + timedelta(minutes=5))
    assert stored(session).ended_at == tomorrow + timedelta(minutes=5)


def test_reopening_takes_no_time_away_where_the_clock_was_set_back(session: Session, now: datetime) -> None:
    session_submit(session=session, resources=NOTHING, now=now + timedelta(minutes=20))
    session_reopen(session=session, reason="Handed in by mistake", now=now - timedelta(hours=1))
    assert stored(session).deadline_at == session.deadline_at
    assert stored(session).extended_seconds == 0


def test_a_text_is_saved_again_after_reopening(
    participant: Participant, work: Callable[..., Session], now: datetime
) -> None:
    session = work(participant, {"p001": "first"})
    position = session.answers.get(prompt__prompt_id="p001").position
    tomorrow = now + timedelta(days=1)

    def save(text: str, sequence: int) -> bool:
        incoming = IncomingText(text=text, base_revision=1, tab="two", sequence=sequence)
        user_id, at = participant.user_id, tomorrow
        return answer_save(
            user_id=user_id, session_id=session.pk, position=position, incoming=incoming, now=at
        ).saved

    assert not save("second", 1)
    session_reopen(session=session, reason="Handed in by mistake", now=tomorrow)
    assert save("third", 2)
    assert Answer.objects.get(session=session, position=position).text == "third"


def test_a_reopened_session_counts_nowhere_until_it_ends_again(
    participant: Participant, work: Callable[..., Session], now: datetime
) -> None:
    session, study = work(participant, {"p001": "first"}), participant.study
    assert (answers_to_score(study).count(), screened_participants(study).count()) == (1, 1)
    session_reopen(session=session, reason="Handed in by mistake", now=now + timedelta(hours=2))
    assert (answers_to_score(study).count(), screened_participants(study).count()) == (0, 0)
    session_submit(session=session, resources=NOTHING, now=now + timedelta(hours=2))
    assert (answers_to_score(study).count(), screened_participants(study).count()) == (1, 1)


def test_without_time_left_a_batch_is_extended_not_reopened(session: Session) -> None:
    at = session.deadline_at + timedelta(seconds=5)
    session_submit(session=session, resources=NOTHING, now=at)
    with pytest.raises(NothingToReopen, match="No time was left"):
        session_reopen(session=session, reason="Please", now=at)
    assert extend(session, at + timedelta(hours=1)).deadline_at == at + timedelta(hours=1, minutes=30)


def test_with_time_left_a_batch_is_reopened_not_extended(session: Session, now: datetime) -> None:
    with pytest.raises(NothingToReopen, match="Only a question set that was handed in"):
        session_reopen(session=session, reason="Please", now=now)
    session_submit(session=session, resources=NOTHING, now=now)
    with pytest.raises(ReopenInstead):
        extend(session, now)
    assert stored(session).status == "submitted"


def test_a_withdrawn_session_stays_withdrawn(session: Session, now: datetime) -> None:
    session_withdraw(participant=session.participant, now=now)
    with pytest.raises(SessionWithdrawn):
        extend(session, now)
    with pytest.raises(SessionWithdrawn):
        session_reopen(session=session, reason="Please", now=now)
    assert stored(session).status == "withdrawn"
    assert not session.answers.filter(is_open=True).exists()


@pytest.mark.parametrize(
    ("minutes", "reason", "error"),
    [
        (0, "why", MinutesInvalid),
        (-5, "why", MinutesInvalid),
        (10_081, "why", MinutesInvalid),
        (5, "  ", ReasonMissing),
    ],
)
def test_an_extension_needs_sensible_minutes_and_a_reason(
    session: Session, now: datetime, minutes: int, reason: str, error: type[Exception]
) -> None:
    with pytest.raises(error):
        session_extend(session=session, minutes=minutes, reason=reason, now=now)
    assert stored(session).deadline_at == session.deadline_at
    assert not SessionEvent.objects.filter(kind="extended").exists()


def test_a_decision_made_on_an_older_deadline_is_refused(session: Session, now: datetime) -> None:
    seen = session.deadline_at

    def extend_once() -> None:
        session_extend(session=session, minutes=30, reason="A power cut", deadline_seen=seen, now=now)

    extend_once()
    with pytest.raises(DeadlineMoved):
        extend_once()
    assert stored(session).deadline_at == seen + HALF_AN_HOUR
