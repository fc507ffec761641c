"""Several judges, several owners: what they share is kept, whatever dies meanwhile."""

import random
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from decimal import Decimal
from functools import partial
from pathlib import Path

import pytest

from benchmarks.hashed_judge.running import RunningJudge, judge_server
from judging.judges.course import MAX_LOST
from tests.faults.accounts import (
    assert_each_decided_once,
    assert_nothing_lost_nothing_paid_twice,
    under_way,
)
from tests.faults.asking import asking
from tests.faults.parts import until
from tests.faults.site import Site
from tests.faults.test_faults_budget import cost_of

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]

CONCURRENCY = 8
WRITES_FOR = 20


@pytest.fixture
def panel(tmp_path: Path) -> Iterator[list[RunningJudge]]:
    """Three judges, each with a server and a log of its own."""
    with ExitStack() as stack:
        yield [
            stack.enter_context(judge_server(latency_ms=150, log=tmp_path / f"judge-{number}.jsonl"))
            for number in range(3)
        ]


@pytest.mark.production
def test_three_owners_never_pass_the_budget_that_they_share(
    empty_production: Site, panel: list[RunningJudge]
) -> None:
    site, budget = empty_production, Decimal(150)
    site.make(people=4)
    for name in ("one", "two", "three"):
        site.worker(name)
    site.beat()
    prices = {"input_price": "1000", "output_price": "4000", "max_output_tokens": 100}
    judges = {judge.url: {"concurrency": CONCURRENCY, **prices} for judge in panel}
    planned = site.start_panel(judges, budget=str(budget))
    facts = site.until_over()
    assert (facts.state, facts.pause_reason) == ("paused", "budget")
    assert 0 < facts.decided < planned
    asked = [judge.settled() for judge in panel]
    assert all(asked), "a judge was not asked, so they shared nothing"
    cost = sum(map(cost_of, asked))
    # What is left of it is less than one request could cost at worst, by bytes in place of tokens.
    assert budget - Decimal(4) <= cost <= budget
    [(committed,)] = site.query("SELECT committed FROM scoring_judgingrun")
    assert committed == cost


@pytest.mark.production
def test_four_workers_and_three_judges_with_kills_all_the_while(
    empty_production: Site, panel: list[RunningJudge]
) -> None:
    site, rng = empty_production, random.Random(7)
    site.make(people=5)
    workers = [site.worker(name) for name in ("one", "two", "three", "four")]
    site.beat()
    planned = site.start_panel(
        {judge.url: {"concurrency": CONCURRENCY, "timeout_seconds": 3.0} for judge in panel}
    )
    kills: list[float] = []
    for decided in range(planned // 8, planned, planned // 8):
        site.until_decided(decided, seconds=180)
        at_work = [judge for judge in panel if judge.url in judges_at_work(site)]
        victim = asking(rng.choice(at_work), workers) if at_work else rng.choice(workers)
        kills.append(victim.kill())
        victim.start()
    facts = site.until_over(seconds=180)
    assert_each_decided_once(facts, planned)
    for judge in panel:
        again = Counter({messages: count - 1 for messages, count in asked_of(judge).items() if count > 1})
        cut_off = sum((under_way(judge, at) for at in kills), Counter[str]())
        assert again <= cut_off


def judges_at_work(site: Site) -> set[str]:
    """The addresses of the judges that are to be asked for a while yet."""
    rows = site.query(
        "SELECT base_url FROM scoring_criterionscore AS row "
        "JOIN scoring_scoringrun AS run ON run.id = run_id "
        "JOIN scoring_judgeconfig AS judge ON judge.id = config_id WHERE row.state = 'open' "
        "GROUP BY base_url HAVING COUNT(*) > 30"
    )
    return {str(url) for (url,) in rows}


def asked_of(judge: RunningJudge) -> Counter[str]:
    return Counter(arrival.messages for arrival in judge.settled())


@pytest.mark.production
def test_a_worker_that_dies_with_whatever_it_asks_pauses_the_run(
    empty_production: Site, tmp_path: Path
) -> None:
    site = empty_production
    site.extra["CHIRON_JUDGING_LEASE_SECONDS"] = "2"
    site.make(people=2)
    with judge_server(latency_ms=2500, log=tmp_path / "judge.jsonl") as judge:
        worker = site.worker("one")
        site.beat()
        site.start_panel({judge.url: {"concurrency": 2, "timeout_seconds": 3.0}})
        asked = deaths = 0
        while site.run_facts().state == "running" and deaths < 12:
            seen = partial(asked_more_or_over, judge, site, asked)
            until(seen, seconds=60, what="it is asked, or the run pauses")
            worker.kill()
            asked, deaths = len(judge.arrivals()), deaths + 1
            worker.start()
        facts = site.run_facts()
        assert (facts.state, facts.pause_reason, facts.decided) == ("paused", "error", 0)
        assert MAX_LOST <= deaths < 12
        # About other answers each time: no answer's own count would have ended it.
        assert len({arrival.messages for arrival in judge.settled()}) > 2


def asked_more_or_over(judge: RunningJudge, site: Site, before: int) -> bool:
    return len(judge.arrivals()) > before or site.run_facts().state != "running"


@pytest.mark.production
def test_score_study_beside_workers_asks_nothing_twice(production: Site, judge: RunningJudge) -> None:
    planned = production.start_run(judge.url)
    production.worker("one")
    production.beat()
    production.until_decided(planned // 8)
    [(slug,)] = production.query("SELECT slug FROM studies_study")
    said = production.python("manage.py", "score_study", str(slug), "--judge", "judge-1")
    assert_nothing_lost_nothing_paid_twice(production.run_facts(), judge, planned)
    assert said


def test_a_writer_that_holds_sqlite_costs_no_owner_its_judge_and_repeats_no_call(
    embedded: Site, judge: RunningJudge
) -> None:
    embedded.extra["CHIRON_JUDGING_LEASE_SECONDS"] = "30"
    planned = embedded.start_run(judge.url, timeout_seconds=60.0)
    embedded.worker(beat=True)
    embedded.until_decided(planned // 4)
    [before] = embedded.query("SELECT lease FROM scoring_judgeconfig")
    began = time.monotonic()
    writer = embedded._started("writer", [sys.executable, "-m", "tests.faults.hold_sqlite", str(WRITES_FOR)])
    until(lambda: writer.said("writes"), seconds=60, what="it writes")
    assert embedded.query("SELECT lease FROM scoring_judgeconfig") == [before]
    until(lambda: writer.said("has written"), seconds=60, what="it has written")
    assert time.monotonic() - began >= WRITES_FOR
    assert_nothing_lost_nothing_paid_twice(embedded.until_over(), judge, planned)
