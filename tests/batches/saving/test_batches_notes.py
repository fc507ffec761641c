"""Notes and confidences are saved with the answer."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest
from pytest_django import Settings

from batches.models import Revision, Session
from batches.services.answers import TextRefused
from batches.services.starting import session_start
from studies.models import Participant, Study
from tests.batches.saving.saved_answers import save, stored

pytestmark = pytest.mark.django_db


@pytest.fixture
def asking(
    make_study: Callable[..., Study], make_person: Callable[..., Participant], now: datetime
) -> Session:
    """A session that asks for a note and for confidence beside every answer."""
    study = make_study(note_per_prompt=True, confidence_per_prompt=True, answer_max_characters=100)
    return session_start(participant=make_person(study), now=now)


def test_note_and_confidence_are_saved_with_the_text_and_kept_in_its_history(
    asking: Session, now: datetime
) -> None:
    receipt = save(asking, "42", now, note="A pocket calculator", confidence=80)
    assert (receipt.current_text, receipt.current_note, receipt.current_confidence) == (
        "42",
        "A pocket calculator",
        80,
    )
    save(asking, "42", now, note="", confidence=None, sequence=2)
    assert (stored().text, stored().note, stored().confidence, stored().revision) == ("42", "", None, 2)
    versions = list(Revision.objects.values_list("text", "note", "confidence"))
    assert versions == [("42", "A pocket calculator", 80), ("42", "", None)]


def test_a_note_alone_is_no_answer(asking: Session, now: datetime) -> None:
    save(asking, "", now, note="I looked for a table", confidence=10)
    assert (stored().has_text, stored().state, stored().note) == (False, "blank", "I looked for a table")


@pytest.mark.parametrize("change", [{"note": "other"}, {"confidence": 0}, {"confidence": None}])
def test_a_used_number_with_another_note_or_confidence_is_no_retry(
    asking: Session, now: datetime, change: dict[str, Any]
) -> None:
    save(asking, "42", now, note="a book", confidence=50)
    assert save(asking, "42", now, note="a book", confidence=50).outcome == "duplicate"
    sent: dict[str, Any] = {"note": "a book", "confidence": 50, **change}
    assert save(asking, "42", now, **sent).outcome == "superseded"
    assert (stored().note, stored().confidence) == ("a book", 50)


def test_a_stale_tab_is_told_the_newer_note_and_its_own_is_kept(asking: Session, now: datetime) -> None:
    save(asking, "same text", now, note="newer", confidence=90)
    receipt = save(asking, "same text", now, tab="tab-b", note="older", confidence=20)
    assert (receipt.outcome, receipt.kept) == ("refused_stale", True)
    assert (receipt.current_note, receipt.current_confidence) == ("newer", 90)
    refused = Revision.objects.get(outcome="refused_stale")
    assert (refused.note, refused.confidence) == ("older", 20)


def test_what_is_not_asked_is_refused_and_its_absence_is_fine(session: Session, now: datetime) -> None:
    with pytest.raises(TextRefused, match="asks for no note"):
        save(session, "a", now, note="a note")
    with pytest.raises(TextRefused, match="does not ask how sure you are"):
        save(session, "a", now, confidence=0)
    assert stored().revision == 0
    assert save(session, "a", now, note="", confidence=None).outcome == "accepted"


@pytest.mark.parametrize(
    ("note", "words"), [("x" * 2_001, "2,001 characters"), ("\x00", "NUL"), ("\ud800", "broken")]
)
def test_a_note_is_checked_like_a_text(asking: Session, now: datetime, note: str, words: str) -> None:
    with pytest.raises(TextRefused, match=f"The note .*{words}"):
        save(asking, "a", now, note=note)
    assert not Revision.objects.exists()


def test_notes_weigh_in_the_history(asking: Session, now: datetime, settings: Settings) -> None:
    settings.PERSON_BYTES = 2000
    save(asking, "a" * 100, now, note="x" * 2000)
    assert (stored().history_bytes, Revision.objects.count()) == (2100, 1)
    save(asking, "b", now, sequence=2)
    assert (stored().text, Revision.objects.count()) == ("b", 1)


def test_a_session_asks_what_its_study_asked_when_it_started(asking: Session, session: Session) -> None:
    assert (asking.asks_note, asking.asks_confidence) == (True, True)
    assert (session.asks_note, session.asks_confidence) == (False, False)
