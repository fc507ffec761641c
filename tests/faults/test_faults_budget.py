"""A run's budget holds by the judge's own count of tokens, whatever dies while it is spent."""

import re
import time
from decimal import Decimal

import pytest

from benchmarks.hashed_judge.log import Arrival
from benchmarks.hashed_judge.running import RunningJudge
from tests.faults.site import Site

pytestmark = [pytest.mark.slow, pytest.mark.production, pytest.mark.timeout(900)]

# Dear enough that the requests which two kills cut off cost several times what the next one could.
INPUT_PRICE, OUTPUT_PRICE = Decimal(1000), Decimal(4000)
BUDGET = Decimal(280)
CONCURRENCY = 16


def test_a_run_never_costs_more_than_its_budget_though_its_workers_are_killed_twice(
    production: Site, judge: RunningJudge
) -> None:
    workers = [production.worker("one"), production.worker("two")]
    production.beat()
    prices = {"input_price": str(INPUT_PRICE), "output_price": str(OUTPUT_PRICE)}
    planned = production.start_run(
        judge.url, budget=str(BUDGET), concurrency=CONCURRENCY, max_output_tokens=100, **prices
    )
    for decided in (100, 250):
        production.until_decided(decided)
        for worker in workers:
            worker.kill()
            worker.start()
    facts = production.until_over()
    assert (facts.state, facts.pause_reason) == ("paused", "budget")
    assert 0 < facts.decided < planned

    cost = cost_of(judge.arrivals())
    assert cost <= BUDGET
    [(spent,)] = production.query("SELECT SUM(cost) FROM scoring_judgecall")
    lost_calls = production.query("SELECT id FROM scoring_judgecall WHERE outcome = 'lost'")
    assert lost_calls, "no request was under way at a kill, so this showed nothing"
    # It is used to the last request, but for what the killed workers had under way, which may have been spent
    # for all one can know.
    [(told,)] = production.query("SELECT pause_detail FROM scoring_judgingrun")
    _spent, _budget, lost, next_one = map(Decimal, re.findall(r"\d+\.\d+", told))
    assert cost >= BUDGET - lost - next_one
    assert lost <= 2 * CONCURRENCY * next_one
    [(committed,)] = production.query("SELECT committed FROM scoring_judgingrun")
    assert committed == spent <= BUDGET

    made = len(judge.arrivals())
    time.sleep(6)  # longer than the beat's pause and a lease: nobody goes on by themselves
    assert len(judge.arrivals()) == made


def cost_of(arrivals: list[Arrival]) -> Decimal:
    """What the judge would charge for these; for those it could not reply to, at least their prompts."""
    prompts = sum(one.prompt_tokens for one in arrivals)
    replies = sum(one.completion_tokens for one in arrivals)
    return (prompts * INPUT_PRICE + replies * OUTPUT_PRICE) / 1_000_000
