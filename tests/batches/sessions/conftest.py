"""A running session."""

from collections.abc import Callable
from datetime import datetime

import pytest

from batches.models import Session
from batches.services.starting import session_start
from studies.models import Participant, Study

MakeStudy = Callable[..., Study]
MakePerson = Callable[..., Participant]


@pytest.fixture
def session(make_study: MakeStudy, make_person: MakePerson, now: datetime) -> Session:
    return session_start(participant=make_person(make_study()), now=now)
