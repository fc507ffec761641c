"""Accounts of staff and of a person."""

import pytest

from studies.models import User


@pytest.fixture
def lead() -> User:
    return User.objects.create_user("lead@example.org", is_staff=True)


@pytest.fixture
def person() -> User:
    return User.objects.create_user("person@example.org")
