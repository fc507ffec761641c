"""A study, its lead and a person."""

from collections.abc import Callable
from datetime import datetime

import pytest

from studies.models import Participant, Study
from studies.services.people.participants import participant_add


@pytest.fixture
def study(make_study: Callable[..., Study]) -> Study:
    return make_study(slug="pilot")


@pytest.fixture
def person(study: Study, now: datetime) -> Participant:
    return participant_add(study=study, email="a@example.org", profile="stem-phd", now=now)
