"""A study that invites."""

from collections.abc import Callable
from datetime import datetime

import pytest

from studies.models import Invitation, Study
from studies.services.people.invitations import invitation_create


@pytest.fixture
def study(make_study: Callable[..., Study]) -> Study:
    return make_study(slug="pilot", invitation_days=7)


@pytest.fixture
def invite(study: Study, now: datetime) -> Callable[..., Invitation]:
    def make(email: str = "ada@example.org", **fields: object) -> Invitation:
        values = {"study": study, "email": email, "profile": "stem-phd", "now": now, **fields}
        return invitation_create(**values)  # type: ignore[arg-type]

    return make
