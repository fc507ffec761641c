"""A session that a browser saves into, through the JSON endpoints."""

from collections.abc import Callable

import pytest
from django.test import Client
from django.utils import timezone

from batches.models import Session
from batches.services.starting import session_start
from studies.models import Participant, Study


@pytest.fixture
def session(make_study: Callable[..., Study], make_person: Callable[..., Participant]) -> Session:
    study = make_study(answer_max_characters=1000)
    return session_start(participant=make_person(study), now=timezone.now())


@pytest.fixture
def page(session: Session) -> Client:
    """A browser signed in as the session's participant."""
    client = Client()
    client.force_login(session.participant.user)
    return client
