"""A session that a wrong clock ended runs again with the time that was left."""

from collections.abc import Callable
from datetime import datetime, timedelta

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from batches.models import Session, SessionEvent
from batches.services.answers import IncomingText, answer_save
from batches.services.ending import session_submit, sessions_expire
from batches.services.extending import NothingToRevive, ReasonMissing, session_revive
from batches.services.starting import session_start
from studies.models import Participant, Study, User

pytestmark = pytest.mark.django_db
MINUTE, HOUR = timedelta(minutes=1), timedelta(hours=1)


@pytest.fixture
def study(make_study: Callable[..., Study]) -> Study:
    return make_study(slug="pilot", time_budget_minutes=60)


@pytest.fixture
def session(study: Study, make_person: Callable[..., Participant], now: datetime) -> Session:
    """Somebody wrote for twenty minutes; then a worker whose clock was an hour ahead came by."""
    session = session_start(participant=make_person(study), now=now)
    save(session, now + 20 * MINUTE, 1)
    assert sessions_expire(now=now + 25 * MINUTE + HOUR) == 1
    return session


def save(session: Session, at: datetime, sequence: int) -> bool:
    text = IncomingText(text=f"text {sequence}", base_revision=sequence - 1, tab="one", sequence=sequence)
    user_id = session.participant.user_id
    return answer_save(user_id=user_id, session_id=session.pk, position=1, incoming=text, now=at).saved


def revive(session: Session, at: datetime) -> Session:
    return session_revive(session=session, reason="The worker's clock was wrong", now=at)


def test_while_its_deadline_is_ahead_it_runs_again_with_what_was_left(
    session: Session, lead: User, now: datetime
) -> None:
    at = now + 30 * MINUTE
    session_revive(session=session, reason="The worker's clock was wrong", now=at, actor=lead)
    session.refresh_from_db()
    # The last sign of the person was after twenty of sixty minutes.
    assert (session.status, session.ended_at, session.deadline_at) == ("active", None, at + 40 * MINUTE)
    assert session.extended_seconds == 600
    event = SessionEvent.objects.get(kind="revived")
    assert (event.actor, event.happened_at) == (lead, at)
    assert event.details == {
        "before": "expired",
        "deadline_at": (at + 40 * MINUTE).isoformat(),
        "deadline_before": (now + HOUR).isoformat(),
        "reason": "The worker's clock was wrong",
    }
    assert save(session, at + 39 * MINUTE, 2)
    assert sessions_expire(now=at + 41 * MINUTE) == 1


def test_hours_later_it_does_so_if_the_trail_shows_that_the_clock_was_wrong(
    session: Session, study: Study, make_person: Callable[..., Participant], now: datetime
) -> None:
    session_start(participant=make_person(study), now=now + 40 * MINUTE)
    at = now + timedelta(days=2)
    assert revive(session, at).deadline_at == at + 40 * MINUTE


def test_what_was_saved_after_the_wrong_end_is_time_that_was_used(session: Session, now: datetime) -> None:
    assert save(session, now + 29 * MINUTE, 2)
    at = now + 30 * MINUTE
    assert revive(session, at).deadline_at == at + 31 * MINUTE


def test_a_session_that_ended_rightly_is_not_revived(
    study: Study, make_person: Callable[..., Participant], now: datetime
) -> None:
    session = session_start(participant=make_person(study), now=now)
    with pytest.raises(NothingToRevive):
        revive(session, now)
    sessions_expire(now=now + 2 * HOUR)
    session_start(participant=make_person(study), now=now + 3 * HOUR)
    with pytest.raises(NothingToRevive, match="extend the time instead"):
        revive(session, now + 4 * HOUR)
    session.refresh_from_db()
    assert (session.status, session.deadline_at) == ("expired", now + HOUR)


def test_a_session_handed_in_after_the_wrong_end_stays_handed_in(session: Session, now: datetime) -> None:
    session_submit(session=session, resources=None, now=now + 30 * MINUTE)
    with pytest.raises(NothingToRevive):
        revive(session, now + 31 * MINUTE)


def test_it_needs_a_reason(session: Session, now: datetime) -> None:
    with pytest.raises(ReasonMissing):
        session_revive(session=session, reason=" ", now=now + 30 * MINUTE)


def test_the_command_names_who_and_why(
    make_study: Callable[..., Study],
    make_person: Callable[..., Participant],
    lead: User,
    capsys: pytest.CaptureFixture[str],
) -> None:
    study = make_study(slug="today", time_budget_minutes=60)
    session = session_start(participant=make_person(study), now=timezone.now())
    sessions_expire(now=timezone.now() + 2 * HOUR)
    code = session.participant.code
    call_command("revive_session", "today", code, reason="A wrong clock", by=lead.email)
    session.refresh_from_db()
    ends = f"{session.deadline_at:%Y-%m-%d %H:%M:%S}"
    assert capsys.readouterr().out == f"The session of {code} runs again until {ends} UTC.\n"
    assert SessionEvent.objects.get(kind="revived").actor == lead
    with pytest.raises(CommandError, match="Nothing shows that a clock ended"):
        call_command("revive_session", "today", code, reason="Again", by=lead.email)
    with pytest.raises(CommandError, match='Nobody with the code "nobody" has started'):
        call_command("revive_session", "today", "nobody", reason="A wrong clock", by=lead.email)
