"""A participant at work, in a browser."""

from collections.abc import Callable

import pytest
from django.test import Client
from django.utils import timezone

from batches.models import Session
from batches.services.starting import session_start
from studies.models import Participant, Study

MakeStudy = Callable[..., Study]
MakePerson = Callable[..., Participant]


@pytest.fixture
def participant(make_study: MakeStudy, make_person: MakePerson) -> Participant:
    return make_person(make_study(slug="pilot", replicates_per_profile=5))


@pytest.fixture
def page(participant: Participant) -> Client:
    """A browser signed in as the participant."""
    client = Client()
    client.force_login(participant.user)
    return client


@pytest.fixture
def session(participant: Participant) -> Session:
    return session_start(participant=participant, now=timezone.now())
