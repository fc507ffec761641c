"""Opening and closing times: written in a named zone, stored in UTC; gaps of the clocks are told."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from studies.models import Study
from tests.console.setup.conftest import Save, shown_values

pytestmark = pytest.mark.django_db
BERLIN = "Europe/Berlin"


@pytest.mark.parametrize(
    ("text", "zone", "stored"),
    [
        ("2030-05-02T09:00", BERLIN, datetime(2030, 5, 2, 7, tzinfo=UTC)),
        ("2030-01-02T09:00", BERLIN, datetime(2030, 1, 2, 8, tzinfo=UTC)),
        ("2030-05-02T09:00", "Asia/Kathmandu", datetime(2030, 5, 2, 3, 15, tzinfo=UTC)),
        ("2030-05-02T09:00", "UTC", datetime(2030, 5, 2, 9, tzinfo=UTC)),
        ("2030-05-02T09:00", None, datetime(2030, 5, 2, 9, tzinfo=UTC)),
        ("", BERLIN, None),
    ],
)
def test_a_time_is_stored_in_utc(draft: Study, save: Save, text: str, zone: str | None, stored: Any) -> None:
    assert save(draft, "time", opens_at=text, opens_at_zone=zone).status_code == 302
    draft.refresh_from_db()
    assert draft.opens_at == stored


@pytest.mark.parametrize(
    ("text", "zone", "sentence"),
    [
        (
            "2030-03-31T02:30",
            BERLIN,
            "There is no 02:30 on that day in Europe/Berlin: the clocks",
        ),
        ("2030-10-27T02:30", BERLIN, "02:30 comes twice on that day in Europe/Berlin: the clocks go back."),
        ("2030-05-02T09:00", "Mars/Olympus", "This time zone is not known here; choose UTC."),
        ("2030-05-02T09:00", "../../etc/passwd", "This time zone is not known here; choose UTC."),
        ("0001-01-01T00:00", BERLIN, "Write a date that is not so far away."),
        ("tomorrow", BERLIN, "Write a date and a time, such as 2030-05-01T18:00."),
    ],
)
def test_what_is_no_moment_is_told_and_stays_as_it_was_written(
    draft: Study, save: Save, text: str, zone: str, sentence: str
) -> None:
    reply = save(draft, "time", opens_at=text, opens_at_zone=zone)
    page = reply.content.decode()
    assert reply.status_code == 422
    assert page.count(sentence) == 1
    assert f'value="{text}"' in page
    assert (f'<option value="{BERLIN}" selected' in page) == (zone == BERLIN)
    assert "passwd" not in page
    draft.refresh_from_db()
    assert draft.opens_at is None


def test_an_hour_that_comes_twice_can_be_written_in_utc(draft: Study, save: Save) -> None:
    save(draft, "time", opens_at="2030-10-27T01:30", opens_at_zone="UTC")
    draft.refresh_from_db()
    assert draft.opens_at == datetime(2030, 10, 27, 1, 30, tzinfo=UTC)


def test_an_amendment_takes_a_time_in_its_zone_and_shows_it_to_the_reader(
    staff: Client, make_study: Callable[..., Study]
) -> None:
    study = make_study(slug="locked")
    address = reverse("staff_amend_step", args=["locked", "time"])
    sent = shown_values(study, "time") | {"closes_at": "2030-06-02T18:00", "closes_at_zone": BERLIN}
    page = staff.post(address, {**sent, "again": "yes"}).content.decode()
    assert '<time datetime="2030-06-02T16:00:00+00:00" data-local="only"' in page
    shown = page.split('name="shown" value="')[1].split('"')[0]
    assert staff.post(address, {**sent, "shown": shown, "reason": "Two more days"}).status_code == 302
    study.refresh_from_db()
    assert study.closes_at == datetime(2030, 6, 2, 16, tzinfo=UTC)
