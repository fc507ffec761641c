"""Announcements to those concerned only: of a state, with a question set, with a question."""

import re
from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest
from django.test import Client

from batches.models import Session
from batches.selectors.notices import notices_for
from batches.services.starting import session_start
from studies.models import Announcement, Participant, Study, StudyEvent

pytestmark = pytest.mark.django_db
PAGE = "/staff/studies/sets/announcements/"


@pytest.fixture
def sessions(
    make_study: Callable[..., Study], make_person: Callable[..., Participant], now: datetime
) -> tuple[Session, Session]:
    """Two people in a session, each with another question set of two questions."""
    study = make_study(slug="sets", batch_size=2, replicates_per_profile=1)
    make_person(study)
    one, two = (session_start(participant=make_person(study), now=now) for _ in range(2))
    assert one.batch.number != two.batch.number
    return one, two


def told(session: Session, now: datetime) -> list[str]:
    found = notices_for(user_id=session.participant.user_id, study_slug="sets", now=now)
    assert found is not None
    return [notice.text for notice in found]


def announce(staff: Client, **fields: object) -> str:
    form: dict[str, Any] = {"text": "Read it again.", "audience": "in_session"} | fields
    return re.sub(r"\s+", " ", staff.post(PAGE, form, follow=True).content.decode())


def test_a_question_set_is_told_and_the_other_is_not(
    staff: Client, sessions: tuple[Session, Session], now: datetime
) -> None:
    one, two = sessions
    page = announce(staff, batch_number=one.batch.number)
    assert "Announced to 1 person now" in page
    assert f"Question set {one.batch.number}" in page
    assert (told(one, now), told(two, now)) == (["Read it again."], [])
    assert StudyEvent.objects.get(kind="announcement_made").details["batch"] == one.batch.number


def test_a_question_is_told_to_those_who_have_it_by_its_label_however_it_is_written(
    staff: Client, sessions: tuple[Session, Session], now: datetime
) -> None:
    one, two = sessions
    label = two.answers.select_related("prompt").first().prompt.label  # type: ignore[union-attr]
    page = announce(staff, prompt_label=label.removeprefix("Q-").lower())
    assert "Announced to 1 person now" in page
    assert f"{label}</span>" in page
    assert (told(one, now), told(two, now)) == ([], ["Read it again."])
    announce(staff, prompt_label=label, batch_number=one.batch.number, text="Nobody has both.")
    announce(staff, audience="finished", prompt_label=label, text="Nobody has finished.")
    assert (told(one, now), told(two, now)) == ([], ["Read it again."])


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"prompt_label": "Q-NONE"}, "No question of this study has the label Q-NONE."),
        ({"prompt_label": "\u202e<b>"}, "No question of this study has the label"),
        ({"batch_number": "99"}, "There is no such question set; choose one."),
        ({"batch_number": "1", "audience": "not_started"}, "Nobody has a question set before they start"),
    ],
)
def test_who_cannot_be_reached_is_told_and_the_text_stays(
    fields: dict[str, str], sentence: str, staff: Client, sessions: tuple[Session, Session]
) -> None:
    page = announce(staff, **fields)
    assert page.count(sentence) == 1
    assert "Read it again.</textarea>" in page
    assert "<b>" not in page
    assert not Announcement.objects.exists()
