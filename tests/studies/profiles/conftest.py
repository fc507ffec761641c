"""A person before the profile form."""

from collections.abc import Callable
from datetime import datetime

import pytest
from django.test import Client

from studies.models import Credential, Participant, Study, User
from studies.services.people.consents import consent_record
from studies.services.people.participants import participant_add
from tests.studies.profiles.profile_forms import ANSWERS, PDF, PROFILE, upload


@pytest.fixture
def study(make_study: Callable[..., Study]) -> Study:
    return make_study(slug="pilot")


@pytest.fixture
def person(study: Study, now: datetime) -> Participant:
    person = participant_add(study=study, email="person@example.org", profile="stem-phd", now=now)
    Participant.objects.filter(pk=person.pk).update(vetting_status="invited")
    person.refresh_from_db()
    consent_record(participant=person, accepted=True, now=now)
    return person


@pytest.fixture
def visitor(client: Client, person: Participant) -> Client:
    client.force_login(person.user)
    return client


@pytest.fixture
def staff_client() -> Client:
    client = Client()
    client.force_login(User.objects.create_superuser("lead@example.org"))
    return client


@pytest.fixture
def credential(visitor: Client) -> Credential:
    visitor.post(PROFILE, {**ANSWERS, "credential": upload(PDF, "Prüfung.pdf")})
    return Credential.objects.get()
