"""Quantiles of Student's t in plain Python, so that a page that plans a study loads no library.

With x = df / (df + t^2) the share of T that |T| does not exceed t is 1 - I_x(df / 2, 1 / 2), the regularised
incomplete beta function by its continued fraction (DLMF 8.17.22), on whichever side of the median of the
beta that converges. What Gamma((df + 1) / 2) / Gamma(df / 2) is comes from its series in 1 / df where df is
large (DLMF 5.11.13): a difference of logarithms would lose four digits there. The quantile is found by
Newton's method on the logarithms of t and of the smaller share: there the curve is nearly straight and bent
one way, so that it closes in from one side. It begins at the normal quantile, which is never further out.

The measurement has its own in `inference.clusters`, by scipy: numbers of studies that were measured stay as
they are, digit by digit. Both agree to 1e-12 (tests/psychometrics/planning/test_student_t.py).
"""

import math
from functools import lru_cache
from statistics import NormalDist

SERIES_FROM = 20.0  # of half the degrees of freedom; below it the gamma function itself is exact enough
TERMS, TINY, ALMOST = 10_000, 1e-300, 3e-16
STEPS, CLOSE = 100, 1e-9  # of the logarithm of t; the step after a small one is the square of it


@lru_cache(maxsize=4096)
def t_quantile(probability: float, df: int) -> float:
    """The t that |T| does not exceed with this probability, in (0, 1): 12.706 for 0.95 and one degree."""
    if not 0 < probability < 1 or df < 1:
        raise ValueError(f"no quantile of t for probability {probability} and {df} degrees of freedom")
    inside = probability < 0.5
    wanted = probability if inside else 1 - probability
    t = -NormalDist().inv_cdf((1 - probability) / 2)
    for _ in range(STEPS):
        within, beyond = _shares(t, df)
        found = within if inside else beyond
        step = math.log(wanted / found) * found / (2 * t * _density(t, df))
        t *= math.exp(step if inside else -step)
        if abs(step) < CLOSE:
            return t
    raise ArithmeticError(f"the quantile of t for {probability} and {df} degrees of freedom was not found")


def _shares(t: float, df: int) -> tuple[float, float]:
    """Of T, the share with |T| up to t, and the share beyond."""
    a, b, x, rest = df / 2, 0.5, df / (df + t * t), t * t / (df + t * t)
    edge = t * _density(t, df)  # x^a (1 - x)^b / B(a, b)
    if x < (a + 1) / (a + b + 2):
        beyond = edge * _fraction(a, b, x) / a
        return 1 - beyond, beyond
    within = edge * _fraction(b, a, rest) / b
    return within, 1 - within


def _density(t: float, df: int) -> float:
    """The density of T at t."""
    half = df / 2
    if half < SERIES_FROM:
        gammas = math.gamma(half + 0.5) / math.gamma(half)
    else:
        y = 1 / (half * half)
        series = -1 / 8 + y * (1 / 192 + y * (-1 / 640 + y * (17 / 14336 - y * 31 / 18432)))
        gammas = math.sqrt(half) * math.exp(series / half)
    return gammas / math.sqrt(df * math.pi) * math.exp(-(df + 1) / 2 * math.log1p(t * t / df))


def _fraction(a: float, b: float, x: float) -> float:
    """The continued fraction of the incomplete beta function, from the front (Lentz's method)."""
    c, d = 1.0, 1 / _not_zero(1 - (a + b) * x / (a + 1))
    found = d
    for m in range(1, TERMS):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for term in (even, odd):
            c, d = _not_zero(1 + term / c), 1 / _not_zero(1 + term * d)
            found *= c * d
        if abs(c * d - 1) < ALMOST:
            break
    return found


def _not_zero(value: float) -> float:
    return value if abs(value) > TINY else TINY
