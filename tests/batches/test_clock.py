"""The clock that ends sessions and has data deleted: held, confirmed, back; and what the pages go by.

A clock that was set is one that disagrees with what is stored of it: the tests move the stored one.
"""

import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import suppress
from datetime import datetime, timedelta

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from django.utils import timezone

from batches.models import Session
from batches.services.clock import ClockJumped, ClockSettling, clock_confirm, ending_moment
from batches.services.ending import session_withdraw
from batches.services.starting import session_start
from batches.tasks import sweep_sessions
from operations.tasks import erase_withdrawn
from studies.clock import Ending
from studies.models import ClockWatch, Participant, Study, StudyEvent, User
from studies.services.clock import BOOT_ID, UNSET_CLOCK, server_now
from studies.services.events import StudyEventKind, event_record

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("fresh_clock")]
MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)
WRONG = [HOUR, DAY, -HOUR, -DAY]


def clock_set(by: timedelta, **facts: object) -> None:
    """As if the clock had been set by so much since it was last believed."""
    at = timezone.now() - by
    seconds = time.clock_gettime(UNSET_CLOCK)
    row = {"at": at, "proven_at": at, "boot_id": BOOT_ID, "boot_seconds": seconds, **facts}
    ClockWatch.objects.update_or_create(pk=1, defaults=row)


def statuses() -> list[str]:
    return list(Session.objects.order_by("started_at").values_list("status", flat=True))


def erased() -> set[int | None]:
    done = StudyEvent.objects.filter(kind="data_deleted")
    return set(done.values_list("participant", flat=True))


@pytest.fixture
def study(make_study: Callable[..., Study]) -> Study:
    return make_study(slug="pilot", deletion_days=30)


@pytest.fixture
def overdue(study: Study, make_person: Callable[..., Participant]) -> Session:
    return session_start(participant=make_person(study), now=timezone.now() - 6 * HOUR)


@pytest.fixture
def leaver(study: Study, make_person: Callable[..., Participant]) -> Participant:
    """Somebody whose data are due."""
    person = make_person(study)
    session_withdraw(participant=person, now=timezone.now() - 31 * DAY)
    return person


@pytest.mark.usefixtures("overdue")
@pytest.mark.parametrize("off", WRONG)
def test_while_the_clock_is_wrong_nothing_ends_and_once_it_is_back_all_does(
    off: timedelta, leaver: Participant
) -> None:
    clock_set(off)
    sweep_sessions()
    erase_withdrawn()
    assert (statuses(), erased()) == (["active"], set())
    row = ClockWatch.objects.get()
    assert row.held_since is not None
    assert abs(row.held_seconds - off.total_seconds()) <= 1
    clock_set(timedelta(0), held_since=row.held_since, held_seconds=row.held_seconds)
    sweep_sessions()
    erase_withdrawn()
    assert (statuses(), erased()) == (["expired"], {leaver.pk})
    assert ClockWatch.objects.get().held_since is None


@pytest.mark.usefixtures("overdue", "leaver")
def test_the_commands_say_what_is_wrong_and_what_to_do() -> None:
    clock_set(HOUR)
    for command in ("sweep_sessions", "erase_withdrawn"):
        with pytest.raises(CommandError, match=r"clock is 3,600 s ahead of .* run: manage.py confirm_clock"):
            call_command(command)
    assert (statuses(), erased()) == (["active"], set())


@pytest.mark.usefixtures("overdue")
def test_a_doubt_and_its_end_are_logged_once(caplog: pytest.LogCaptureFixture) -> None:
    clock_set(HOUR)
    for _ in range(5):
        sweep_sessions()
    clock_set(timedelta(0))
    for _ in range(5):
        sweep_sessions()
    assert [(record.levelname, record.name) for record in caplog.records] == [
        ("ERROR", "chiron.clock"),
        ("WARNING", "chiron.clock"),
    ]


@pytest.mark.usefixtures("overdue")
def test_an_operator_says_that_the_clock_is_right(
    lead: User, leaver: Participant, capsys: pytest.CaptureFixture[str]
) -> None:
    clock_set(DAY)
    with suppress(ClockJumped):
        ending_moment(Ending.SESSIONS)
    call_command("confirm_clock", reason="The machine's battery was changed", by=lead.email)
    assert capsys.readouterr().out.endswith("Sessions end and data are deleted by this clock.\n")
    event = StudyEvent.objects.get(kind="clock_confirmed")
    assert (event.actor, event.details["reason"]) == (lead, "The machine's battery was changed")
    assert abs(event.details["seconds_ahead"] - 86_400) <= 1
    sweep_sessions()
    erase_withdrawn()
    assert (statuses(), erased()) == (["expired"], {leaver.pk})


