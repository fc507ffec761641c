"""How sessions end: submission, expiry with nobody looking, withdrawal."""

from collections.abc import Callable
from datetime import datetime, timedelta

import pytest

from batches.models import Answer, Session, SessionEvent
from batches.services.answers import IncomingText, answer_save, prompt_seen
from batches.services.ending import (
    AlreadySubmitted,
    AlreadyWithdrawn,
    DeclaredResources,
    SessionOver,
    resources_record,
    session_submit,
    session_withdraw,
    sessions_expire,
)
from batches.services.starting import session_start
from studies.models import Participant, Study, StudyEvent

pytestmark = pytest.mark.django_db
BOOKS = DeclaredResources(categories=("Books",), note=" my notes ")


@pytest.fixture
def participant(make_study: Callable[..., Study], make_person: Callable[..., Participant]) -> Participant:
    return make_person(make_study(late_tolerance_seconds=10))


@pytest.fixture
def session(participant: Participant, now: datetime) -> Session:
    return session_start(participant=participant, now=now)


def kinds() -> list[str]:
    return list(SessionEvent.objects.values_list("kind", flat=True))


def test_a_submission_ends_the_session_with_its_resources(session: Session, now: datetime) -> None:
    at = now + timedelta(hours=1)
    session_submit(session=session, resources=BOOKS, now=at)
    session.refresh_from_db()
    assert (session.status, session.ended_at) == ("submitted", at)
    assert (session.resources, session.resources_note) == (["Books"], "my notes")
    assert kinds() == ["started", "resources_recorded", "submitted"]
    assert SessionEvent.objects.get(kind="submitted").details == {"lateness": "on_time"}


def test_submitting_twice_changes_nothing(session: Session, now: datetime) -> None:
    session_submit(session=session, resources=BOOKS, now=now)
    nothing = DeclaredResources(categories=(), note="")
    with pytest.raises(AlreadySubmitted, match="You submitted this question set on 1 May 2030, 09:00:00 UTC"):
        session_submit(session=session, resources=nothing, now=now + timedelta(minutes=1))
    session.refresh_from_db()
    assert (session.ended_at, session.resources) == (now, ["Books"])
    assert kinds().count("submitted") == 1


def test_a_submission_on_the_wire_at_the_deadline_counts_and_is_logged(session: Session) -> None:
    session_submit(session=session, resources=BOOKS, now=session.deadline_at + timedelta(seconds=10))
    assert SessionEvent.objects.get(kind="submitted").details == {"lateness": "within_tolerance"}


def test_a_submission_that_arrived_in_time_counts_even_if_the_sweep_was_faster(session: Session) -> None:
    at = session.deadline_at + timedelta(seconds=10)
    assert sessions_expire(now=at + timedelta(seconds=1)) == 1
    session_submit(session=session, resources=BOOKS, now=at)
    session.refresh_from_db()
    assert (session.status, session.ended_at) == ("submitted", at)
    assert kinds() == ["started", "expired", "resources_recorded", "submitted"]
    assert not session.answers.filter(is_open=True).exists()


def test_a_submission_after_the_tolerance_and_the_sweep_is_refused(session: Session) -> None:
    at = session.deadline_at + timedelta(seconds=11)
    sessions_expire(now=at)
    with pytest.raises(SessionOver, match="Your time ended"):
        session_submit(session=session, resources=BOOKS, now=at)
    assert kinds() == ["started", "expired"]


def test_a_submission_after_the_tolerance_is_refused(session: Session) -> None:
    at = session.deadline_at + timedelta(seconds=11)
    with pytest.raises(SessionOver, match="Your time ended on 1 May 2030, 14:00:00 UTC"):
        session_submit(session=session, resources=BOOKS, now=at)
    session.refresh_from_db()
    assert (session.status, session.resources_recorded_at, kinds()) == ("active", None, ["started"])


def test_the_sweep_stamps_the_true_end_and_when_it_came_by(session: Session) -> None:
    at = session.deadline_at + timedelta(hours=3)
    assert sessions_expire(now=at) == 1
    session.refresh_from_db()
    assert (session.status, session.ended_at) == ("expired", session.deadline_at)
    event = SessionEvent.objects.get(kind="expired")
    assert (event.happened_at, event.recorded_at) == (session.deadline_at, at)


def test_the_sweep_waits_for_the_tolerance(session: Session) -> None:
    assert sessions_expire(now=session.deadline_at + timedelta(seconds=10)) == 0
    assert sessions_expire(now=session.deadline_at + timedelta(seconds=11)) == 1
    assert sessions_expire(now=session.deadline_at + timedelta(seconds=12)) == 0
    assert kinds() == ["started", "expired"]


def test_the_sweep_leaves_ended_sessions_alone(session: Session, now: datetime) -> None:
    session_submit(session=session, resources=BOOKS, now=now)
    assert sessions_expire(now=now + timedelta(days=1)) == 0
    session.refresh_from_db()
    assert session.status == "submitted"


