"""Shares of simulated studies in which a 95 % interval holds what it is meant for, where that is not 95 %.

Of Average and of categories that is the value that repeating the study would average to, of Top the ability
of the people who were chosen. Question sets have 20 prompts in all of these studies, and ability is normal.
Source: benchmarks/measurement/first_intervals.py, figures in benchmarks/README.md (DGP-R on the real bank,
9 to 195 people, 1 to 41 batches, target T2); of Top the stated ranges of measurement design, section 10.
"""

from dataclasses import dataclass

from psychometrics.inference.estimates import FEW_CLUSTERS


@dataclass(frozen=True)
class Coverage:
    """The lowest and the highest share over the designs that were simulated."""

    low: float
    high: float


AS_PUBLISHED = Coverage(0.45, 0.90)  # theta.prompt, analytic, each prompt answered by few people
BY_PEOPLE = Coverage(0.89, 0.95)  # one batch, theta.ql and theta.pool: other prompts are not in it
BY_FEW_BATCHES = Coverage(0.94, 0.99)
OF_CATEGORIES = {
    "se.participant": Coverage(0.89, 0.93),
    "se.batch": Coverage(0.93, 0.99),
    "se.twoway": Coverage(0.98, 0.99),
}
OF_TOP = {"top.crossfit5": Coverage(0.85, 0.99), "top.eb": Coverage(0.79, 0.96)}
EB_WHERE_SKEWED = 0.33  # top.eb, 195 people of exponential ability


def coverage_of_average(error: str, *, batches: int) -> Coverage | None:
    """What to expect of the first interval over all prompts; None where it is 95 %."""
    if error == "se.participant":
        return BY_PEOPLE
    return BY_FEW_BATCHES if error == "se.batch" and batches < FEW_CLUSTERS else None