def test_a_confirmation_needs_a_reason() -> None:
    with pytest.raises(CommandError, match="Write why the clock is right"):
        call_command("confirm_clock", reason="  ")
    assert not ClockWatch.objects.exists()


@pytest.mark.usefixtures("overdue", "leaver")
def test_after_a_night_off_it_is_said_until_when_what_waits() -> None:
    clock_set(10 * HOUR, boot_id="the start before")
    with pytest.raises(ClockSettling, match="sessions wait until"):
        ending_moment(Ending.SESSIONS)
    begun = ClockWatch.objects.get()
    assert begun.settling_since is not None
    clock_set(timedelta(0), settling_since=timezone.now() - 11 * MINUTE, proven_at=begun.proven_at)
    assert abs(ending_moment(Ending.SESSIONS) - timezone.now()) < MINUTE
    with pytest.raises(ClockSettling, match="deletions wait until"):
        ending_moment(Ending.DELETIONS)


def test_the_stored_reading_is_renewed_once_a_minute() -> None:
    clock_set(timedelta(0))
    before = ClockWatch.objects.get()
    ending_moment(Ending.SESSIONS)
    assert ClockWatch.objects.get().at == before.at
    earlier = before.at - 2 * MINUTE
    ClockWatch.objects.update(at=earlier, boot_seconds=before.boot_seconds - 120)
    ending_moment(Ending.SESSIONS)
    assert ClockWatch.objects.get().at > before.at


@pytest.mark.parametrize("off", WRONG)
def test_pages_go_by_the_clock_that_was_believed(off: timedelta) -> None:
    clock_set(off)
    assert abs(server_now() - (timezone.now() - off)) < MINUTE


def test_a_server_whose_clock_jumps_ahead_takes_what_is_in_time(
    study: Study, make_person: Callable[..., Participant], client: Client
) -> None:
    """By its own clock the session has been over for half an hour."""
    clock_set(HOUR)
    session = session_start(participant=make_person(study), now=timezone.now() - HOUR)
    Session.objects.update(deadline_at=timezone.now() - 30 * MINUTE)
    client.force_login(session.participant.user)
    save = {"text": "more", "base_revision": 0, "tab": "page", "sequence": 1}
    reply = client.post(f"/api/sessions/{session.pk}/answers/1", save, content_type="application/json")
    assert (reply.status_code, reply.json()["outcome"]) == (200, "accepted")
    assert 29 * 60 < reply.json()["seconds_left"] <= 30 * 60
    assert client.get(f"/sessions/{session.pk}/").status_code == 200
    client.post(f"/sessions/{session.pk}/submit/", {"nothing": "on", "unanswered": "asked"})
    assert statuses() == ["submitted"]


def test_while_clocks_agree_pages_go_by_the_hosts() -> None:
    clock_confirm(reason="A test began")
    before = timezone.now()
    assert before <= server_now() <= timezone.now()


def test_the_study_team_is_told_on_its_pages(staff: Client, study: Study) -> None:
    told = "clock seems to be wrong"
    pages = ("/staff/", f"/staff/studies/{study.slug}/")
    clock_set(timedelta(0))
    assert not any(told in staff.get(page).content.decode() for page in pages)
    clock_set(HOUR)
    sweep_sessions()
    assert all(told in staff.get(page).content.decode() for page in pages)


def test_a_new_site_is_not_held(now: datetime) -> None:
    assert abs(ending_moment(Ending.DELETIONS) - timezone.now()) < MINUTE
    assert ClockWatch.objects.get().settling_since is None


@pytest.mark.django_db(transaction=True)
def test_workers_that_start_at_once_all_find_the_clock_wrong(study: Study) -> None:
    """None of them finds a reading that is kept: another keeps its own just before this one does."""
    event_record(study, StudyEventKind.FROZEN, timezone.now() + HOUR)

    def look() -> None:
        try:
            with pytest.raises(ClockJumped):
                ending_moment(Ending.SESSIONS)
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as pool:
        others: list[Future[None]] = []

        def faster(execute: Callable[..., object], sql: str, *rest: object) -> object:
            if sql.startswith("INSERT") and ClockWatch._meta.db_table in sql and not others:
                others.append(pool.submit(look))
                wait(others, timeout=1)  # with SQLite it waits for this one, where that is in a transaction
            return execute(sql, *rest)

        with connection.execute_wrapper(faster), pytest.raises(ClockJumped):
            ending_moment(Ending.SESSIONS)
        others[0].result(timeout=30)
    row = ClockWatch.objects.get()
    assert row.held_since is not None
    assert abs(row.held_seconds + 3600) <= 5
