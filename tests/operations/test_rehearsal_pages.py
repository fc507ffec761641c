"""A simulated person at the pages before the start."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from django.conf import settings
from django.test import Client
from pytest_django.live_server_helper import LiveServer

from batches.models import Session
from operations.rehearsal.mailbox import Mailbox
from operations.rehearsal.web import WebParticipant
from studies.models import Participant, Study

pytestmark = [
    pytest.mark.django_db(transaction=True),
    # The server starts before the fixture that makes the folder of static files.
    pytest.mark.filterwarnings("ignore:No directory at"),
]
RIGHT = [2, 1]
QUESTIONS = [
    {"question": "When does the clock run?", "options": ["Never", "Always"], "correct": 2},
    {"question": "Who may help?", "options": ["Any model", "Nobody"], "correct": 1},
]


@pytest.fixture
def person(make_study: Callable[..., Study], make_person: Callable[..., Participant]) -> Participant:
    """Somebody who has agreed already, as after a rehearsal that broke off."""
    return make_person(make_study(slug="asking", comprehension_check=True, check_questions=QUESTIONS))


@pytest.fixture
def visitor(
    person: Participant, client: Client, live_server: LiveServer, tmp_path: Path
) -> Iterator[WebParticipant]:
    client.force_login(person.user)
    name = settings.SESSION_COOKIE_NAME
    with WebParticipant(live_server.url, Mailbox(tmp_path)) as visitor:
        visitor.client.cookies.set(name, client.cookies[name].value)
        yield visitor


def test_the_check_is_passed_and_whoever_came_further_before_goes_on(
    visitor: WebParticipant, person: Participant
) -> None:
    for _time in range(2):
        visitor.consent("asking")
        visitor.pass_check("asking", RIGHT)
    assert person.check_tries.get().passed
    visitor.start("asking")
    assert Session.objects.get().participant == person
