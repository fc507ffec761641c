"""The incidents of the live board, each from what reached the server."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from batches.models import Answer, Session, SessionContact
from batches.rules.contact import PageReport
from batches.services.contact import page_report
from studies.models import Study

pytestmark = pytest.mark.django_db
PAGE = "/staff/studies/live/live/"
STATE = f"{PAGE}state/"
Answering = Callable[..., Session]


def reports(session: Session, device: str = "laptop", **facts: Any) -> None:
    now = timezone.now()
    assert page_report(
        user_id=session.participant.user_id,
        session_id=session.pk,
        report=PageReport(device, **facts),
        now=now,
    )


def incidents(staff: Client, session: Session) -> str:
    """What the drawer says of the session."""
    answer = staff.get(f"{STATE}?tab=incidents&session={session.pk}")
    assert answer.status_code == 200
    parts = answer.json()["parts"]
    return " ".join((parts["live-rows"] + parts["live-facts"] + parts["live-happened"]).split())


def heard_ago(session: Session, **changes: object) -> None:
    SessionContact.objects.filter(session=session).update(**changes)


def test_a_page_that_is_heard_is_no_incident_and_its_clock_is_shown(
    staff: Client, answering: Answering
) -> None:
    session = answering()
    reports(session, clock_off_seconds=3)
    said = incidents(staff, session)
    assert "No incidents." in said
    assert "Device clock</dt> <dd> +3 s" in said


def test_saves_that_fail_while_the_page_is_open(staff: Client, answering: Answering) -> None:
    session = answering()
    reports(session, failed_saves=4, failing_seconds=130, is_saved=False)
    said = incidents(staff, session)
    assert "Not saving" in said
    assert "4 saves failed. The page keeps what is typed" in said
    assert "Failing since" in said
    assert "4 saves failed within 2 min" in said


def test_a_page_in_view_that_is_no_longer_heard_is_offline(staff: Client, answering: Answering) -> None:
    session = answering()
    reports(session)
    heard_ago(session, heard_at=timezone.now() - timedelta(minutes=3))
    said = incidents(staff, session)
    assert 'class="pill bad" title="The open page is not heard any more' in said
    assert "Not heard since" in said
    heard_ago(session, is_hidden=True)
    assert "Offline" not in incidents(staff, session)


def test_a_trouble_that_is_over_is_shown_for_a_while(staff: Client, answering: Answering) -> None:
    session = answering()
    reports(session, failed_saves=2, failing_seconds=65, lost_seconds=65)
    said = incidents(staff, session)
    assert "Saving again" in said
    assert "2 saves failed. The server was not reached for 1 min." in said
    assert "page not heard for 1 min" in said
    heard_ago(session, trouble_ended_at=timezone.now() - timedelta(minutes=11))
    assert "No incidents." in incidents(staff, session)


def test_two_devices_in_view(staff: Client, answering: Answering) -> None:
    session = answering()
    reports(session)
    reports(session, device="phone")
    said = incidents(staff, session)
    assert "Two devices" in said
    assert "No text was refused" in said
    assert "open on two devices at once" in said


def test_a_device_whose_clock_is_far_off(staff: Client, answering: Answering) -> None:
    session = answering()
    reports(session, clock_off_seconds=-300)
    said = incidents(staff, session)
    assert "Clock off" in said
    assert "differs by −5 min" in said
    assert "device clock −5 min" in said


def test_a_long_silence_is_told_apart_by_whether_the_page_is_in_view(
    staff: Client, answering: Answering
) -> None:
    session = answering(minutes=45, saved=0)
    assert "The server cannot tell which" in incidents(staff, session)
    reports(session)
    assert "The page is open and reaches the server" in incidents(staff, session)
    reports(session, is_hidden=True)
    said = incidents(staff, session)
    assert "Not in view" in said
    assert "No save" not in said


def test_a_page_that_says_it_is_there_changes_nothing_on_the_board(
    staff: Client, answering: Answering
) -> None:
    session = answering()
    reports(session, clock_off_seconds=3)
    tag = staff.get(STATE)["ETag"]
    reports(session, clock_off_seconds=4)
    assert staff.get(STATE, headers={"If-None-Match": tag}).status_code == 304
    reports(session, failed_saves=1, is_saved=False)
    assert staff.get(STATE, headers={"If-None-Match": tag}).status_code == 200


def test_the_median_minutes_of_todays_answers(staff: Client, study: Study, answering: Answering) -> None:
    assert "since midnight" in staff.get(STATE).json()["parts"]["live-tiles"]
    now = timezone.now()
    for minutes in (4, 13, 70):
        session = answering()
        opened_at = now - timedelta(minutes=minutes, seconds=20)
        Answer.objects.filter(session=session, position=1).update(first_seen_at=opened_at, saved_at=now)
    tiles = " ".join(staff.get(STATE).json()["parts"]["live-tiles"].split())
    assert 'Answers today</span> <span class="value">3</span>' in tiles
    assert "median 13 min each" in tiles


def test_today_begins_at_midnight_where_the_reader_is(staff: Client, answering: Answering) -> None:
    now = timezone.now()
    saved = now - timedelta(hours=1)
    Answer.objects.filter(session=answering(), position=1).update(first_seen_at=saved, saved_at=saved)
    midnight, noon = (now.hour, now.hour - 12)
    for hours, count in ((midnight if midnight <= 12 else midnight - 24, 0), (noon, 1)):
        staff.cookies["chiron_zone"] = f"Etc/GMT{hours:+d}"  # its sign is the other way round
        tiles = " ".join(staff.get(STATE).json()["parts"]["live-tiles"].split())
        assert f'Answers today</span> <span class="value">{count}</span>' in tiles
