"""A study with one place for each of two profiles, and its team."""

from collections.abc import Callable
from datetime import datetime

import pytest

from studies.models import Participant, Study
from studies.services.people.consents import consent_record
from studies.services.people.participants import participant_add

TWO_PROFILES = [
    {"slug": "stem-phd", "name": "STEM PhD", "description": "Holds a doctorate."},
    {"slug": "writer", "name": "Writer", "description": "Writes."},
]


@pytest.fixture
def study(make_study: Callable[..., Study]) -> Study:
    """One question set with one place for each profile."""
    return make_study(slug="pilot", profiles=TWO_PROFILES, replicates_per_profile=1)


@pytest.fixture
def applicant(study: Study, now: datetime) -> Callable[..., Participant]:
    """Somebody who has consented and waits for a decision: `applicant("ada", profile="writer")`."""

    def make(name: str, *, profile: str = "stem-phd") -> Participant:
        person = participant_add(study=study, email=f"{name}@example.org", profile=profile, now=now)
        consent_record(participant=person, accepted=True, now=now)
        return person

    return make
