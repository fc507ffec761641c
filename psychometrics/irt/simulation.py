"""Simulate the scores of examinees with known abilities on a bank (GIM paper, equation 1)."""

import numpy as np

from psychometrics.irt.bank import ItemBank
from psychometrics.irt.transform import Array


def expected_logits(theta: Array, bank: ItemBank) -> Array:
    """a_j (theta_i - b_j) for I abilities (logits) and J items, shape (I, J)."""
    return bank.a * (theta[:, np.newaxis] - bank.b)


def logit_normal_scores(theta: Array, bank: ItemBank, *, sigma: float, rng: np.random.Generator) -> Array:
    """Scores (I, J) in [0, 1] from y = a (theta - b) + N(0, sigma^2), clipped where p would leave [0, 1]."""
    y = expected_logits(theta, bank)
    return bank.transform.to_score(y + sigma * rng.standard_normal(y.shape))
