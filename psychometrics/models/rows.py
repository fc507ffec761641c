"""A model on a cohort's pairs as one weighted row per prompt: 200,000 pairs are 820 rows.

A model has one number per prompt, so that prompt j with n_j pairs is a row of weight n_j. For the pooled
estimate that is a row with sqrt(n) a and sqrt(n) y; theta_QL solves sum_j n_j a_j (p_j - pi_j) = 0.
"""

import math
from dataclasses import replace

import numpy as np
from scipy.optimize import brentq
from scipy.special import logit

from psychometrics.data.cohort import Pairs
from psychometrics.inference.clusters import Codes
from psychometrics.inference.estimates import Reason
from psychometrics.inference.standard_errors import Fit, pooled_fit
from psychometrics.irt.quasi_likelihood import weights_at
from psychometrics.irt.transform import Array

TOLERANCE = 1e-12  # logits


def first_rows(pairs: Pairs) -> tuple[Codes, Array]:
    """The place (R,) of one pair of each distinct prompt, and the number of pairs of that prompt."""
    n = np.bincount(pairs.prompt)
    place = np.zeros(len(n), dtype=np.int64)
    place[pairs.prompt] = np.arange(len(pairs))
    seen = np.flatnonzero(n)
    return place[seen], n[seen].astype(np.float64)


def rows_at(pairs: Pairs, places: Codes) -> Pairs:
    """The pairs at these places, in their order."""
    return Pairs(*(getattr(pairs, name)[places] for name in Pairs.__dataclass_fields__))


def weighted_pool(rows: Pairs, n: Array, y: Array) -> Fit:
    """Pooled theta of rows (R,) with logits y, each n times; one summand per row."""
    root = np.sqrt(n)
    return pooled_fit(replace(rows, a=root * rows.a, y=root * y))


def weighted_quasi(rows: Pairs, n: Array, p: Array) -> Fit:
    """theta_QL of rows (R,) with scores p, each n times; one summand per row."""
    mass, reached = float(n @ rows.a), float(n @ (rows.a * p))
    if not 0 < reached < mass:
        reason = Reason.NO_FINITE_SOLUTION if len(rows) else Reason.NOTHING_SCORED
        return Fit(math.nan, np.zeros(len(rows)), math.nan, reason)
    # Where every pi is the weighted mean score, the sum has one sign; see psychometrics.irt.quasi_likelihood.
    edges = rows.b + logit(reached / mass) / rows.a

    def g(theta: float) -> float:
        return float(n @ (rows.a * (p - weights_at(rows.a, rows.b, theta)[0])))

    theta = float(brentq(g, edges.min() - 1, edges.max() + 1, xtol=TOLERANCE))
    pi, information = weights_at(rows.a, rows.b, theta)
    return Fit(theta, n * rows.a * (p - pi), float(n @ information))


def mean_scores(pairs: Pairs, places: Codes, n: Array) -> Array:
    """The cohort's mean score (R,) on the prompts of `places`."""
    sums = np.bincount(pairs.prompt, pairs.p)
    return np.clip(sums[pairs.prompt[places]] / n, 0, 1)
