"""Shares of simulated studies in which a 95 % interval holds the true value, where that is not 95 %.

Source: measurement design, section 10 (DGP-R on the real bank, 9 to 195 people, target T2).
"""

from dataclasses import dataclass

from scoring.stats.standard_errors import FEW_CLUSTERS
from scoring.stats.standard_errors_table import FEW_BATCHES


@dataclass(frozen=True)
class Coverage:
    """The lowest and the highest share over the designs that were simulated."""

    low: float
    high: float


AS_PUBLISHED = Coverage(0.45, 0.89)  # theta.prompt, analytic
BY_PEOPLE = Coverage(0.91, 0.96)
BY_FEW_BATCHES = Coverage(0.94, 0.95)
TWO_WAY_OF_FEW_BATCHES = Coverage(0.92, 0.97)
OF_CATEGORIES = {
    "se.participant": Coverage(0.88, 0.92),
    "se.batch": Coverage(0.91, 0.94),
    "se.twoway": Coverage(0.88, 0.94),  # not simulated there: what both others reach
}
OF_TOP = {"top.crossfit5": Coverage(0.85, 0.99), "top.eb": Coverage(0.79, 0.96)}


def coverage_of_average(error: str, *, batches: int, clusters: int) -> Coverage | None:
    """What to expect of the first interval over all prompts; None where it is 95 %."""
    if error == "se.participant":
        return BY_PEOPLE
    if error == "se.twoway" and batches < FEW_BATCHES:
        return TWO_WAY_OF_FEW_BATCHES
    return BY_FEW_BATCHES if error == "se.batch" and clusters < FEW_CLUSTERS else None
