"""When a call is tried again, and how long it waits."""

import random
from collections.abc import Callable, Iterator
from datetime import UTC, datetime

import pytest

from llm import errors
from llm.errors import (
    ConnectionLost,
    LLMError,
    RateLimited,
    ReplyOffSchema,
    ServerFailed,
    TimedOut,
)
from llm.fault_rules import FAULT_RULES, RetryAction
from llm.retrying import RetryPolicy, retry_after_seconds

NOW = datetime(2030, 5, 1, 12, 0, 0, tzinfo=UTC)


class Upper(random.Random):
    """Always draws the upper end, so that waits are exact."""

    def uniform(self, a: float, b: float) -> float:
        return b


def never(seconds: float) -> None:
    pytest.fail(f"waited {seconds} s for nothing")


def script(*outcomes: LLMError | str) -> tuple[Callable[[], str], list[LLMError | str]]:
    left = list(outcomes)

    def call() -> str:
        outcome = left.pop(0)
        if isinstance(outcome, LLMError):
            raise outcome
        return outcome

    return call, left


def run(*outcomes: LLMError | str, tries: int = 3) -> tuple[str, list[float]]:
    waits: list[float] = []
    call, _ = script(*outcomes)
    return RetryPolicy(tries=tries, sleep=waits.append, rng=Upper()).run(call), waits


def leaves(error: type[LLMError]) -> Iterator[type[LLMError]]:
    children = error.__subclasses__()
    yield from (leaf for child in children for leaf in leaves(child)) if children else (error,)


FAULTS = list(leaves(LLMError))
WAITING = [error for error in FAULTS if FAULT_RULES[error.reason].again is RetryAction.WAIT]


def made(error: type[LLMError]) -> LLMError:
    if issubclass(error, errors.ReplyInvalid):
        return error("first", text="{}", problem="empty")
    return error("first")


@pytest.mark.parametrize("error", WAITING)
def test_a_passing_error_is_tried_as_often_as_its_rule_says(error: type[LLMError]) -> None:
    tries = FAULT_RULES[error.reason].tries
    waits: list[float] = []
    call, left = script(*[made(error) for _ in range(tries)], "never")
    with pytest.raises(error):
        RetryPolicy(tries=9, sleep=waits.append, rng=Upper()).run(call)
    assert (waits, left) == ([1.0, 2.0][: tries - 1], ["never"])
    assert run(made(error), "done") == ("done", [1.0])


@pytest.mark.parametrize("error", [error for error in FAULTS if error not in WAITING])
def test_an_error_that_would_repeat_is_not_tried_again(error: type[LLMError]) -> None:
    call, left = script(made(error), "done")
    with pytest.raises(error):
        RetryPolicy(sleep=never).run(call)
    assert left == ["done"]


def test_a_call_that_was_adapted_is_made_again_at_once_and_costs_no_try() -> None:
    call, left = script(ServerFailed("1"), made(ReplyOffSchema), ServerFailed("2"), "done")
    waits: list[float] = []
    policy = RetryPolicy(tries=3, sleep=waits.append, rng=Upper())
    assert policy.run(call, adapt=lambda error: isinstance(error, ReplyOffSchema)) == "done"
    assert (waits, left) == ([1.0, 2.0], [])


def test_after_three_tries_the_last_error_is_raised() -> None:
    waits: list[float] = []
    call, left = script(TimedOut("1"), ServerFailed("2"), ConnectionLost("3"), "never")
    with pytest.raises(ConnectionLost, match="3"):
        RetryPolicy(sleep=waits.append, rng=Upper()).run(call)
    assert (waits, left) == ([1.0, 2.0], ["never"])


def test_the_backoff_doubles_up_to_thirty_seconds() -> None:
    policy = RetryPolicy(rng=Upper())
    waits = [policy.wait_after(TimedOut(""), number=number) for number in range(1, 8)]
    assert waits == [1.0, 2.0, 4.0, 8.0, 16.0, 30.0, 30.0]


def test_half_of_the_backoff_is_left_to_chance() -> None:
    policy = RetryPolicy(rng=random.Random(7))
    waits = [policy.wait_after(TimedOut(""), number=2) for _ in range(200)]
    assert 1.0 <= min(waits) < 1.05
    assert 1.95 < max(waits) <= 2.0


def test_the_endpoint_is_not_asked_earlier_than_it_wants() -> None:
    assert run(RateLimited("", retry_after=7.5), ServerFailed("", retry_after=0.0), "done") == (
        "done",
        [7.5, 2.0],
    )


def test_an_endpoint_that_asks_for_too_long_a_wait_ends_the_call_at_once() -> None:
    call, left = script(RateLimited("", retry_after=30.1), "done")
    with pytest.raises(RateLimited) as caught:
        RetryPolicy(sleep=never).run(call)
    assert (caught.value.retry_after, left) == (30.1, ["done"])
    assert run(RateLimited("", retry_after=30.0), "done") == ("done", [30.0])


def test_a_programming_error_is_not_tried_again() -> None:
    def broken() -> str:
        raise KeyError("x")

    with pytest.raises(KeyError):
        RetryPolicy(sleep=never).run(broken)


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        (None, None),
        ("5", 5.0),
        (" 0.5 ", 0.5),
        ("Wed, 01 May 2030 12:00:20 GMT", 20.0),
        ("Wed, 01 May 2030 11:00:00 GMT", 0.0),
        ("soon", None),
        ("nan", None),
        ("-3", None),
        ("", None),
    ],
)
def test_retry_after_is_read_as_seconds_or_as_a_date(value: str | None, seconds: float | None) -> None:
    assert retry_after_seconds(value, date=None, now=NOW) == seconds


def test_a_date_is_measured_by_the_endpoints_own_clock() -> None:
    slow_clock = "Wed, 01 May 2030 11:59:00 GMT"
    assert retry_after_seconds("Wed, 01 May 2030 11:59:09 GMT", date=slow_clock, now=NOW) == 9.0
