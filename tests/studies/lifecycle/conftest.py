"""The lead of studies."""

from datetime import datetime

import pytest

from studies.models import Study, User
from studies.services.studies import study_freeze
from tests.studies.lifecycle.drafts import draft


@pytest.fixture
def lead() -> User:
    return User.objects.create_superuser("lead@example.org")


@pytest.fixture
def frozen(now: datetime) -> Study:
    return study_freeze(study=draft(now), now=now)
