"""Ability on a fixed item bank, in closed form (GIM paper, equation 2).

Model       y_ij = a_j (theta_i - b_j) + e_ij,   e_ij ~ N(0, sigma^2)
Estimator   theta = sum_j a_j (y_j + a_j b_j) / sum_j a_j^2
Precision   SE = sigma_hat / sqrt(sum_j a_j^2),   95 % interval theta +- 1.96 SE

Sums run over what is scored. NaN is missing and contributes nothing; where nothing is scored, every
estimate is NaN, never 0. The SE is the published analytic one: it treats observations as independent.
On a bank of the logistic model, whose scale this estimator is not on, all abilities are NaN
(`psychometrics.irt.quasi_likelihood` has its own).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from psychometrics.irt.bank import ItemBank
from psychometrics.irt.transform import Array

Z_95 = 1.96
ROWS_AT_ONCE = 256  # 256 x 820 items is 1.7 MB per temporary: it stays in the processor's cache


@dataclass(frozen=True)
class Ability:
    """One ability in logits; `n` counts the scored observations."""

    theta: float
    se: float
    ci_low: float
    ci_high: float
    n: int


@dataclass(frozen=True, eq=False)
class Abilities:
    """Abilities of G groups, each array of shape (G,); `n` counts the scored items of each group."""

    theta: Array
    se: Array
    ci_low: Array
    ci_high: Array
    n: NDArray[np.int64]


@dataclass(frozen=True)
class GroupAbility:
    """A group of people on one bank, by prompt means (`theta`) and by pooled pairs (`theta_pool`).

    `theta` takes the mean score of each prompt before the logit, as models get it over their epochs;
    `theta_pool` lets every prompt-response pair be an observation. `raw_mean` is the mean score over the
    same pairs: those with a score, on prompts of the bank. `coverage` is scored prompts / items of the bank.
    """

    theta: float
    se: float
    ci_low: float
    ci_high: float
    theta_pool: float
    se_pool: float
    pairs: int
    prompts: int
    responses_per_prompt: float
    raw_mean: float
    coverage: float

    def __repr__(self) -> str:
        if np.isnan(self.theta) and not (np.isnan(self.ci_low) and np.isnan(self.ci_high)):
            bound = f"below {self.ci_high:.4g}" if np.isnan(self.ci_low) else f"above {self.ci_low:.4g}"
            return f"theta {bound}: all {self.pairs} responses to {self.prompts} prompts have one score"
        return (
            f"theta {self.theta:.4g} [{self.ci_low:.4g}, {self.ci_high:.4g}], pooled {self.theta_pool:.4g} "
            f"(se {self.se_pool:.4g}), {self.pairs} responses to {self.prompts} prompts"
        )


def ability_of(p: Array, items: NDArray[np.int64], bank: ItemBank) -> Ability:
    """Ability from scores `p` (n,) on the bank positions `items` (n,); a position may occur repeatedly.

    Raises ScoreOutOfRange for a score outside [0, 1] and IndexError for a position outside the bank.
    """
    if items.size and (items.min() < 0 or items.max() >= len(bank)):
        raise IndexError(f"item positions must be between 0 and {len(bank) - 1}")
    y = bank.transform.to_logit(p)
    scored = ~np.isnan(y)
    a, b, y = bank.a[items][scored], bank.b[items][scored], y[scored]
    information = float(a @ a)
    if information == 0 or bank.is_logistic:
        return Ability(np.nan, np.nan, np.nan, np.nan, n=len(y))
    theta = float(a @ (y + a * b)) / information
    se = bank.sigma_hat / information**0.5
    return Ability(theta, se, theta - Z_95 * se, theta + Z_95 * se, n=len(y))


def abilities_of(p: Array, bank: ItemBank) -> Abilities:
    """Abilities of G groups at once from scores `p` (G x J, columns in bank order, NaN = missing)."""
    if p.ndim != 2 or p.shape[1] != len(bank):
        raise ValueError(f"scores have shape {p.shape}; expected (groups, {len(bank)}), one column per item")
    theta, information = np.empty(len(p)), np.empty(len(p))
    n = np.empty(len(p), dtype=np.int64)
    for start in range(0, len(p), ROWS_AT_ONCE):
        rows = slice(start, start + ROWS_AT_ONCE)
        y = bank.transform.to_logit(p[rows])
        scored = ~np.isnan(y)
        information[rows] = scored.astype(np.float64) @ bank.a**2
        theta[rows] = np.where(scored, y + bank.a * bank.b, 0) @ bank.a
        n[rows] = scored.sum(axis=1)
    information[(information == 0) | bank.is_logistic] = np.nan
    theta /= information
    se = bank.sigma_hat / np.sqrt(information)
    return Abilities(theta, se, theta - Z_95 * se, theta + Z_95 * se, n)


def group_ability(prompt_index: NDArray[np.int64], p: Array, bank: ItemBank) -> GroupAbility:
    """Score one group from its prompt-response pairs.

    `prompt_index` (n,) is the bank position of each pair's prompt, negative where the bank does not hold the
    prompt; `p` (n,) its score, NaN where missing. Such pairs contribute nothing.
    """
    counted = (prompt_index >= 0) & ~np.isnan(p)
    items, scores = prompt_index[counted], p[counted]
    pooled = ability_of(scores, items, bank)
    responses = np.bincount(items, minlength=len(bank))
    seen = np.flatnonzero(responses)
    totals = np.bincount(items, weights=scores, minlength=len(bank))
    by_prompt = ability_of(totals[seen] / responses[seen], seen, bank)
    return GroupAbility(
        theta=by_prompt.theta,
        se=by_prompt.se,
        ci_low=by_prompt.ci_low,
        ci_high=by_prompt.ci_high,
        theta_pool=pooled.theta,
        se_pool=pooled.se,
        pairs=pooled.n,
        prompts=by_prompt.n,
        responses_per_prompt=pooled.n / by_prompt.n if by_prompt.n else np.nan,
        raw_mean=float(scores.mean()) if len(scores) else np.nan,
        coverage=by_prompt.n / len(bank) if len(bank) else np.nan,
    )
