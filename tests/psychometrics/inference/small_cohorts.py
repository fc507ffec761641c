"""Cohorts of a few rows on a bank of their own."""

import math

import numpy as np

from psychometrics.data.cohort import Cohort, cohort_of
from psychometrics.data.places import AskedPrompt, Person
from psychometrics.irt.bank import ItemBank
from psychometrics.irt.transform import Transform

SQUEEZE = Transform(0.998, 0.001)
Row = tuple[int, int, int, float]


def cohort(rows: list[Row], a: list[float], b: list[float], people: int = 0) -> Cohort:
    """Rows of (person, prompt, batch, p), NaN for no answer."""
    number = max([people, *(row[0] + 1 for row in rows)])
    names = tuple(f"p{j}" for j in range(len(a)))
    bank = ItemBank(names, np.array(a), np.array(b), ("",) * len(a), SQUEEZE, 2.5)
    return cohort_of(
        people=[Person(f"c{i}") for i in range(number)],
        prompts=[AskedPrompt(name) for name in names],
        bank=bank,
        rows=[(i, j, batch, 1, p, p, "skipped" if math.isnan(p) else "scored") for i, j, batch, p in rows],
    )


def score(y: float) -> float:
    return float(SQUEEZE.to_score(np.array([y]))[0])
