"""The prompt page's form without JavaScript: text, note, confidence and mark."""

from collections.abc import Callable

import pytest
from django.test import Client
from django.utils import timezone

from batches.models import Answer, Revision, Session
from batches.services.starting import session_start
from studies.models import Participant, Study

pytestmark = pytest.mark.django_db
MakeStudy = Callable[..., Study]
MakePerson = Callable[..., Participant]


@pytest.fixture
def asking(make_study: MakeStudy, make_person: MakePerson) -> Session:
    """A session that asks for a note and for confidence."""
    study = make_study(note_per_prompt=True, confidence_per_prompt=True, answer_max_characters=100)
    return session_start(participant=make_person(study), now=timezone.now())


@pytest.fixture
def silent(make_study: MakeStudy, make_person: MakePerson) -> Session:
    """A session that asks for neither."""
    return session_start(participant=make_person(make_study()), now=timezone.now())


def browser(session: Session) -> Client:
    client = Client()
    client.force_login(session.participant.user)
    return client


def send(session: Session, position: int = 1, **entries: object) -> int:
    address = f"/sessions/{session.pk}/prompts/{position}/"
    return browser(session).post(address, {"text": "", "base_revision": 0, **entries}).status_code


def stored(session: Session, position: int = 1) -> Answer:
    return session.answers.get(position=position)


def test_note_and_confidence_are_saved_with_the_text(asking: Session) -> None:
    assert send(asking, text="42", note="a book\r\nand a table", confidence="70", go="next") == 302
    answer = stored(asking)
    assert (answer.text, answer.note, answer.confidence) == ("42", "a book\nand a table", 70)
    assert send(asking, text="42", note="", confidence="", base_revision=1, go="stay") == 302
    assert (stored(asking).note, stored(asking).confidence) == ("", None)


def test_a_form_that_changes_nothing_saves_nothing(asking: Session) -> None:
    send(asking, text="42", note="a book", confidence="70")
    assert send(asking, text="42", note="a book", confidence="70", base_revision=1) == 302
    assert Revision.objects.count() == 1


@pytest.mark.parametrize(
    "entries", [{"confidence": "101"}, {"confidence": "-1"}, {"confidence": "sure"}, {"note": "x" * 2_001}]
)
def test_what_cannot_be_saved_comes_back_with_everything_typed(
    asking: Session, entries: dict[str, str]
) -> None:
    reply = browser(asking).post(
        f"/sessions/{asking.pk}/prompts/1/", {"text": "my own words", "base_revision": 0, **entries}
    )
    assert reply.status_code == 422
    form = reply.context["form"]
    assert form.errors
    assert form["text"].value() == "my own words"
    assert all(form[name].value() == value for name, value in entries.items())
    assert stored(asking).revision == 0


def test_a_stale_form_keeps_its_note_and_confidence(asking: Session) -> None:
    send(asking, text="newer", note="newer note", confidence="10")
    reply = browser(asking).post(
        f"/sessions/{asking.pk}/prompts/1/",
        {"text": "newer", "note": "older note", "confidence": "90", "base_revision": 0},
    )
    assert reply.status_code == 409
    form = reply.context["form"]
    assert (form["note"].value(), form["confidence"].value(), form["base_revision"].value()) == (
        "older note",
        90,
        1,
    )
    assert stored(asking).note == "newer note"


def test_a_session_that_does_not_ask_shows_and_saves_neither(silent: Session) -> None:
    reply = browser(silent).get(f"/sessions/{silent.pk}/prompts/1/")
    assert set(reply.context["form"].fields) == {"text", "base_revision"}
    assert send(silent, text="42", note="unasked", confidence="50") == 302
    assert (stored(silent).text, stored(silent).note, stored(silent).confidence) == ("42", "", None)


def test_the_mark_is_set_and_taken_away_and_the_text_saved_with_it(silent: Session) -> None:
    assert send(silent, text="half done", go="flag") == 302
    assert (stored(silent).text, stored(silent).is_flagged) == ("half done", True)
    reply = browser(silent).post(
        f"/sessions/{silent.pk}/prompts/1/", {"text": "half done", "base_revision": 1, "go": "flag"}
    )
    assert reply["Location"] == f"/sessions/{silent.pk}/prompts/1/"
    assert not stored(silent).is_flagged


def test_a_form_that_is_not_saved_moves_no_mark(silent: Session) -> None:
    send(silent, text="newer")
    assert send(silent, text="older", go="flag") == 409
    assert not stored(silent).is_flagged
