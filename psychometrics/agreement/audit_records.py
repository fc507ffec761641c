"""What an audit says of a judge, as plain values: for pages, which compute no part of it with arrays."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from formats.canonical import JsonValue
from psychometrics.inference.estimates import Estimate, Reason, none_if_nan

MIN_COVERED = 0.95  # share of the verdicts whose strata are rated; below it, no estimate of all of them
STATISTICS = (
    "mean_human", "mean_judge", "offset", "sd_of_differences", "near_exact", "same_side", "kappa", "pabak",
    "ac1", "pearson", "ccc",
)  # fmt: skip
ENDS = ("value", "se", "low", "high")


@dataclass(frozen=True)
class AuditAgreement:
    """One judge beside people, by STATISTICS: on the items as they were drawn, and weighted to all verdicts.

    Judge less people. `pairs` carry both scores, of so many answers (`clusters`); `covered` is the share of
    the verdicts that the rated strata stand for.
    """

    pairs: int
    clusters: int
    covered: float
    weighted: Mapping[str, Estimate]
    sample: Mapping[str, Estimate]

    def statistics(self) -> Iterator[tuple[str, str, int, int | None, Estimate]]:
        """Of what, its name, the pairs, their clusters, and the estimate."""
        for name in STATISTICS:
            yield "all", name, self.pairs, None, self.weighted[name]
            yield "sample", name, self.pairs, self.clusters, self.sample[name]

    def as_json(self) -> dict[str, JsonValue]:
        """As JSON holds it; NaN is null."""
        return {
            "pairs": self.pairs,
            "clusters": self.clusters,
            "covered": none_if_nan(self.covered),
            "weighted": {name: _estimate_json(self.weighted[name]) for name in STATISTICS},
            "sample": {name: _estimate_json(self.sample[name]) for name in STATISTICS},
        }

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> "AuditAgreement":
        """The same again from what `as_json` gave."""
        weighted, sample = (
            {
                name: Estimate(
                    **{end: _number(own[name][end]) for end in ENDS},
                    reason=Reason(own[name]["reason"]) if own[name]["reason"] else None,
                )
                for name in STATISTICS
            }
            for own in (stored["weighted"], stored["sample"])
        )
        return cls(stored["pairs"], stored["clusters"], _number(stored["covered"]), weighted, sample)


def _estimate_json(estimate: Estimate) -> JsonValue:
    ends = {end: none_if_nan(getattr(estimate, end)) for end in ENDS}
    return {**ends, "reason": str(estimate.reason) if estimate.reason else None}


def _number(stored: float | None) -> float:
    return math.nan if stored is None else stored
