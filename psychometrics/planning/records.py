"""What is found about a planned study, as plain values: for pages, which compute nothing with arrays."""

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from formats.canonical import JsonValue
from psychometrics.inference.estimates import Reason

NESTED, MATRIX = "nested", "matrix"  # kinds of design: `designs` says what they are
MAX_CHOSEN = 4000  # size of Top times studies; beyond it the interval of top.crossfit5 is not rehearsed


@dataclass(frozen=True, slots=True)
class Linkage:
    """How a design hangs together, over the prompts that somebody is asked.

    `fewest_people`: people of the prompt with fewest (minimum degree between people and prompts).
    `fewest_neighbours`: other prompts that the worst linked prompt shares a person with.
    """

    components: int
    fewest_people: int
    fewest_neighbours: int
    asked: int


@dataclass(frozen=True)
class Recovery:
    """How one estimator did over the studies. NaN where it has no such property or was never defined.

    `studies` counts those with an estimate, `undefined` the others by reason.
    """

    name: str
    mean: float
    truth: float
    bias: float
    spread: float
    mean_se: float
    coverage: float
    error: float
    studies: int
    undefined: Mapping[Reason, int]


@dataclass(frozen=True)
class SimulatedDesign:
    """All estimators, and the mean correlation of people's own theta with their true ability."""

    recoveries: tuple[Recovery, ...]
    correlation: float
    studies: int


@dataclass(frozen=True)
class Simulated:
    """What of a plan takes arrays: the linkage of both designs, and what a rehearsal recovers."""

    linkage: tuple[tuple[str, Linkage], ...] = ()
    rehearsed: SimulatedDesign | None = None

    def as_json(self) -> dict[str, JsonValue]:
        return as_json(self)

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> "Simulated":
        """The same again from what `as_json` gave."""
        linkage = tuple((name, Linkage(**found)) for name, found in stored["linkage"])
        found = stored["rehearsed"]
        if found is None:
            return cls(linkage)
        recoveries = []
        for own in found["recoveries"]:
            names = [field.name for field in fields(Recovery) if field.type is float]
            undefined = {Reason(name): studies for name, studies in own["undefined"].items()}
            numbers = {name: _number(own[name]) for name in names}
            recoveries.append(Recovery(**{**own, **numbers, "undefined": undefined}))
        correlation = _number(found["correlation"])
        return cls(linkage, SimulatedDesign(tuple(recoveries), correlation, found["studies"]))


def as_json(record: Any) -> dict[str, JsonValue]:
    """A record as JSON holds it; NaN is null."""
    return {name: _strict(value) for name, value in asdict(record).items()}


def _strict(value: object) -> JsonValue:
    if isinstance(value, dict):
        return {str(name): _strict(part) for name, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [_strict(part) for part in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if value is None or isinstance(value, (str, int)) else str(value)


def _number(stored: float | None) -> float:
    return math.nan if stored is None else stored
