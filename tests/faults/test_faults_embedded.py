"""SQLite and the file broker: a run survives the death of every process."""

import shutil

import pytest

from benchmarks.hashed_judge.running import RunningJudge
from tests.faults.accounts import assert_nothing_lost_nothing_paid_twice
from tests.faults.site import Site

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]


def test_the_only_worker_is_killed_and_started_again(embedded: Site, judge: RunningJudge) -> None:
    planned = embedded.start_run(judge.url)
    assert planned == 320
    worker = embedded.worker(beat=True)
    embedded.until_decided(planned // 3)
    kills = [worker.kill()]
    worker.start()
    assert_nothing_lost_nothing_paid_twice(embedded.until_over(), judge, planned, kills=kills)


def test_the_beat_alone_finishes_a_run(embedded: Site, judge: RunningJudge) -> None:
    planned = embedded.start_run(judge.url)
    worker, beat = embedded.worker(), embedded.beat()
    embedded.until_decided(planned // 3)
    kills = [worker.kill()]
    facts = embedded.until_over(seconds=180)
    assert_nothing_lost_nothing_paid_twice(facts, judge, planned, kills=kills)
    assert beat.said("nobody takes them")


def test_all_workers_are_killed_and_started_again_embedded(embedded: Site, judge: RunningJudge) -> None:
    workers = [embedded.worker("one"), embedded.worker("two")]
    embedded.beat()
    planned = embedded.start_run(judge.url)
    embedded.until_decided(planned // 3)
    kills = [worker.kill() for worker in workers]
    for worker in workers:
        worker.start()
    assert_nothing_lost_nothing_paid_twice(embedded.until_over(), judge, planned, kills=kills)


def test_a_killed_beat_repeats_no_call_embedded(embedded: Site, judge: RunningJudge) -> None:
    embedded.worker()
    beat = embedded.beat()
    planned = embedded.start_run(judge.url)
    embedded.until_decided(planned // 3)
    beat.kill()
    embedded.until_decided(planned)
    beat.start()
    assert_nothing_lost_nothing_paid_twice(embedded.until_over(), judge, planned)


def test_the_files_of_the_broker_are_deleted(embedded: Site, judge: RunningJudge) -> None:
    planned = embedded.start_run(judge.url)
    embedded.worker(beat=True)
    embedded.until_decided(planned // 3)
    # At once: the worker makes new ones while the old are being deleted.
    gone = (embedded.folder / "broker").rename(embedded.folder / "gone")
    shutil.rmtree(gone)
    assert_nothing_lost_nothing_paid_twice(embedded.until_over(), judge, planned)
