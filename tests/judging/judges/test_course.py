"""How the asking about one row goes on, by the outcomes of its requests."""

import random
from itertools import pairwise

import pytest

from judging.judges.course import (
    FIRST_WAIT,
    LONGEST_RETRY_AFTER,
    LONGEST_WAIT,
    LOST,
    ROUNDS,
    Course,
    course_of,
)
from judging.judges.reasons import UnscoredReason
from llm.errors import FAULT_RULES, RetryAction
from llm.requests import OK
from tests.support.scripted_judge import requests_of

FAULTS = [UnscoredReason(code) for code in FAULT_RULES]
WAITING = [reason for reason in FAULTS if reason.rule.again is RetryAction.WAIT]
ADAPTED = [reason for reason in FAULTS if reason.rule.again in {RetryAction.PLAIN, RetryAction.REASK}]
RNG = random.Random(7)


class Upper(random.Random):
    """Always draws the upper end, so that waits are exact."""

    def uniform(self, a: float, b: float) -> float:
        return b


def waits_of(*outcomes: str, retry_after: float | None = None, round_wait: float = 60.0) -> list[float]:
    """The wait after each of these requests but the last."""
    courses = [course_of(outcomes[:number]) for number in range(len(outcomes) + 1)]
    return [
        one.wait_before(after, round_wait=round_wait, retry_after=retry_after, rng=Upper())
        for one, after in pairwise(courses)
    ]


@pytest.mark.parametrize("reason", FAULTS)
def test_a_fault_that_stays_is_met_as_often_as_its_rule_says(reason: UnscoredReason) -> None:
    requests = requests_of(reason)
    assert not course_of([reason] * (requests - 1)).ended
    assert course_of([reason] * requests).ended
    assert course_of([reason] * (requests - 1) + [OK]).ended


@pytest.mark.parametrize("reason", WAITING)
def test_a_passing_fault_is_tried_again_in_the_same_way(reason: UnscoredReason) -> None:
    first = course_of([reason])
    assert (first.tries, first.rounds, first.plain, first.reask) == (1, 0, False, False)
    assert waits_of(reason) == [1.0]


@pytest.mark.parametrize("reason", ADAPTED)
def test_another_way_of_sending_is_tried_at_once_and_costs_no_try(reason: UnscoredReason) -> None:
    outcomes = [UnscoredReason.SERVER_FAILED, reason, UnscoredReason.SERVER_FAILED]
    after = course_of(outcomes)
    assert (after.tries, after.rounds) == (2, 0)
    assert (after.plain, after.reask) == (
        reason.rule.again is RetryAction.PLAIN, reason.rule.again is RetryAction.REASK,
    )  # fmt: skip
    assert waits_of(*outcomes) == [1.0, 0.0, 2.0]


@pytest.mark.parametrize("first", ["reply_off_schema", "reply_out_of_range"])
@pytest.mark.parametrize("second", ["reply_off_schema", "reply_out_of_range"])
def test_there_is_one_re_ask_whatever_is_wrong_with_its_reply(first: str, second: str) -> None:
    assert course_of([first]).reask
    assert course_of([first, second]).ended


def test_a_schema_that_was_left_out_and_a_reply_off_it_are_both_met() -> None:
    course = course_of(["schema_rejected", "reply_off_schema"])
    assert (course.plain, course.reask, course.ended) == (True, True, False)


def test_tries_of_a_round_count_whatever_their_faults_and_the_next_begins_anew() -> None:
    outcomes = ["timed_out", "server_failed", "connection_lost"]
    assert course_of(outcomes) == Course(rounds=1)
    assert waits_of(*outcomes) == [1.0, 2.0, 60.0]


def test_the_wait_between_rounds_doubles_with_each() -> None:
    assert waits_of(*["access_denied"] * ROUNDS)[: ROUNDS - 1] == [60.0, 120.0, 240.0]


def test_the_backoff_doubles_up_to_its_longest_and_half_of_it_is_left_to_chance() -> None:
    for tries in range(8):
        backoff = min(LONGEST_WAIT, FIRST_WAIT * 2**tries)
        waits = [
            Course(tries=tries).wait_before(
                Course(tries=tries + 1), round_wait=60.0, retry_after=None, rng=RNG
            )
            for _ in range(200)
        ]
        assert backoff / 2 <= min(waits) < 0.53 * backoff
        assert 0.97 * backoff < max(waits) <= backoff


@pytest.mark.parametrize("outcome", ["rate_limited", "server_failed", "schema_rejected", "access_denied"])
def test_the_endpoint_is_not_asked_earlier_than_it_wants(outcome: str) -> None:
    assert waits_of(outcome, retry_after=500.0) == [500.0]
    assert waits_of(outcome, retry_after=0.0) == waits_of(outcome)
    assert waits_of(outcome, retry_after=1e9) == [LONGEST_RETRY_AFTER] == [3600.0]


def test_what_was_lost_is_no_try_and_no_round() -> None:
    outcomes = [LOST, "server_failed", LOST, "server_failed"]
    assert course_of(outcomes) == Course(tries=2, lost=2)
    assert course_of([*outcomes, "server_failed"]) == Course(rounds=1, lost=2)
    assert not course_of([LOST] * 100).ended
