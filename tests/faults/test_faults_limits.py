"""Two runs that ask the same judges at the same time: together they keep each judge's limits.

The judges themselves say so: they count what arrives, and refuse and mark what is too much.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from benchmarks.hashed_judge.log import Arrival, in_flight_maximum, most_in_window, tokens_most_in_window
from benchmarks.hashed_judge.running import RunningJudge, judge_server
from tests.faults.asking import asking
from tests.faults.parts import until
from tests.faults.site import Site

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]

CONCURRENCY = 8
REQUESTS, TOKENS = 240, 90_000


@contextmanager
def limited(log: Path, *, rpm: int | None = None, tpm: int | None = None) -> Iterator[RunningJudge]:
    # Replies take so long that calls overlap on a busy machine, too.
    with judge_server(latency_ms=400, log=log, rpm=rpm, tpm=tpm, max_in_flight=CONCURRENCY) as running:
        yield running


@pytest.fixture
def by_requests(tmp_path: Path) -> Iterator[RunningJudge]:
    with limited(tmp_path / "by_requests.jsonl", rpm=REQUESTS) as running:
        yield running


@pytest.fixture
def by_tokens(tmp_path: Path) -> Iterator[RunningJudge]:
    with limited(tmp_path / "by_tokens.jsonl", tpm=TOKENS) as running:
        yield running


@pytest.mark.production
def test_two_runs_on_the_same_judges_keep_their_limits_though_a_worker_is_killed(
    empty_production: Site, by_requests: RunningJudge, by_tokens: RunningJudge
) -> None:
    site = empty_production
    site.make(people=2, studies=2)
    workers = [site.worker("one"), site.worker("two")]
    site.beat()
    limits = {"concurrency": CONCURRENCY, "max_output_tokens": 100}
    planned = site.start_panel(
        {
            by_requests.url: {**limits, "requests_per_minute": REQUESTS},
            by_tokens.url: {**limits, "tokens_per_minute": TOKENS},
        }
    )
    assert planned == 2 * 2 * 160
    site.until_decided(planned // 4)
    # Most of what the limits allow in this minute is used: the next owner must know of it.
    owner = asking(by_requests, workers)
    owner.kill()
    owner.start()
    site.until_all_over(seconds=120)
    assert site.query("SELECT state FROM scoring_judgingrun") == [("finished",)] * 2
    assert site.query("SELECT COUNT(*) FROM scoring_criterionscore WHERE state = 'scored'") == [(planned,)]

    first, second = by_requests.arrivals(), by_tokens.arrivals()
    assert_kept(by_requests, first)
    assert_kept(by_tokens, second)
    # Within the limits, and not because so little was sent: each was used up, but for what a killed owner's
    # calls may have taken, and there was more to send than it allows.
    assert 0.6 * REQUESTS <= most_in_window(first) <= REQUESTS < len(first)
    assert 0.6 * TOKENS <= tokens_most_in_window(second) <= TOKENS < sum(one.tokens for one in second)
    assert_both_runs_sent_together(site)


def test_two_runs_on_one_judge_keep_its_limits_embedded(
    empty_embedded: Site, by_requests: RunningJudge
) -> None:
    site = empty_embedded
    site.make(people=2, studies=2)
    site.worker(beat=True)
    planned = site.start_run(by_requests.url, concurrency=CONCURRENCY, requests_per_minute=REQUESTS)
    assert planned == 320
    # Within a window of the judge, no more than it allows are ever sent.
    until(lambda: len(by_requests.arrivals()) > 0.6 * REQUESTS, seconds=60, what="most of the limit is used")
    time.sleep(10)
    arrivals = by_requests.arrivals()
    assert_kept(by_requests, arrivals)
    assert most_in_window(arrivals) <= REQUESTS
    assert_both_runs_sent_together(site)


def assert_kept(judge: RunningJudge, arrivals: list[Arrival]) -> None:
    """Never more calls at a time than the judge takes, whoever owned it."""
    assert not [one for one in arrivals if one.violation]
    assert 5 < in_flight_maximum(arrivals) <= CONCURRENCY
    assert judge.stats()["in_flight_maximum"] <= CONCURRENCY


def assert_both_runs_sent_together(site: Site) -> None:
    """Some of each run's requests were made before the other run had made all of its."""
    spans = site.query("SELECT MIN(called_at), MAX(called_at) FROM scoring_judgecall GROUP BY judging_run_id")
    (one_from, one_to), (other_from, other_to) = spans
    assert one_from < other_to
    assert other_from < one_to
