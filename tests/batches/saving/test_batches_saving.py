"""Saving answers: the clock, two tabs, retries, and that nothing typed is lost."""

import uuid
from collections.abc import Callable
from datetime import datetime, timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from pytest_django import Settings

from batches.models import Revision, Session, SessionEvent
from batches.services.answers import AnswerNotFound, IncomingText, TextRefused, answer_save
from batches.services.ending import DeclaredResources, session_submit, session_withdraw, sessions_expire
from studies.models import Participant
from tests.batches.saving.saved_answers import save, stored

pytestmark = pytest.mark.django_db
NOTHING_USED = DeclaredResources(categories=(), note="")


def outcomes() -> list[tuple[str, int | None, str]]:
    return list(Revision.objects.values_list("outcome", "number", "text"))


def test_an_accepted_text_is_the_answer_and_a_numbered_revision(session: Session, now: datetime) -> None:
    at = now + timedelta(minutes=5)
    receipt = save(session, "forty-two", at)
    assert (receipt.outcome, receipt.revision, receipt.saved_at) == ("accepted", 1, at)
    assert receipt.seconds_left == 5 * 3600 - 300
    answer = stored()
    assert (answer.text, answer.revision, answer.saved_at, answer.has_text) == ("forty-two", 1, at, True)
    assert outcomes() == [("accepted", 1, "forty-two")]
    assert Revision.objects.get().received_at == at
    assert SessionEvent.objects.count() == 1


def test_every_accepted_version_is_kept(session: Session, now: datetime) -> None:
    save(session, "a", now, sequence=1)
    save(session, "ab", now, sequence=2)
    save(session, "", now, sequence=3)
    assert outcomes() == [("accepted", 1, "a"), ("accepted", 2, "ab"), ("accepted", 3, "")]
    assert (stored().text, stored().has_text, stored().state) == ("", False, "blank")


def test_a_retry_whose_reply_was_lost_is_saved_once(session: Session, now: datetime) -> None:
    save(session, "a", now)
    receipt = save(session, "a", now + timedelta(seconds=5))
    assert (receipt.outcome, receipt.saved, receipt.revision) == ("duplicate", True, 1)
    assert (receipt.saved_at, Revision.objects.count()) == (now, 1)


def test_a_retry_of_a_saved_text_after_the_end_is_told_it_is_saved(session: Session, now: datetime) -> None:
    save(session, "a", session.deadline_at)
    receipt = save(session, "a", session.deadline_at + timedelta(minutes=1))
    assert (receipt.outcome, receipt.saved) == ("duplicate", True)
    assert outcomes() == [("accepted", 1, "a")]


def test_a_stale_tab_overwrites_nothing_and_its_text_is_kept(session: Session, now: datetime) -> None:
    save(session, "from the first tab", now, tab="tab-a")
    receipt = save(session, "from the second tab", now, tab="tab-b", base=0)
    assert (receipt.outcome, receipt.saved, receipt.kept) == ("refused_stale", False, True)
    assert (receipt.current_text, receipt.revision) == ("from the first tab", 1)
    assert stored().text == "from the first tab"
    assert outcomes()[1] == ("refused_stale", None, "from the second tab")


def test_another_tab_may_go_on_from_the_newest_revision(session: Session, now: datetime) -> None:
    save(session, "one", now, tab="tab-a")
    receipt = save(session, "two", now, tab="tab-b", base=1)
    assert (receipt.outcome, receipt.revision, stored().text) == ("accepted", 2, "two")


def test_an_overtaken_request_of_the_same_tab_never_wins(session: Session, now: datetime) -> None:
    save(session, "newer", now, sequence=5)
    receipt = save(session, "older", now, sequence=4)
    assert (receipt.outcome, receipt.saved, receipt.kept) == ("superseded", False, True)
    assert stored().text == "newer"
    assert outcomes()[1] == ("superseded", None, "older")


def test_the_deadline_itself_is_in_time(session: Session) -> None:
    assert save(session, "a", session.deadline_at).outcome == "accepted"


def test_a_text_on_the_wire_at_the_deadline_is_accepted_and_logged(session: Session) -> None:
    at = session.deadline_at + timedelta(seconds=10)
    receipt = save(session, "a", at)
    assert (receipt.outcome, receipt.saved, receipt.seconds_left) == ("accepted_late", True, 0)
    assert outcomes() == [("accepted_late", 1, "a")]
    event = SessionEvent.objects.get(kind="late_save_accepted")
    assert (event.happened_at, event.details) == (at, {"position": 1})


def test_a_text_after_the_tolerance_changes_nothing_and_is_kept(session: Session) -> None:
    save(session, "in time", session.deadline_at)
    at = session.deadline_at + timedelta(seconds=10, microseconds=1)
    receipt = save(session, "too late", at, sequence=2)
    assert (receipt.outcome, receipt.saved, receipt.kept) == ("refused_late", False, True)
    assert receipt.sentence.startswith("Your time has ended")
    assert stored().text == "in time"
    assert outcomes()[1] == ("refused_late", None, "too late")
    assert SessionEvent.objects.get(kind="late_save_refused").happened_at == at


