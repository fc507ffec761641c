"""How the asking about one row goes on, by the outcomes of its requests so far (docs/judging-faults.md).

Every request is on record, so where a row stands is read off the record: no counter can disagree with it.
"""

import random
from collections.abc import Iterable
from dataclasses import dataclass, replace

from judging.judges.reasons import UnscoredReason
from llm.errors import RetryAction
from llm.requests import OK

# The outcome of a request of which nobody knows what came: whoever sent it was gone before its reply.
LOST = "lost"
# A request that ends whoever makes it must not be made for ever: each time costs its worst.
MAX_LOST = 5
# How often a row is asked about in a run before it stays unscored, each time with some tries.
ROUNDS = 4
FIRST_WAIT, LONGEST_WAIT = 1.0, 30.0
# No endpoint can put a row off for longer.
LONGEST_RETRY_AFTER = 3600.0


@dataclass(frozen=True, slots=True)
class Course:
    """`tries` of this round and `rounds` ended without a verdict; how the next request is sent, if any is.

    `plain`: without the schema. `reask`: the reply that could not be used is shown, which happens once a
    round. `lost` counts requests that were lost: they are no tries, but too many mean that the row itself
    ends whoever asks about it.
    """

    tries: int = 0
    rounds: int = 0
    plain: bool = False
    reask: bool = False
    lost: int = 0
    ended: bool = False

    def after(self, outcome: str) -> "Course":
        """Where it stands after one more request with this outcome."""
        if outcome == OK:
            return replace(self, ended=True)
        if outcome == LOST:
            return replace(self, lost=self.lost + 1)
        rule = UnscoredReason(outcome).rule
        if rule.again is RetryAction.PLAIN and not self.plain:
            return replace(self, plain=True)
        if rule.again is RetryAction.REASK and not self.reask:
            return replace(self, reask=True)
        if rule.again is RetryAction.WAIT and self.tries + 1 < rule.tries:
            return replace(self, tries=self.tries + 1)
        ended = not rule.worth_another_round or self.rounds + 1 >= ROUNDS
        return Course(rounds=self.rounds + 1, lost=self.lost, ended=ended)

    def wait_before(
        self, after: "Course", *, round_wait: float, retry_after: float | None, rng: random.Random
    ) -> float:
        """Seconds between this request and the next, which is sent as `after` says.

        None before another way of sending; half to all of a backoff, doubled with each try, within a round;
        `round_wait`, doubled with each round, between rounds. Never shorter than the endpoint asks for.
        """
        if after.rounds > self.rounds:
            wait = round_wait * 2.0 ** (after.rounds - 1)
        elif after.tries > self.tries:
            wait = min(LONGEST_WAIT, FIRST_WAIT * 2.0**self.tries) * rng.uniform(0.5, 1.0)
        else:
            wait = 0.0
        return max(wait, min(retry_after or 0.0, LONGEST_RETRY_AFTER))


def course_of(outcomes: Iterable[str]) -> Course:
    """Where a row stands whose requests had these outcomes, in order."""
    course = Course()
    for outcome in outcomes:
        course = course.after(outcome)
    return course
