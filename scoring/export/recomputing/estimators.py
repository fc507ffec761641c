"""Thetas and their errors: the formulas of the documentation, written once more."""

import math
from dataclasses import dataclass
from functools import cache

import numpy as np

from scoring.export.recomputing.reading import TINY, Z_95, Array, Rows, Run, Values


@dataclass(frozen=True, eq=False)
class Root:
    """A theta as the root of a sum: its summands at the root and minus the slope."""

    theta: float
    summands: Array
    slope: float


def codes_of(labels: Array) -> tuple[Array, int]:
    found, codes = np.unique(labels, return_inverse=True)
    return codes.reshape(-1), len(found)


def pooled(run: Run, rows: Rows) -> Root:
    a, slope = rows.a, float(rows.a @ rows.a)
    z = run.logit(rows.p) + a * rows.b
    theta = float(a @ z) / slope if slope else math.nan
    return Root(theta, a * (z - a * theta), slope)


def quasi_theta(a: Array, b: Array, weight: Array, reached: float) -> float:
    """The root of sum a w / (1 + exp(-a (theta - b))) = reached, by halving; NaN where none is finite."""
    if not TINY * (a @ weight) < reached < (1 - TINY) * (a @ weight):
        return math.nan
    low, high = -1e3, 1e3
    for _ in range(200):
        theta = (low + high) / 2
        expected = float((a * weight) @ logistic(a * (theta - b)))
        low, high = (theta, high) if expected < reached else (low, theta)
    return (low + high) / 2


def logistic(x: Array) -> Array:
    return 1 / (1 + np.exp(-np.clip(x, -700, 700)))


def quasi(rows: Rows) -> Root:
    theta = quasi_theta(rows.a, rows.b, np.ones(len(rows)), float(rows.a @ rows.p))
    pi = logistic(rows.a * (theta - rows.b))
    return Root(theta, rows.a * (rows.p - pi), float((rows.a**2 * pi * (1 - pi)).sum()))


def prompt_means(rows: Rows) -> tuple[Array, Array, Array, Array]:
    """Parameters a and b, mean score and number of answers of each distinct prompt."""
    codes, number = codes_of(rows.prompt)
    count = np.bincount(codes, minlength=number)
    first = np.unique(codes, return_index=True)[1]
    return rows.a[first], rows.b[first], np.bincount(codes, rows.p, minlength=number) / count, count


def prompt_sums(run: Run, rows: Rows) -> tuple[Array, Array]:
    """Numerator and denominator of theta.prompt for each distinct prompt."""
    a, b, mean, _ = prompt_means(rows)
    return a * (run.logit(mean) + a * b), a**2


def by_prompt(run: Run, rows: Rows) -> float:
    above, below = prompt_sums(run, rows)
    return float(above.sum() / below.sum()) if below.sum() else math.nan


def by_prompt_without(run: Run, rows: Rows, codes: Array, number: int) -> Array:
    """theta.prompt without each group: only the prompts that a group answered change."""
    prompts, _ = codes_of(rows.prompt)
    above, below = prompt_sums(run, rows)
    counts, sums = np.bincount(prompts), np.bincount(prompts, rows.p)
    order = np.argsort(codes, kind="stable")
    parts = np.split(order, np.cumsum(np.bincount(codes, minlength=number))[:-1])
    first = np.unique(prompts, return_index=True)[1]
    a, b = rows.a[first], rows.b[first]
    found = np.full(number, math.nan)
    for group, own in enumerate(parts):
        touched, inverse = np.unique(prompts[own], return_inverse=True)
        left = counts[touched] - np.bincount(inverse)
        rest = sums[touched] - np.bincount(inverse, rows.p[own])
        still = left > 0
        y = run.logit(rest[still] / left[still])
        kept = touched[still]
        up = above.sum() - above[touched].sum() + (a[kept] * (y + a[kept] * b[kept])).sum()
        down = below.sum() - below[touched].sum() + (a[kept] ** 2).sum()
        if len(own) < len(rows):
            found[group] = up / down
    return found


def cluster_variance(root: Root, labels: Array) -> float:
    codes, number = codes_of(labels)
    if number < 2 or not root.slope:
        return math.nan
    sums = np.bincount(codes, root.summands, minlength=number)
    return number / (number - 1) * float(sums @ sums) / root.slope**2


def jackknife_variance(without: Array) -> float:
    number = len(without)
    return (number - 1) / number * float(((without - without.mean()) ** 2).sum()) if number > 1 else math.nan


@cache
def t_quantile(df: int) -> float:
    """The t that |T| exceeds with probability 0.05, from the finite series of Student's distribution."""
    low, high = 0.0, 13.0
    for _ in range(100):
        t = (low + high) / 2
        low, high = (t, high) if t_inside(t, df) < 0.95 else (low, t)
    return (low + high) / 2


def t_inside(t: float, df: int) -> float:
    """P(|T| < t) for whole degrees of freedom (Abramowitz and Stegun, 26.7.3 and 26.7.4)."""
    angle = math.atan(t / math.sqrt(df))
    square = math.cos(angle) ** 2
    if df % 2:
        terms, term = 0.0, math.cos(angle)
        for k in range(1, df - 1, 2):
            terms += term
            term *= square * (k + 1) / (k + 2)
        return 2 / math.pi * (angle + math.sin(angle) * terms)
    terms, term = 0.0, 1.0
    for k in range(0, df, 2):
        terms += term
        term *= square * (k + 1) / (k + 2)
    return math.sin(angle) * terms


def with_error(theta: float, variance: float, clusters: int) -> Values:
    if math.isnan(variance) or clusters < 2:
        return {"value": theta}
    se = math.sqrt(variance)
    half = t_quantile(clusters - 1) * se
    return {"value": theta, "se": se, "low": theta - half, "high": theta + half, "clusters": clusters}


def within(found: Values, least: float = 0.0, most: float = 100.0) -> Values:
    """Only the part of an interval that the number can have."""
    return found if "low" not in found else found | {
        "low": max(found["low"], least), "high": min(found["high"], most)
    }  # fmt: skip


def with_analytic(theta: float, information: float, sigma: float) -> Values:
    se = sigma / math.sqrt(information) if information else math.nan
    return {"value": theta, "se": se, "low": theta - Z_95 * se, "high": theta + Z_95 * se}


def sizes(rows: Rows) -> Values:
    return {"n": len(rows), "people": len(set(rows.person)), "prompts": len(set(rows.prompt))}


def clustered(run: Run, name: str, rows: Rows, labels: Array) -> Values:
    """One of the three thetas with its error by these clusters; theta.prompt is jackknifed."""
    codes, number = codes_of(labels)
    if not len(rows):
        return {}
    if name == "theta.prompt":
        variance = jackknife_variance(by_prompt_without(run, rows, codes, number))
        return with_error(by_prompt(run, rows), variance, number)
    root = pooled(run, rows) if name == "theta.pool" else quasi(rows)
    return with_error(root.theta, cluster_variance(root, labels), number)
