"""People who are answering now: the board goes by the clock."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.utils import timezone

from batches.models import Session
from batches.services.answers import IncomingText, answer_save, prompt_seen
from batches.services.starting import session_start
from studies.models import Participant, Study


@pytest.fixture
def study(make_study: Callable[..., Study]) -> Study:
    """Two sets of two questions, for two people of each profile."""
    return make_study(slug="live", prompts=4, batch_size=2)


@pytest.fixture
def answering(study: Study, make_person: Callable[..., Participant]) -> Callable[..., Session]:
    """Somebody who started some minutes ago and has saved one answer: `answering(minutes=30)`."""

    def start(*, minutes: float = 30, saved: int = 1, **person: object) -> Session:
        began = timezone.now() - timedelta(minutes=minutes)
        session = session_start(participant=make_person(study, **person), now=began)
        for position in range(1, saved + 1):
            prompt_seen(session=session, position=position, now=timezone.now())
            save(session, position, f"Text {position}")
        return session

    return start


def save(session: Session, position: int, text: str, *, tab: str = "one", base: int = 0) -> None:
    answer_save(
        user_id=session.participant.user_id,
        session_id=session.pk,
        position=position,
        incoming=IncomingText(text=text, base_revision=base, tab=tab, sequence=base + 1),
        now=timezone.now(),
    )
