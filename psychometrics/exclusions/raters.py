"""People whose exclusion two reviewers decided about."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class RatedTwice:
    """Whether two reviewers confirm the exclusion of the same person, in the order they first decided.

    The second reviewer could read what the first one decided.
    """

    participant: str
    first: bool
    second: bool


def rated_twice(decisions: Mapping[str, Mapping[int, bool]]) -> list[RatedTwice]:
    """The people two raters decided about; of more than two, the first two.

    `decisions` are those of each person by rater, raters in the order they decided.
    """
    pairs = ((code, list(own.values())[:2]) for code, own in sorted(decisions.items()))
    return [RatedTwice(code, *both) for code, both in pairs if len(both) == 2]
