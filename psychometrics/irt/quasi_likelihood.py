"""Ability by quasi-likelihood, whatever the number of responses per prompt (fractional-logit 2PL).

Model       E p_k = pi_k(theta) = 1 / (1 + exp(-a_k (theta - b_k)))
Estimator   sum_k a_k (p_k - pi_k(theta)) = 0
Step        theta <- theta + g / h,  g = sum a (p - pi),  h = sum a^2 pi (1 - pi)

The equation is linear in p, so that mean scores of prompts, weighted by their number of responses, give the
same theta as the responses themselves, and no response weighs +-6.9 logits as in equation 2 of the GIM paper.
The scale is another one than that of theta by equation 2: compare theta_QL with theta_QL only.
Source: Papke and Wooldridge (1996) for the quasi-likelihood; the items are those of the calibrated bank.

g falls in theta, from sum a p to sum a p - sum a. There is one root unless all p are 0 or all are 1; then
there is no finite one, and theta is NaN. NaN scores and rows without item parameters contribute nothing.

What can be said where all p are 1 is a bound: the lower end of the exact two-sided 95 % interval, the ability
at which so many answers would all be right in one of forty cases, and likewise where all are 0:

    prod pi_k(low) = 0.025,      prod (1 - pi_k(high)) = 0.025

It takes answers as independent. No other estimator knows more: by equation 2 such scores are as many logits
away as the squeeze of the scores lets them be (6.9), whatever the ability.
Source: Clopper and Pearson (1934), here with a probability of each answer's own.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import brentq
from scipy.special import expit, log_expit, logit

from psychometrics.irt.transform import Array, ScoreOutOfRange

TOLERANCE = 1e-12  # logits
CLOSE = 1e-11  # of scores: what a root within the tolerance can be off by
AT_END = 1e-9  # of scores
TAIL = 0.025
MAX_STEPS = 200  # halving alone takes about 60 from the widest bracket of a bank


def theta_ql(a: ArrayLike, b: ArrayLike, p: ArrayLike) -> float:
    """Theta (logits) of one group's rows: a > 0, b, and scores p in [0, 1], all (n,); see `thetas_ql`."""
    p = np.asarray(p, dtype=np.float64)
    return float(thetas_ql(a, b, p, np.zeros(p.shape, dtype=np.int64), 1)[0])


def thetas_ql(
    a: ArrayLike,
    b: ArrayLike,
    p: ArrayLike,
    groups: NDArray[np.int64],
    number: int,
    times: ArrayLike = 1.0,
) -> Array:
    """Thetas (number,) in logits of rows (n,) that belong to groups 0 .. number - 1, in any order.

    Each row counts `times` (n,) over, so that the mean score of a prompt stands for its responses.
    NaN for a group with no scored row, with all scores 0, or with all scores 1. Raises ScoreOutOfRange.
    """
    a, b, p = (np.asarray(column, dtype=np.float64) for column in (a, b, p))
    if ((p < 0) | (p > 1)).any():
        raise ScoreOutOfRange("a score lies outside 0 to 1")
    w = a * np.asarray(times, dtype=np.float64)
    scored = ~(np.isnan(w) | np.isnan(b) | np.isnan(p)) & (w > 0)
    mass = np.bincount(groups[scored], w[scored], minlength=number)
    reached = np.bincount(groups[scored], (w * p)[scored], minlength=number)
    solvable = (reached > 0) & (reached < mass)
    theta = np.full(number, np.nan)
    if solvable.any():
        kept = scored & solvable[groups]
        places = np.cumsum(solvable) - 1
        start = logit(reached[solvable] / mass[solvable])
        theta[solvable] = _roots(a[kept], b[kept], p[kept], w[kept], places[groups[kept]], start)
    return theta


def bounds_ql(a: ArrayLike, b: ArrayLike, p: ArrayLike) -> tuple[float, float] | None:
    """Above which ability (logits) rows lie whose scores p (n,) are all 1, or below which, all 0; else None.

    The other of the two is NaN. Rows without a score or parameters, and no row at all, say nothing.
    """
    a, b, p = (np.asarray(column, dtype=np.float64) for column in (a, b, p))
    scored = ~(np.isnan(a) | np.isnan(b) | np.isnan(p))
    a, b, p = a[scored], b[scored], p[scored]
    if len(p) and (p >= 1 - AT_END).all():
        return _lower_bound(a, b), np.nan
    if len(p) and (p <= AT_END).all():
        return np.nan, -_lower_bound(a, -b)  # wrong answers to items are right ones to their mirror images
    return None


def _lower_bound(a: Array, b: Array) -> float:
    """Where the probability of right answers to all rows is TAIL: it rises in theta."""
    low, high = (float(end) for end in (min(b + logit(TAIL) / a), max(b + logit(TAIL ** (1 / len(a))) / a)))
    # A little beyond both, as these are rounded.
    return float(brentq(lambda theta: log_expit(a * (theta - b)).sum() - np.log(TAIL), low - 1, high + 1))


def weights_at(a: Array, b: Array, theta: ArrayLike) -> tuple[Array, Array]:
    """Expected scores pi (n,) and the information a^2 pi (1 - pi) (n,) of rows at theta (scalar or (n,))."""
    pi: Array = expit(a * (np.asarray(theta) - b))
    return pi, a**2 * pi * (1 - pi)


def quasi_residuals(p: Array, pi: Array) -> Array:
    """P - pi (n,); where scores are as expected, 0 and not what the root was rounded by."""
    e = p - pi
    residuals: Array = np.where(np.abs(e) > CLOSE, e, 0.0)
    return residuals


def _roots(a: Array, b: Array, p: Array, w: Array, groups: NDArray[np.int64], start: Array) -> Array:
    """The root of each group (G,) by Newton steps that stay in a bracket and halve it where they are slow.

    Rows weigh w, a times how often they count. `start` is the logit of the w-weighted mean score m. Where
    every pi is at most m, g is at least 0, and where every pi is at least m, at most 0: the root lies between
    the extremes of b + logit(m) / a.
    """
    number = len(start)
    edges = b + start[groups] / a
    low, high = np.full(number, np.inf), np.full(number, -np.inf)
    np.minimum.at(low, groups, edges)
    np.maximum.at(high, groups, edges)
    theta: Array = (low + high) / 2
    step = high - low
    for _ in range(MAX_STEPS):
        pi = expit(a * (theta[groups] - b))
        g = np.bincount(groups, w * (p - pi), minlength=number)
        h = np.bincount(groups, w * a * pi * (1 - pi), minlength=number)
        low, high = np.where(g > 0, theta, low), np.where(g < 0, theta, high)
        with np.errstate(divide="ignore", over="ignore", invalid="ignore"):  # h is 0 far from every item
            newton = theta + g / h
            fast = (newton >= low) & (newton <= high) & (np.abs(newton - theta) <= step / 2)
        after = np.where(fast, newton, (low + high) / 2)
        step, theta = np.abs(after - theta), after
        if step.max() <= TOLERANCE:
            break
    return theta
