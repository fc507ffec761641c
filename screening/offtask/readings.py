"""Who reads a flagged person next: one reviewer, a second for a share and in doubt, a third who settles.

The second reader does not see the first verdict. Pure: verdicts in, what the next one would be out.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

UNSURE = "unsure"
_WHOLE = 2**64


class Reading(StrEnum):
    """Which part a verdict plays."""

    FIRST = "first"
    SECOND = "second"
    SETTLING = "settling"
    LATER = "later"


BLIND = (Reading.FIRST, Reading.SECOND)
"""Given by whoever had not seen what others said: what independent reviewers agree on is told from these."""


class LeftOpen(StrEnum):
    """What is asked of others after a verdict."""

    NOTHING = "nothing"
    SECOND = "second"
    SETTLING = "settling"


class ReadingProblem(StrEnum):
    """Why somebody cannot give the next verdict."""

    SECOND_IS_ANOTHER = "second_is_another"
    SETTLED_BY_ANOTHER = "settled_by_another"
    SETTLING_DECIDES = "settling_decides"


class ReadingRefused(ValueError):
    """The verdict cannot be given by this person, or not in this form."""

    def __init__(self, problem: ReadingProblem) -> None:
        self.problem = problem
        super().__init__(problem.value)


@dataclass(frozen=True, slots=True)
class Given:
    """One verdict of a person's current ones."""

    rater: int
    decision: str
    reading: str
    leaves_open: str


def is_drawn(study: str, code: str, share: float) -> bool:
    """Whether a person belongs to the share that two reviewers read: by a hash, so that nobody chooses."""
    digest = hashlib.sha256(f"{study}:{code}".encode()).digest()
    return int.from_bytes(digest[:8], "big") < share * _WHOLE


def next_reading(
    given: Sequence[Given], *, rater: int, decision: str, drawn: bool, compares: bool, settles: bool
) -> tuple[Reading, LeftOpen]:
    """Which part the verdict plays and what it leaves open. `given` are the current verdicts, oldest first.

    `compares`: the study has second readings, so that a later, different verdict of another is a
    disagreement; without, the newest counts. `settles`: the person may settle what they read themselves.
    Raises ReadingRefused.
    """
    left = given[-1].leaves_open if given else LeftOpen.NOTHING
    own = any(verdict.rater == rater for verdict in given)
    if left == LeftOpen.SETTLING:
        if own and not settles:
            raise ReadingRefused(ReadingProblem.SETTLED_BY_ANOTHER)
        if decision == UNSURE:
            raise ReadingRefused(ReadingProblem.SETTLING_DECIDES)
        return Reading.SETTLING, LeftOpen.NOTHING
    if not given:
        asks = drawn or decision == UNSURE
        return Reading.FIRST, LeftOpen.SECOND if asks else LeftOpen.NOTHING
    if left == LeftOpen.SECOND:
        if own:
            raise ReadingRefused(ReadingProblem.SECOND_IS_ANOTHER)
        return Reading.SECOND, _after_second(given[-1].decision, decision)
    return _later(given, rater, decision, compares=compares)


def _after_second(first: str, second: str) -> LeftOpen:
    """Whoever is sure decides where the other is not; two who are sure must agree."""
    agreed = second != UNSURE and first in {second, UNSURE}
    return LeftOpen.NOTHING if agreed else LeftOpen.SETTLING


def _later(given: Sequence[Given], rater: int, decision: str, *, compares: bool) -> tuple[Reading, LeftOpen]:
    """A verdict after everything was decided, and seen: a change of mind, or another's view."""
    if any(verdict.reading == Reading.SETTLING for verdict in given):
        return Reading.SETTLING, LeftOpen.SETTLING if decision == UNSURE else LeftOpen.NOTHING
    raters = {verdict.rater for verdict in given}
    if decision == UNSURE:
        return Reading.LATER, LeftOpen.SECOND if raters == {rater} else LeftOpen.SETTLING
    if compares and len(raters) == 1 and rater not in raters:
        return Reading.LATER, _after_second(given[-1].decision, decision)
    return Reading.LATER, LeftOpen.NOTHING