def test_a_running_session_that_is_withdrawn_ends_now(
    participant: Participant, session: Session, now: datetime
) -> None:
    at = now + timedelta(hours=1)
    session_withdraw(participant=participant, reason="no time", now=at)
    session.refresh_from_db()
    assert (session.status, session.ended_at) == ("withdrawn", at)
    assert kinds() == ["started", "withdrawn"]
    event = StudyEvent.objects.get(kind="participant_withdrew")
    details = {"reason": "no time", "deletes_at": (at + timedelta(days=30)).isoformat()}
    assert (event.participant, event.details, event.happened_at) == (participant, details, at)


def test_finished_work_that_is_withdrawn_keeps_its_true_end(
    participant: Participant, session: Session, now: datetime
) -> None:
    session_submit(session=session, resources=BOOKS, now=now)
    session_withdraw(participant=participant, now=now + timedelta(days=1))
    session.refresh_from_db()
    assert (session.status, session.ended_at) == ("withdrawn", now)


def test_a_withdrawal_after_the_deadline_ends_the_session_at_its_deadline(
    participant: Participant, session: Session
) -> None:
    session_withdraw(participant=participant, now=session.deadline_at + timedelta(days=1))
    session.refresh_from_db()
    assert session.ended_at == session.deadline_at


def test_withdrawing_twice_is_told_so_and_recorded_once(
    participant: Participant, session: Session, now: datetime
) -> None:
    session_withdraw(participant=participant, now=now)
    with pytest.raises(AlreadyWithdrawn):
        session_withdraw(participant=participant, now=now)
    assert StudyEvent.objects.filter(kind="participant_withdrew").count() == 1
    assert kinds() == ["started", "withdrawn"]


def test_resources_can_be_declared_while_working_and_changed(session: Session, now: datetime) -> None:
    resources_record(session=session, resources=BOOKS, now=now)
    resources_record(session=session, resources=DeclaredResources(categories=(), note=""), now=now)
    session.refresh_from_db()
    assert (session.resources, session.resources_recorded_at) == ([], now)
    assert kinds().count("resources_recorded") == 2


def test_declaring_the_same_resources_again_leaves_no_event(session: Session, now: datetime) -> None:
    for minute in range(3):
        resources_record(session=session, resources=BOOKS, now=now + timedelta(minutes=minute))
        session.refresh_from_db()
    assert session.resources_recorded_at == now
    assert kinds().count("resources_recorded") == 1


def test_resources_can_be_declared_once_after_an_expiry(session: Session) -> None:
    later = session.deadline_at + timedelta(hours=1)
    sessions_expire(now=later)
    resources_record(session=session, resources=BOOKS, now=later)
    with pytest.raises(SessionOver):
        resources_record(session=session, resources=BOOKS, now=later)
    session.refresh_from_db()
    assert (session.status, session.resources) == ("expired", ["Books"])


def test_resources_are_final_after_the_deadline_whether_or_not_the_sweep_came_by(session: Session) -> None:
    later = session.deadline_at + timedelta(seconds=1)
    resources_record(session=session, resources=BOOKS, now=later)
    with pytest.raises(SessionOver, match="Your time ended"):
        resources_record(session=session, resources=DeclaredResources(categories=(), note=""), now=later)
    session.refresh_from_db()
    assert (session.status, session.resources) == ("active", ["Books"])
    assert kinds() == ["started", "resources_recorded"]


def test_resources_of_a_submitted_batch_stay(session: Session, now: datetime) -> None:
    session_submit(session=session, resources=BOOKS, now=now)
    with pytest.raises(SessionOver):
        resources_record(session=session, resources=DeclaredResources(categories=(), note=""), now=now)


def test_the_first_view_of_a_prompt_is_stamped_once(session: Session, now: datetime) -> None:
    assert prompt_seen(session=session, position=2, now=now)
    assert not prompt_seen(session=session, position=2, now=now + timedelta(minutes=1))
    seen = Answer.objects.filter(first_seen_at__isnull=False)
    assert [(answer.position, answer.first_seen_at) for answer in seen] == [(2, now)]


def test_looking_at_a_prompt_after_the_end_is_no_first_view(session: Session, now: datetime) -> None:
    assert not prompt_seen(session=session, position=2, now=session.deadline_at + timedelta(seconds=1))
    session_submit(session=session, resources=BOOKS, now=now)
    session.refresh_from_db()
    assert not prompt_seen(session=session, position=2, now=now)
    assert not Answer.objects.exclude(first_seen_at=None).exists()


def test_states_tell_answered_blank_skipped_and_not_reached_apart(session: Session, now: datetime) -> None:
    for position in (1, 2, 3):
        prompt_seen(session=session, position=position, now=now)
    for position, texts in ((1, ["7"]), (2, ["7", " "])):
        for sequence, text in enumerate(texts, start=1):
            incoming = IncomingText(text, base_revision=0, tab="t", sequence=sequence)
            answer_save(
                user_id=session.participant.user_id,
                session_id=session.pk,
                position=position,
                incoming=incoming,
                now=now,
            )

    def states() -> list[str]:
        return [answer.state.value for answer in Answer.objects.select_related("session")]

    assert states() == ["draft", "blank", "skipped", "not_reached"]
    sessions_expire(now=session.deadline_at + timedelta(hours=1))
    assert states() == ["drafted_at_expiry", "blank", "skipped", "not_reached"]
