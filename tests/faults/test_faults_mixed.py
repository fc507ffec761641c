"""A judge that fails three times in ten, in every way: what can be scored is, and the rest says why not."""

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from benchmarks.hashed_judge.running import RunningJudge, judge_server
from tests.faults import fates
from tests.faults.site import Site

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]

RULE: dict[str, Any] = {"faults": 0.3, "permanent": 0.01, "faults_at_most": 2, "seed": 5}
# Long enough for a reply on a busy machine, much shorter than a reply that stalls or drips.
TIMEOUT_SECONDS = 8.0
STALL_SECONDS = 17.0
# Replies that the client does not wait for, or does not read to their end.
LEFT = {"stalled", "dripped", "huge"}
# A lease waits for its last call, which may stall; and rows come back for another round soon. Nobody dies
# here, so no lease may end while its worker lives, however busy the machine is.
EXTRA = {
    "CHIRON_JUDGING_LEASE_SECONDS": "60",
    "CHIRON_JUDGING_SLICE_SECONDS": "20",
    "CHIRON_JUDGING_ROUND_WAIT_SECONDS": "0.5",
}


@pytest.fixture
def failing(tmp_path: Path) -> Iterator[RunningJudge]:
    """It takes no schema either, so every request is in plain mode in the end."""
    with judge_server(
        latency_ms=20,
        log=tmp_path / "judge.jsonl",
        stall_seconds=STALL_SECONDS,
        reject_keyword=("json_schema",),
        **RULE,
    ) as running:
        yield running


def start(site: Site, judge: RunningJudge, *, concurrency: int) -> int:
    site.extra.update(EXTRA)
    return site.start_run(judge.url, concurrency=concurrency, timeout_seconds=TIMEOUT_SECONDS)


@pytest.mark.production
def test_with_a_failing_judge_every_row_that_can_be_scored_is(
    production: Site, failing: RunningJudge
) -> None:
    planned = start(production, failing, concurrency=64)
    assert planned == 2000
    production.worker("one")
    production.worker("two")
    production.beat()
    production.until_all_over(seconds=120)
    assert_as_the_rule_says(production, failing, planned, at_once=64)


def test_with_a_failing_judge_embedded(embedded: Site, failing: RunningJudge) -> None:
    planned = start(embedded, failing, concurrency=32)
    embedded.worker(beat=True)
    embedded.until_all_over(seconds=120)
    assert_as_the_rule_says(embedded, failing, planned, at_once=32)


def assert_as_the_rule_says(site: Site, judge: RunningJudge, planned: int, *, at_once: int) -> None:
    expected = faults_met(site)
    facts, arrivals = site.run_facts(), judge.arrivals()
    assert {one.fault for one in arrivals if one.status == 499} <= LEFT, "the machine is too slow"
    assert facts.state == "finished", facts
    assert facts.decided_again == 0
    assert states(site) == {
        row: ("unscored", why) if (why := fates.reason(faults)) else ("scored", "")
        for row, (_, faults) in expected.items()
    }
    assert len(expected) == planned
    assert_every_kind_happened(expected)

    # The server saw each request that the rows take, and no other; so many were shown their reply.
    done = Counter(one.fault for one in arrivals)
    rejected = done.pop("rejected")
    assert done == sum((whole_course(faults) for _, faults in expected.values()), Counter[str]())
    roots = {digest for digest, _ in expected.values()}
    asked_again = [one for one in arrivals if one.fault != "rejected" and one.messages not in roots]
    assert len(asked_again) == sum(fates.asked_again(faults) for _, faults in expected.values())

    # That schemas are refused was found out by the calls of the first moment alone, and is remembered.
    assert 0 < rejected <= at_once
    assert site.query("SELECT COUNT(*) FROM scoring_judgeconfig WHERE plain_json_at IS NOT NULL") == [(1,)]
    assert_on_record(facts.calls, Counter({**done, "rejected": rejected}))
    assert_answers_scored(site)


def faults_met(site: Site) -> dict[int, tuple[str, list[str]]]:
    rule = {"rate": RULE["faults"], "at_most": RULE["faults_at_most"]}
    rule |= {name: RULE[name] for name in ("permanent", "seed")}
    told = json.loads(site.python("-m", "tests.faults.faults_met", json.dumps(rule)))
    return {int(row): (digest, faults) for row, (digest, faults) in told.items()}


def states(site: Site) -> dict[int, tuple[str, str]]:
    rows = site.query("SELECT id, state, unscored_reason FROM scoring_criterionscore")
    return {row: (state, why) for row, state, why in rows}


def whole_course(faults: list[str]) -> Counter[str]:
    """What the server does to a row's requests, the last included."""
    scored = fates.reason(faults) == ""
    return Counter([*fates.met(faults), *([""] if scored else [])])


def assert_every_kind_happened(expected: dict[int, tuple[str, list[str]]]) -> None:
    """Or the test would show less than it says; 320 rows are too few for every fault that never passes."""
    met = {fault for _, faults in expected.values() for fault in faults}
    assert met >= fates.ON_RECORD.keys() - {"", "rejected", "permanent_refused", "permanent_off_schema"}
    if len(expected) >= 2000:
        assert met >= {"permanent_refused", "permanent_off_schema"}


def assert_on_record(recorded: dict[str, int], done: Counter[str]) -> None:
    """Each request is on record once, under its own code.

    But one whose connection, a kept one, was closed at once without a byte is sent again and is no other
    request (docs/judging-faults.md, Connections).
    """
    by_server = sum((Counter({fates.ON_RECORD[fault]: n}) for fault, n in done.items()), Counter[str]())
    by_us = sum(
        (Counter({"too_late" if code in fates.TOO_LATE else code: n}) for code, n in recorded.items()),
        Counter[str](),
    )
    seen, lost = by_server.pop("connection_lost"), by_us.pop("connection_lost")
    assert by_us == by_server
    assert done["reset"] <= lost <= seen


def assert_answers_scored(site: Site) -> None:
    """An answer has a score exactly when all of its criteria have."""
    [wrong] = site.query(
        "SELECT COUNT(*) FROM scoring_answerscore AS a WHERE (a.score IS NULL) <> EXISTS ("
        "SELECT 1 FROM scoring_criterionscore AS c WHERE c.answer_id = a.answer_id AND c.state <> 'scored')"
    )
    assert wrong == (0,)
    answers = "SELECT COUNT(DISTINCT answer_id) FROM scoring_criterionscore"
    assert site.query("SELECT COUNT(*) FROM scoring_answerscore") == site.query(answers)
