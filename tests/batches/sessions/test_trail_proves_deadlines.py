"""Whatever is done to a session in whatever order: its trail alone gives deadline, state and end."""

import random
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta

import pytest
from django.db import connection, transaction
from hypothesis import HealthCheck, example, given, settings, strategies as st

from batches.models import Session, SessionEvent
from batches.services.answers import IncomingText, answer_save
from batches.services.ending import (
    AlreadyWithdrawn,
    SessionOver,
    session_submit,
    session_withdraw,
    sessions_expire,
)
from batches.services.extending import TimeRefused, extra_time_grant, session_extend, session_reopen
from batches.services.starting import session_start
from studies.models import Participant, Study

REFUSALS = (TimeRefused, SessionOver, AlreadyWithdrawn)
ACTIONS = st.sampled_from(["save", "submit", "sweep", "extend", "reopen", "withdraw"])
STEPS = st.lists(
    st.tuples(st.one_of(st.integers(0, 12), st.integers(0, 7200)), ACTIONS, st.integers(1, 90)),
    max_size=14,
)
# What is rarely drawn: the sweep finds the time over, and the session goes on, once and again.
OVER_AND_ON = [(3700, "sweep", 1), (60, "extend", 30), (60, "save", 1), (1900, "sweep", 1), (60, "reopen", 1)]


@dataclass
class Retold:
    """A session as somebody tells it who has nothing but the events."""

    deadline_at: datetime
    status: str = "active"
    ended_at: datetime | None = None
    extended_seconds: int = 0


def retell(events: list[SessionEvent]) -> Retold:
    first, *others = events
    budget = timedelta(minutes=first.details["budget_minutes"] + first.details["extra_minutes"])
    closes_at = first.details["closes_at"]
    deadline_at = first.happened_at + budget
    if closes_at:
        deadline_at = min(deadline_at, datetime.fromisoformat(closes_at))
    told = Retold(deadline_at)
    assert told.deadline_at.isoformat() == first.details["deadline_at"]
    for event in others:
        tell(told, event)
    return told


def tell(told: Retold, event: SessionEvent) -> None:
    at = event.happened_at
    if event.kind in ("extended", "reopened"):
        assert event.details["deadline_before"] == told.deadline_at.isoformat()
        over = told.status == "active" and at > told.deadline_at
        assert event.details["before"] == ("expired" if over else told.status)
        moved = moved_to(told, event)
        assert event.details["deadline_at"] == moved.isoformat()
        told.extended_seconds += round((moved - told.deadline_at).total_seconds())
        told.deadline_at, told.status, told.ended_at = moved, "active", None
    elif event.kind == "submitted":
        told.status, told.ended_at = "submitted", at
    elif event.kind == "expired":
        assert at == told.deadline_at < event.recorded_at
        told.status, told.ended_at = "expired", at
    elif event.kind == "withdrawn":
        told.status, told.ended_at = "withdrawn", told.ended_at or min(at, told.deadline_at)


def moved_to(told: Retold, event: SessionEvent) -> datetime:
    if event.kind == "reopened":
        assert told.ended_at is not None
        return max(event.happened_at, told.ended_at) + (told.deadline_at - told.ended_at)
    return max(event.happened_at, told.deadline_at) + timedelta(minutes=event.details["minutes"])


def act(session: Session, action: str, minutes: int, number: int, at: datetime) -> None:
    participant = session.participant
    if action == "save":
        incoming = IncomingText(text=f"text {number}", base_revision=0, tab="one", sequence=number)
        answer_save(user_id=participant.user_id, session_id=session.pk, position=1, incoming=incoming, now=at)
    elif action == "submit":
        session_submit(session=session, resources=None, now=at)
    elif action == "sweep":
        sessions_expire(now=at)
    elif action == "extend":
        session_extend(session=session, minutes=minutes, reason="A power cut", now=at)
    elif action == "reopen":
        session_reopen(session=session, reason="By mistake", now=at)
    else:
        session_withdraw(participant=participant, now=at)


@pytest.fixture
def two_studies(make_study: Callable[..., Study], now: datetime, db: None) -> tuple[Study, Study]:
    """One that never closes and one that closes 70 minutes after the start."""
    facts = {"time_budget_minutes": 60, "prompts": 1, "batch_size": 1}
    return make_study(**facts), make_study(**facts, closes_at=now + timedelta(minutes=70))


@pytest.mark.django_db
@settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@example(steps=OVER_AND_ON, extra=0, closes=False)
@given(steps=STEPS, extra=st.integers(0, 30), closes=st.booleans())
def test_the_trail_alone_gives_deadline_state_and_end(
    steps: list[tuple[int, str, int]],
    extra: int,
    closes: bool,
    two_studies: tuple[Study, Study],
    make_person: Callable[..., Participant],
    now: datetime,
) -> None:
    example = transaction.atomic()
    # Around the transactions of the code, as that of a test is.
    example._from_testcase = True  # type: ignore[attr-defined]
    with example:
        participant = make_person(two_studies[closes])
        if extra:
            extra_time_grant(participant=participant, minutes=extra, reason="Dyslexia", now=now)
        session = session_start(participant=participant, now=now)
        at = now
        for number, (seconds, action, minutes) in enumerate(steps, start=1):
            at += timedelta(seconds=seconds)
            with suppress(*REFUSALS):
                act(session, action, minutes, number, at)
            assert_retold(session)
        transaction.set_rollback(True)  # the next example begins as this one did


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("seed", range(12))
def test_it_does_so_where_everything_happens_at_once_around_the_deadline(
    seed: int,
    make_study: Callable[..., Study],
    make_person: Callable[..., Participant],
    now: datetime,
) -> None:
    session = session_start(participant=make_person(make_study(time_budget_minutes=60)), now=now)
    draw = random.Random(seed)
    deeds = ["save", "save", "submit", "sweep", "sweep", "extend", "extend", "reopen"]
    deeds += ["withdraw"] * (seed % 4 == 0)
    moments = [session.deadline_at + timedelta(seconds=draw.randint(-5, 15)) for _ in deeds]
    together = threading.Barrier(len(deeds))

    def job(number: int) -> None:
        together.wait(30)
        try:
            with suppress(*REFUSALS):
                act(session, deeds[number], 1, number + 1, moments[number])
        finally:
            connection.close()

    with ThreadPoolExecutor(len(deeds)) as pool:
        list(pool.map(job, range(len(deeds))))
    assert_retold(session)


def assert_retold(session: Session) -> None:
    stored = Session.objects.get(pk=session.pk)
    told = retell(list(SessionEvent.objects.filter(session=session).order_by("pk")))
    assert (told.deadline_at, told.status, told.ended_at, told.extended_seconds) == (
        stored.deadline_at,
        stored.status,
        stored.ended_at,
        stored.extended_seconds,
    )
    opened = set(stored.answers.values_list("is_open", flat=True))
    assert opened == {stored.status in ("active", "expired")}
