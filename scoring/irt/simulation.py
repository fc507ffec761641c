"""Simulate the scores of examinees with known abilities on a bank (GIM paper, equation 1).

Two response processes: `logit_normal_scores` is the paper's own model; `criterion_scores` is a rubric of n
criteria met independently, which with n = 1 is an exact answer. The second gives the whole and half scores
that real grading gives, at the price of agreeing with the model in its mean only.
"""

import numpy as np
from numpy.typing import NDArray

from scoring.irt.bank import ItemBank
from scoring.irt.transform import Array


def expected_logits(theta: Array, bank: ItemBank) -> Array:
    """a_j (theta_i - b_j) for I abilities (logits) and J items, shape (I, J)."""
    return bank.a * (theta[:, np.newaxis] - bank.b)


def logit_normal_scores(theta: Array, bank: ItemBank, *, sigma: float, rng: np.random.Generator) -> Array:
    """Scores (I, J) in [0, 1] from y = a (theta - b) + N(0, sigma^2), clipped where p would leave [0, 1]."""
    y = expected_logits(theta, bank)
    return bank.transform.to_score(y + sigma * rng.standard_normal(y.shape))


def criterion_scores(
    theta: Array, bank: ItemBank, *, criteria: NDArray[np.int64], rng: np.random.Generator
) -> Array:
    """Scores (I, J): the share met of each item's `criteria` (J,), all >= 1, each met with chance p_ij.

    p_ij is the score whose logit is a_j (theta_i - b_j).
    """
    chance = bank.transform.to_score(expected_logits(theta, bank))
    return rng.binomial(criteria, chance) / criteria
