"""Staff with a second factor."""

import pytest
from pytest_django import Settings

from studies.models import User


@pytest.fixture
def staff_with_second_factor(staff_without_second_factor: None, settings: Settings) -> None:
    settings.STAFF_SECOND_FACTOR = True


@pytest.fixture
def lead() -> User:
    return User.objects.create_superuser("lead@example.org", "a long password indeed")
