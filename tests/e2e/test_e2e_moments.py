"""Opening and closing times in the zone of the device (here New York's); without the script in UTC."""

from collections.abc import Callable
from datetime import UTC, datetime

from playwright.sync_api import BrowserContext, expect

from studies.models import Study, User

CLOSES = datetime(2040, 7, 1, 16, 0, tzinfo=UTC)


def test_a_closing_time_is_shown_and_written_in_ones_own_zone(
    make_study: Callable[..., Study], new_device: Callable[..., BrowserContext], staff: User
) -> None:
    study = make_study(closes_at=CLOSES)
    page = new_device(staff).new_page()
    page.goto(f"/staff/studies/{study.slug}/amendments/time/")
    time, zone = page.get_by_label("Closes"), page.get_by_label("Time zone").last
    expect(zone).to_have_value("America/New_York")
    expect(time).to_have_value("2040-07-01T12:00")
    zone.select_option("UTC")
    expect(time).to_have_value("2040-07-01T16:00")
    zone.select_option("America/New_York")
    time.fill("2040-07-01T18:30")
    page.get_by_role("button", name="Show the difference").click()
    expect(time).to_have_value("2040-07-01T18:30")
    expect(zone).to_have_value("America/New_York")
    page.get_by_label("Reason").fill("Half a day more")
    page.get_by_role("button", name="Make this amendment").click()
    page.wait_for_url("**/amendments/")
    study.refresh_from_db()
    assert study.closes_at == datetime(2040, 7, 1, 22, 30, tzinfo=UTC)


def test_without_the_script_times_are_in_utc(
    make_study: Callable[..., Study], new_device: Callable[..., BrowserContext], staff: User
) -> None:
    study = make_study(closes_at=CLOSES)
    page = new_device(staff, java_script_enabled=False).new_page()
    page.goto(f"/staff/studies/{study.slug}/amendments/time/")
    expect(page.get_by_label("Closes")).to_have_value("2040-07-01T16:00")
    expect(page.get_by_label("Time zone").last).to_have_value("UTC")