def test_a_text_that_arrived_in_time_counts_even_if_the_sweep_was_faster(session: Session) -> None:
    assert sessions_expire(now=session.deadline_at + timedelta(seconds=11)) == 1
    receipt = save(session, "waited for the database", session.deadline_at + timedelta(seconds=9))
    assert (receipt.outcome, stored().text) == ("accepted_late", "waited for the database")


def test_a_submitted_batch_takes_no_more_text_but_keeps_it(session: Session, now: datetime) -> None:
    save(session, "handed in", now)
    session_submit(session=session, resources=NOTHING_USED, now=now)
    receipt = save(session, "afterthought", now, sequence=2)
    assert (receipt.outcome, receipt.kept, receipt.seconds_left) == ("refused_late", True, 0)
    assert receipt.sentence.startswith("You have submitted this question set")
    assert stored().text == "handed in"


def test_a_withdrawn_session_takes_no_more_text(session: Session, now: datetime) -> None:
    session_withdraw(participant=session.participant, now=now)
    receipt = save(session, "after all", now)
    assert receipt.sentence.startswith("This session was ended for good")
    assert stored().text == ""


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("x" * 101, "The answer is 101 characters long and at most 100 are allowed"),
        ("a\x00b", "The answer has a NUL character at position 2"),
        ("a\ud800", "The answer has a broken character at position 2"),
    ],
)
def test_what_cannot_be_stored_is_refused_in_one_sentence(
    session: Session, now: datetime, text: str, sentence: str
) -> None:
    with pytest.raises(TextRefused, match=sentence):
        save(session, text, now)
    assert not Revision.objects.exists()
    assert stored().revision == 0


def test_nobody_saves_into_the_session_of_somebody_else(
    session: Session, make_person: Callable[..., Participant], now: datetime
) -> None:
    other = make_person(session.participant.study)
    incoming = IncomingText("mine", base_revision=0, tab="t", sequence=1)
    with pytest.raises(AnswerNotFound):
        answer_save(user_id=other.user_id, session_id=session.pk, position=1, incoming=incoming, now=now)
    assert stored().text == ""


@pytest.mark.parametrize("position", [0, 5, 10**30])
def test_there_is_no_answer_outside_the_batch(session: Session, now: datetime, position: int) -> None:
    with pytest.raises(AnswerNotFound):
        save(session, "a", now, position=position)


def test_there_is_no_answer_in_a_session_that_does_not_exist(session: Session, now: datetime) -> None:
    incoming = IncomingText("a", base_revision=0, tab="t", sequence=1)
    with pytest.raises(AnswerNotFound):
        answer_save(
            user_id=session.participant.user_id,
            session_id=uuid.uuid4(),
            position=1,
            incoming=incoming,
            now=now,
        )


def test_a_full_history_stops_growing_and_still_loses_no_accepted_text(
    session: Session, now: datetime, settings: Settings
) -> None:
    settings.PERSON_BYTES = 1000
    for sequence in range(1, 5):
        save(session, f"version {sequence}", now, sequence=sequence)
    assert (stored().text, stored().revision, Revision.objects.count()) == ("version 4", 4, 2)
    assert SessionEvent.objects.filter(kind="history_full").count() == 1
    receipt = save(session, "too late", session.deadline_at + timedelta(hours=1), sequence=9)
    assert (receipt.outcome, receipt.kept) == ("refused_late", False)
    assert Revision.objects.count() == 2


def test_the_persons_total_follows_all_their_answers_and_no_answer_is_refused(
    session: Session, now: datetime, settings: Settings
) -> None:
    settings.PERSON_BYTES = 10_000
    for position, text in ((1, "a" * 100), (2, "é" * 100), (3, "c")):
        for sequence in range(1, 11):
            assert save(session, text, now, position=position, sequence=sequence).outcome == "accepted"
    person = Participant.objects.get()
    assert person.stored_bytes == 20 * 500
    assert Revision.objects.count() == 20
    assert (stored(3).text, stored(3).revision) == ("c", 10)


def test_next_to_no_save_writes_the_persons_total(
    session: Session, now: datetime, settings: Settings
) -> None:
    settings.PERSON_BYTES = 10_000_000
    with CaptureQueriesContext(connection) as queries:
        for sequence in range(1, 41):
            save(session, "a" * 100, now, sequence=sequence)
    assert Participant.objects.get().stored_bytes == 20_000
    assert sum("UPDATE" in query["sql"] and "stored_bytes" in query["sql"] for query in queries) == 2


def test_a_save_is_one_read_one_update_and_one_insert(session: Session, now: datetime) -> None:
    user_id = session.participant.user_id
    incoming = IncomingText("a", base_revision=0, tab="t", sequence=1)
    with CaptureQueriesContext(connection) as queries:
        answer_save(user_id=user_id, session_id=session.pk, position=1, incoming=incoming, now=now)
    verbs = [query["sql"].split()[0] for query in queries]
    # Within a test's own transaction there is a savepoint instead of BEGIN and COMMIT.
    assert [verb for verb in verbs if verb not in {"SAVEPOINT", "RELEASE", "BEGIN", "COMMIT"}] == [
        "SELECT",
        "UPDATE",
        "INSERT",
    ]
