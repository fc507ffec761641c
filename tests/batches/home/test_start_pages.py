"""The instructions, and the page with the start button."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from batches.models import Session, SessionEvent
from studies.models import Participant, Study, StudyStatus
from tests.batches.home.study_home import HOME, START, primary_address, signed_in, text_of

pytestmark = pytest.mark.django_db
MakeStudy = Callable[..., Study]
MakePerson = Callable[..., Participant]


# --- instructions -------------------------------------------------------------------------------------


def test_the_instructions_say_what_is_allowed_what_the_clock_does_and_what_happens_at_the_end(
    make_study: MakeStudy, make_person: MakePerson
) -> None:
    study = make_study(
        slug="pilot",
        instructions="Answer **well**. <script>alert(1)</script>",
        allowed_tools="Pen and paper.",
        overdue_rule="submitted_only",
    )
    reply = signed_in(make_person(study)).get("/studies/pilot/instructions/")
    text = text_of(reply)
    assert "<strong>well</strong>" in reply.content.decode()
    assert "<script>alert" not in reply.content.decode()
    assert "Pen and paper." in text
    assert "does not pause, whatever you do" in text
    assert "Only a question set that you submit before the time ends counts." in text
    assert 'href="/studies/pilot/practice/2/"' in reply.content.decode()
    assert primary_address(reply) == START


# --- start --------------------------------------------------------------------------------------------


def test_the_start_page_says_how_long_what_is_allowed_and_what_happens_at_the_end(visitor: Client) -> None:
    text = text_of(visitor.get(START))
    assert "5 hours" in text
    assert "language model you have access to, web search, books" in text
    assert "When the time ends, what is saved by then counts as your answers" in text
    assert not Session.objects.exists()


def test_the_start_page_promises_the_extra_time_and_the_start_keeps_it(
    visitor: Client, participant: Participant
) -> None:
    Participant.objects.update(extra_minutes=30)
    text = text_of(visitor.get(START))
    assert "5 hours 30 minutes for all of them together" in text
    assert "include 30 minutes more" in text
    visitor.post(START)
    session = Session.objects.get()
    assert session.deadline_at - session.started_at == timedelta(hours=5, minutes=30)


def test_the_start_page_warns_where_the_study_closes_earlier(visitor: Client) -> None:
    # Without a fraction: the page and the database then show the same second.
    closes_at = timezone.now().replace(microsecond=0) + timedelta(hours=1)
    Study.objects.update(closes_at=closes_at)
    text = text_of(visitor.get(START))
    assert "so you would have less time" in text
    assert f"{closes_at:%H:%M} UTC" in text


def test_pressing_start_twice_starts_once_and_leads_to_the_running_session(visitor: Client) -> None:
    first, second = visitor.post(START), visitor.post(START)
    session = Session.objects.get()
    assert first["Location"] == second["Location"] == f"/sessions/{session.pk}/"
    assert visitor.get(START)["Location"] == f"/sessions/{session.pk}/"
    assert SessionEvent.objects.filter(kind="started").count() == 1


@pytest.mark.parametrize("address", [HOME, START])
def test_a_browser_that_goes_back_to_before_the_start_asks_again(visitor: Client, address: str) -> None:
    assert "no-store" in visitor.get(address)["Cache-Control"]


def test_a_start_that_is_refused_says_why_on_the_study_home(visitor: Client) -> None:
    Study.objects.update(status=StudyStatus.CLOSED)
    reply = visitor.post(START, follow=True)
    assert "The study is closed; nobody can start any more." in text_of(reply)
    assert not Session.objects.exists()


def test_pages_of_other_studies_do_not_exist_and_visitors_sign_in(
    visitor: Client, make_study: MakeStudy
) -> None:
    make_study(slug="other")
    for page in ("", "instructions/", "start/", "practice/1/"):
        assert visitor.get(f"/studies/other/{page}").status_code == 404
        address = f"{HOME}{page}"
        assert Client().get(address)["Location"] == f"/accounts/login/?next={address}"
