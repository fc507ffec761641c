"""A study, a person in it and staff."""

from collections.abc import Callable
from datetime import datetime

import pytest
from django.test import Client

from studies.models import Participant, Study, User
from studies.services.people.participants import participant_add


@pytest.fixture
def study(make_study: Callable[..., Study]) -> Study:
    return make_study(slug="pilot")


@pytest.fixture
def person(study: Study, now: datetime) -> Participant:
    return participant_add(study=study, email="person@example.org", profile="stem-phd", now=now)


@pytest.fixture
def staff_client(client: Client) -> Client:
    client.force_login(User.objects.create_superuser("lead@example.org"))
    client.get("/")  # the first request notes in the session when it ends
    return client
