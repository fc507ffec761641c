"""What becomes of the reports of open pages: claims, limited by what the server saw itself."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from batches.rules.contact import MAX_FAILED_SAVES, MAX_NOTED, Contact, NoteKind, PageReport, page_heard

START = datetime(2026, 5, 4, 9, tzinfo=UTC)
NOON = datetime(2026, 5, 4, 12, tzinfo=UTC)
QUIET = Contact("laptop", NOON - timedelta(seconds=20))


def heard(
    report: PageReport, before: Contact | None = QUIET, now: datetime = NOON
) -> tuple[Contact, list[str]]:
    result = page_heard(before, report, started_at=START, now=now)
    assert result.is_kept
    return result.contact, [note.kind for note in result.notes]


def test_a_page_that_is_only_there_leaves_no_line() -> None:
    contact, notes = heard(PageReport("laptop"))
    assert (contact.heard_at, contact.in_trouble, notes) == (NOON, False, [])
    assert heard(PageReport("laptop"), before=None) == (Contact("laptop", NOON), [])


def test_a_trouble_that_goes_on_is_one_line_and_its_end_another() -> None:
    contact, notes = heard(PageReport("laptop", failed_saves=2, failing_seconds=30, is_saved=False))
    assert (contact.in_trouble, contact.failed_saves, notes) == (True, 2, [NoteKind.SAVES_FAILED])
    assert contact.trouble_since == NOON - timedelta(seconds=30)
    later = NOON + timedelta(seconds=20)
    more = PageReport("laptop", failed_saves=4, failing_seconds=50, is_saved=False)
    contact, notes = heard(more, contact, later)
    assert (contact.failed_saves, contact.trouble_since, notes) == (4, NOON - timedelta(seconds=30), [])
    contact, notes = heard(replace(more, is_saved=True), contact, later + timedelta(seconds=8))
    assert (contact.in_trouble, contact.failed_saves, notes) == (False, 4, [NoteKind.SAVES_FAILED])
    assert contact.trouble_ended_at == later + timedelta(seconds=8)


def test_a_trouble_is_over_where_a_new_page_of_the_same_device_knows_of_none() -> None:
    troubled = replace(QUIET, failed_saves=3, trouble_since=NOON - timedelta(minutes=2))
    assert heard(PageReport("laptop"), troubled)[0].trouble_ended_at == NOON
    assert heard(PageReport("phone", is_hidden=True), troubled)[0].in_trouble


def test_nobody_was_cut_off_longer_than_unheard() -> None:
    contact, notes = heard(PageReport("laptop", lost_seconds=10**9))
    assert (contact.lost_seconds, notes) == (20, [NoteKind.CONTACT_LOST])
    assert heard(PageReport("laptop", lost_seconds=4))[1] == []


@pytest.mark.parametrize(("is_hidden", "notes"), [(False, [NoteKind.CONTACT_LOST]), (True, [])])
def test_a_page_in_view_that_was_silent_was_cut_off(is_hidden: bool, notes: list[str]) -> None:
    before = Contact("laptop", NOON - timedelta(minutes=5), is_hidden=is_hidden)
    contact, found = heard(PageReport("laptop"), before)
    assert found == notes
    assert contact.lost_seconds == (0 if is_hidden else 300)


def test_two_devices_in_view_are_told_once_in_a_while_and_moving_over_is_none() -> None:
    contact, notes = heard(PageReport("phone"))
    assert (contact.other_device_at, notes) == (NOON, [NoteKind.TWO_DEVICES])
    soon = NOON + timedelta(seconds=20)
    contact, notes = heard(PageReport("laptop"), contact, soon)
    assert (contact.other_device_at, notes) == (soon, [])
    moved, notes = heard(PageReport("phone"), replace(QUIET, is_hidden=True))
    assert (moved.other_device_at, notes) == (None, [])


def test_a_clock_is_told_of_when_it_is_off_and_again_when_it_was_set() -> None:
    contact, notes = heard(PageReport("laptop", clock_off_seconds=3))
    assert (contact.clock_off_seconds, notes) == (3, [])
    contact, notes = heard(PageReport("laptop", clock_off_seconds=300), contact)
    assert (contact.clock_off_seconds, notes) == (300, [NoteKind.CLOCK_OFF])
    again = replace(contact, noted_at=None)
    jittered, notes = heard(PageReport("laptop", clock_off_seconds=301), again)
    assert (jittered.clock_off_seconds, notes) == (300, [])
    assert heard(PageReport("laptop", clock_off_seconds=-400), again)[1] == [NoteKind.CLOCK_OFF]


def test_numbers_are_limited() -> None:
    wild = PageReport("laptop", failed_saves=10**9, failing_seconds=2**31 - 1, is_saved=False)
    contact, _notes = heard(wild)
    assert (contact.failed_saves, contact.trouble_since) == (MAX_FAILED_SAVES, START)


def test_news_that_come_too_soon_are_to_be_told_again_and_change_only_that_the_page_is_there() -> None:
    before = replace(QUIET, noted=1, noted_at=NOON - timedelta(seconds=1))
    result = page_heard(before, PageReport("laptop", failed_saves=1), started_at=START, now=NOON)
    assert (result.is_kept, result.notes) == (False, ())
    assert result.contact == replace(before, heard_at=NOON)


def test_the_trail_of_a_session_is_never_filled() -> None:
    full = replace(QUIET, noted=MAX_NOTED, noted_at=NOON - timedelta(minutes=1))
    contact, notes = heard(PageReport("laptop", failed_saves=1, is_saved=False), full)
    assert (contact.in_trouble, contact.noted, notes) == (True, MAX_NOTED, [])
