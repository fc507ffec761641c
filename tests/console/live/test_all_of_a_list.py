"""All of a list is whom the page named: whoever came into it since is left alone, and that is said."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from batches.models import Session
from batches.rules.statuses import SessionStatus
from batches.services.ending import session_submit
from tests.access.forms_shown import forms_of

pytestmark = pytest.mark.django_db
PAGE = "/staff/studies/live/live/"


def asked(client: Client, action: str, everybody: str) -> tuple[str, dict[str, list[str]]]:
    """The page that says whom it reaches, and what its button sends."""
    page = " ".join(client.get(f"{PAGE}{action}/?all={everybody}").text.split())
    (form,) = [one for one in forms_of(page, f"{PAGE}{action}/") if "seen_at" in one.kinds]
    return page, form.values | {"text": ["A power cut"]}


def pressed(client: Client, action: str, values: dict[str, list[str]]) -> str:
    return " ".join(client.post(f"{PAGE}{action}/", values, follow=True).text.split())


def states(*sessions: Session) -> list[str]:
    return [Session.objects.get(pk=session.pk).status for session in sessions]


def test_who_starts_after_the_page_was_made_is_not_voided(
    staff: Client, answering: Callable[..., Session]
) -> None:
    one, two = answering(), answering()
    page, values = asked(staff, "void", "answering")
    assert "This reaches 2 people" in page
    assert "whoever comes into the list after this page was made is not reached" in page
    third = answering(minutes=0)
    outcome = pressed(staff, "void", values)
    assert states(one, two, third) == ["withdrawn", "withdrawn", "active"]
    assert "Void: done for 2 people" in outcome
    assert f"Not done for {third.participant.code}: Not in the list yet when the page was made." in outcome


def test_who_hands_in_after_the_page_was_made_is_not_reopened(
    staff: Client, answering: Callable[..., Session]
) -> None:
    early, later, over = answering(), answering(), answering()
    now = timezone.now()
    session_submit(session=early, resources=None, now=now)
    Session.objects.filter(pk=over.pk).update(deadline_at=now - timedelta(minutes=1))
    page, values = asked(staff, "reopen", "finished")
    assert "This reaches 2 people" in page
    session_submit(session=later, resources=None, now=timezone.now())
    outcome = pressed(staff, "reopen", values)
    assert states(early, later) == [SessionStatus.ACTIVE, SessionStatus.SUBMITTED]
    assert f"Not done for {later.participant.code}: Not in the list yet" in outcome


@pytest.mark.parametrize(("action", "more"), [("extend", {"minutes": ["5"]}), ("message", {})])
def test_time_and_messages_reach_those_who_were_named(
    action: str, more: dict[str, list[str]], staff: Client, answering: Callable[..., Session]
) -> None:
    one = answering()
    _page, values = asked(staff, action, "answering")
    came = answering(minutes=0)
    outcome = pressed(staff, action, values | more)
    assert f"done for {one.participant.code}." in outcome
    assert f"Not done for {came.participant.code}" in outcome


def test_a_form_that_comes_back_still_names_whom_it_named(
    staff: Client, answering: Callable[..., Session]
) -> None:
    one = answering()
    _page, values = asked(staff, "void", "answering")
    came = answering(minutes=0)
    again = " ".join(staff.post(f"{PAGE}void/", values | {"text": [""]}).text.split())
    assert "This reaches 1 person" in again
    assert one.participant.code in again
    assert came.participant.code not in again


def test_where_all_have_left_the_list_whoever_came_is_left_alone(
    staff: Client, answering: Callable[..., Session]
) -> None:
    left = answering()
    _page, values = asked(staff, "void", "answering")
    came = answering(minutes=0)
    session_submit(session=left, resources=None, now=timezone.now())
    assert "Nobody was chosen" in pressed(staff, "void", values)
    assert states(left, came) == [SessionStatus.SUBMITTED, SessionStatus.ACTIVE]
