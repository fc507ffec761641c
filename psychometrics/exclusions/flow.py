"""The way of a study's people from recruited to Top, in steps (after CONSORT: Schulz, Altman, Moher 2010).

Every step says how many people reach it and why the others do not. The counts come from stored facts that
were taken at different moments, so a remainder is named and never hidden: `OTHER` of the step before it.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

REJECTED, WAITING, NOT_STARTED = "rejected", "waiting", "not_started"
WITHDRAWN, ACTIVE, EXCLUDED, UNSCORED = "withdrawn", "active", "excluded", "without_score"
OTHER = "other"


@dataclass(frozen=True)
class FlowCounts:
    """People of a study; `excluded` by reason. `top` is 0 where fewer than its size have a score."""

    recruited: int
    approved: int
    rejected: int
    started: int
    active: int
    withdrawn: int
    ended: int
    excluded: Mapping[str, int]
    retained: int
    with_scores: int
    top: int


@dataclass(frozen=True)
class FlowStep:
    """A box of the diagram: how many are here, and how many of them do not go on, by reason."""

    key: str
    people: int
    leaving: Mapping[str, int]


def flow_steps(counts: FlowCounts) -> Iterator[FlowStep]:
    """The steps in their order. Top is part of those with a score, so nobody leaves before it."""
    excluded = {f"{EXCLUDED}:{reason}": people for reason, people in counts.excluded.items()}
    yield step("recruited", counts.recruited, counts.approved, {REJECTED: counts.rejected}, WAITING)
    yield step("approved", counts.approved, counts.started, {}, NOT_STARTED)
    yield step(
        "started", counts.started, counts.ended, {WITHDRAWN: counts.withdrawn, ACTIVE: counts.active}, OTHER
    )
    yield step("ended", counts.ended, counts.retained, excluded, OTHER)
    yield step("retained", counts.retained, counts.with_scores, {}, UNSCORED)
    yield FlowStep("with_scores", counts.with_scores, {})
    yield FlowStep("top", counts.top, {})


def step(key: str, people: int, going_on: int, leaving: Mapping[str, int], remainder: str) -> FlowStep:
    """A step whose remainder, people who neither go on nor leave for a named reason, has a name as well."""
    rest = people - going_on - sum(leaving.values())
    named = {**leaving, remainder: leaving.get(remainder, 0) + rest}
    return FlowStep(key, people, {reason: number for reason, number in named.items() if number})
