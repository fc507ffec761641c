"""A worker whose clock is moved ends and deletes nothing too early; put right, it catches up.

The pages go by the right time meanwhile.
"""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.faults.parts import Part, binary, until
from tests.faults.site import Site

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

HOUR, DAY = 3600, 24 * 3600
DOUBT = re.compile(r"the clock is in doubt.*?about=(\w+).*?clock is ([\d,]+) s (ahead|behind)")
BUDGET = timedelta(hours=5)
DELETION = timedelta(days=30)


@dataclass
class Clock:
    """The clock of the processes that are started by it, moved while they run."""

    file: Path

    def move(self, seconds: int) -> None:
        new = self.file.with_suffix(".new")
        new.write_text(f"{seconds:+d}")
        new.replace(self.file)

    @property
    def environment(self) -> dict[str, str]:
        return {
            "LD_PRELOAD": library(),
            "FAKETIME_TIMESTAMP_FILE": str(self.file),
            "FAKETIME_NO_CACHE": "1",
            "FAKETIME_DONT_FAKE_MONOTONIC": "1",
        }

    @contextmanager
    def of(self, site: Site) -> Iterator[None]:
        """The processes that the site starts meanwhile go by this clock."""
        site.extra.update(self.environment)
        yield
        for name in self.environment:
            del site.extra[name]


def library() -> str:
    """The library to preload, as Debian's command names it for programs with threads."""
    command = [binary("faketime"), "-m", "-f", "+0s", "printenv", "LD_PRELOAD"]
    shown = subprocess.run(command, capture_output=True, text=True, check=True)
    return shown.stdout.strip().rpartition(":")[2]


@pytest.fixture
def clock(tmp_path: Path) -> Clock:
    made = Clock(tmp_path / "clock")
    made.move(0)
    return made


def worker_by(clock: Clock, site: Site) -> Part:
    threads = ("--pool", "threads", "--concurrency", "4", "--loglevel", "warning")
    celery = ("celery", "--app", "config.celery", "worker", "--beat", *threads)
    with clock.of(site):
        part = Part(
            "worker",
            [sys.executable, "-m", "tests.faults.under_faketime", *celery],
            environment=site.environment,
            logs=site.logs,
        )
    site.parts.append(part)
    return part.start()


def doubts(worker: Part) -> dict[str, int]:
    """By how many seconds the worker last said its clock was wrong, when it was to end this and that."""
    found = DOUBT.findall(worker.log.read_text(errors="replace"))
    return {
        about: int(seconds.replace(",", "")) * (1 if word == "ahead" else -1)
        for about, seconds, word in found
    }


def ended(site: Site) -> tuple[set[int], set[int]]:
    """Whose session has expired, and whose data were deleted."""
    expired = site.query("SELECT participant_id FROM batches_session WHERE status = 'expired'")
    deleted = site.query("SELECT participant_id FROM studies_studyevent WHERE kind = 'data_deleted'")
    return {one for (one,) in expired}, {one for (one,) in deleted}


def moment(value: object) -> datetime:
    read = value if isinstance(value, datetime) else datetime.fromisoformat(str(value))
    return read if read.tzinfo else read.replace(tzinfo=UTC)


def assert_a_wrong_clock_does_no_harm(site: Site, clock: Clock) -> Part:
    people = json.loads(site.python("-m", "tests.faults.make_people_at_work"))
    clock.move(HOUR)
    worker = worker_by(clock, site)
    for seconds in (HOUR, DAY, -HOUR, -DAY):
        clock.move(seconds)

        def says_so(wanted: int = seconds) -> bool:
            assert ended(site) == (set(), set())
            said = doubts(worker)
            return all(abs(said.get(about, 0) - wanted) < 60 for about in ("sessions", "deletions"))

        until(says_so, seconds=60, what=f"the worker says that its clock is {seconds} s off")
        if abs(seconds) == HOUR:
            assert_a_code_arrives(site, f"person{seconds:+d}@example.org")
    assert_pages_go_by_the_right_time(site, clock, people)
    clock.move(0)
    wanted = (set(people["overdue"]), set(people["due"]))
    until(lambda: ended(site) == wanted, seconds=60, what="what is due happens, and nothing else")
    assert worker.said("the clock is no longer in doubt")
    return worker


def assert_a_code_arrives(site: Site, address: str) -> None:
    """A page that goes by the right time asks for it; the worker with the wrong clock sends it."""
    site.python("-m", "tests.faults.ask_for_code", address)

    def has_gone_out() -> bool:
        # The row goes once the mail has been handed over, so the file may be seen before that.
        is_there = any(address in mail.read_text() for mail in (site.folder / "mail").glob("*"))
        return is_there and not site.query("SELECT id FROM studies_outgoingmail")

    until(has_gone_out, seconds=60, what=f"a sign-in code for {address} goes out, and its row with it")


def assert_pages_go_by_the_right_time(site: Site, clock: Clock, people: dict[str, list[int]]) -> None:
    steps = zip((HOUR, -HOUR), people["new"], people["leaves"], strict=True)
    before = datetime.now(UTC)
    with clock.of(site):
        words = (f"{seconds:+d},{starts},{leaves}" for seconds, starts, leaves in steps)
        site.python("-m", "tests.faults.use_the_site", str(clock.file), *words)
    after = datetime.now(UTC)
    [first, second] = people["new"]
    deadlines = site.query(
        f"SELECT deadline_at FROM batches_session WHERE participant_id IN ({first}, {second})"  # noqa: S608
    )
    promises = site.query(
        "SELECT details FROM studies_studyevent WHERE kind = 'participant_withdrew' ORDER BY id DESC LIMIT 2"
    )
    facts = [one if isinstance(one, dict) else json.loads(one) for (one,) in promises]
    begun = [moment(one) - BUDGET for (one,) in deadlines]
    left = [moment(one["deletes_at"]) - DELETION for one in facts]
    assert len(begun + left) == 4
    assert all(before <= one <= after for one in begun + left), (before, begun, left, after)


@pytest.mark.production
def test_a_wrong_clock_of_a_worker_does_no_harm(empty_production: Site, clock: Clock) -> None:
    worker = assert_a_wrong_clock_does_no_harm(empty_production, clock)
    # Others' leases would have looked over to it.
    assert "judging" in doubts(worker)


def test_a_wrong_clock_of_the_one_machine_does_no_harm(empty_embedded: Site, clock: Clock) -> None:
    assert_a_wrong_clock_does_no_harm(empty_embedded, clock)
