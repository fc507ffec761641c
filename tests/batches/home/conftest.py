"""A participant before the start, in a browser."""

from collections.abc import Callable

import pytest
from django.test import Client

from studies.models import Participant, Study
from tests.batches.home.study_home import signed_in

MakeStudy = Callable[..., Study]
MakePerson = Callable[..., Participant]


@pytest.fixture
def participant(make_study: MakeStudy, make_person: MakePerson) -> Participant:
    return make_person(make_study(slug="pilot", replicates_per_profile=5))


@pytest.fixture
def visitor(participant: Participant) -> Client:
    return signed_in(participant)
