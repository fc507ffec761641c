"""A running session."""

from collections.abc import Callable
from datetime import datetime

import pytest

from batches.models import Session
from batches.services.starting import session_start
from studies.models import Participant, Study


@pytest.fixture
def session(
    make_study: Callable[..., Study], make_person: Callable[..., Participant], now: datetime
) -> Session:
    study = make_study(late_tolerance_seconds=10, answer_max_characters=100)
    return session_start(participant=make_person(study), now=now)
