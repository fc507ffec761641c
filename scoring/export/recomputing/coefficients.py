"""Coefficients of agreement as functions of sums over pairs of scores: one value for each of R samples."""

import math
from dataclasses import dataclass

import numpy as np

from scoring.export.recomputing.estimators import Root, cluster_variance, with_error
from scoring.export.recomputing.reading import TINY, Array, Values

MET, NEAR, DECIMALS = 0.5, 0.01, 9
FEWEST = 3  # pairs that a coefficient needs
COUNTED = [0, *range(8, 14)]  # columns of a table that count


@dataclass(frozen=True, eq=False)
class Table:
    """What is summed of each pair (n, 14), scores taken from their `centres` so that nothing cancels."""

    rows: Array
    centres: tuple[float, float, float]


def table_of(x: Array, y: Array) -> Table:
    """Of pairs of scores in [0, 1], which are rounded to nine decimals."""
    x, y = x.round(DECIMALS), y.round(DECIMALS)
    d = (y - x).round(DECIMALS)
    cx, cy, cd = (round(float(one.mean()), DECIMALS) if len(one) else 0.0 for one in (x, y, d))
    u, v, w = x - cx, y - cy, d - cd
    counts = [
        (x >= MET) & (y >= MET), x >= MET, y >= MET, np.abs(d) < NEAR, (x > 0) & (x < 1), (y > 0) & (y < 1),
    ]  # fmt: skip
    return Table(
        np.column_stack([np.ones(len(x)), u, v, w, u * u, v * v, w * w, u * v, *counts]), (cx, cy, cd)
    )


def statistics_of(totals: Array, centres: tuple[float, float, float]) -> Values:
    """Every statistic but Spearman's, arrays (R,), from sums (R, 14) over the rows of a table."""
    n, x, y, d, xx, yy, dd, xy, both, met_x, met_y, near, partial_x, partial_y = totals.T
    with np.errstate(divide="ignore", invalid="ignore"):  # a draw may hold no pair
        offset = centres[2] + d / n
        offset = np.where(np.abs(offset) > 1e-14, offset, 0.0)
        sxx, syy, sdd = (deviations(*of, n) for of in ((xx, x), (yy, y), (dd, d)))
        sd = np.sqrt(divided(sdd, n - 1))
        return {
            "mean_x": centres[0] + x / n, "mean_y": centres[1] + y / n, "offset": offset,
            "near_exact": near / n, "met_x": met_x / n, "met_y": met_y / n, "partial_x": partial_x / n,
            "partial_y": partial_y / n, "same_side": (n - met_x - met_y + 2 * both) / n,
            "sd_of_differences": sd, "lower_limit": offset - 1.96 * sd, "upper_limit": offset + 1.96 * sd,
            **{
                name: np.where(n < FEWEST, math.nan, value)
                for name, value in (
                    of_spreads(n, sxx, syy, xy - x * y / n, offset, sdd) | of_counts(n, both, met_x, met_y)
                ).items()
            },
        }  # fmt: skip


def deviations(squared: Array, summed: Array, n: Array) -> Array:
    """Sum of squared deviations; exactly 0 where only rounding is left."""
    found = squared - summed * summed / n
    return np.where(found > TINY * squared, found, 0.0)


def of_spreads(n: Array, sxx: Array, syy: Array, sxy: Array, offset: Array, sdd: Array) -> Values:
    """Correlation, concordance, ICC(2,1), proportional bias, and alpha of two judges for interval data."""
    total, squared = sxx + syy, n * offset**2
    of_rows, residual, judges = total / 2 + sxy, total / 2 - sxy, squared / 2 * (n - 1)
    half = np.where(of_rows / 2 > TINY * total, of_rows / 2, 0.0)
    return {
        "pearson": np.clip(divided(sxy, np.sqrt(sxx) * np.sqrt(syy)), -1, 1),
        "ccc": np.clip(divided(2 * sxy, total + squared), -1, 1),
        "icc": np.minimum(divided(of_rows - residual, of_rows + residual + 2 * (judges - residual) / n), 1),
        "slope": divided((syy - sxx) / 2, half),
        "alpha_interval": 1 - divided((offset**2 + sdd / n) * (2 * n - 1), 2 * (total + squared / 2)),
    }


def of_counts(n: Array, both: Array, met_x: Array, met_y: Array) -> Values:
    """Kappa, PABAK, AC1 and alpha of met or not."""
    agreed = n - met_x - met_y + 2 * both
    unlike = met_x * (n - met_y) + (n - met_x) * met_y
    mean = (met_x + met_y) / (2 * n)
    chance = 2 * mean * (1 - mean)
    return {
        "kappa": 1 - divided((n - agreed) * n, unlike),
        "pabak": 2 * agreed / n - 1,
        "ac1": divided(agreed / n - chance, 1 - chance),
        "alpha_nominal": 1 - divided((n - agreed) * (2 * n - 1), 2 * n * mean * (2 * n - 2 * n * mean)),
    }


def of_met(x: Array, y: Array, weights: Array) -> Values:
    """The same of pairs that are met or not, one value for each row of weights (R, n)."""
    return of_counts(*(weights @ one.astype(float) for one in (x | ~x, x & y, x, y)))


def divided(above: Array, below: Array) -> Array:
    """The quotient, NaN where nothing positive is below."""
    return np.divide(above, below, out=np.full(np.shape(below), math.nan), where=below > 0)


def sums_within(rows: Array, codes: Array, number: int) -> Array:
    """Sums (number, K) of rows (n, K) with these codes."""
    return np.stack([np.bincount(codes, column, minlength=number) for column in rows.T], axis=1)


class Ranked:
    """Pairs as distinct (x, y, cluster), for Spearman's rho of any draw of clusters."""

    def __init__(self, x: Array, y: Array, codes: Array) -> None:
        values = [np.unique(one.round(DECIMALS), return_inverse=True)[1].reshape(-1) for one in (x, y)]
        found, self.pairs = np.unique(np.stack([*values, codes]), axis=1, return_counts=True)
        self.x, self.y, self.cluster = found

    def rho(self, times: Array) -> float:
        """Rho with each cluster as often as `times` (G,) says."""
        weight = self.pairs * times[self.cluster]
        n = float(weight.sum())
        x, y = (mid_ranks(one, weight) - n / 2 for one in (self.x, self.y))
        sxx, syy = float((weight * x * x).sum()), float((weight * y * y).sum())
        if n < FEWEST or min(sxx, syy) == 0:
            return math.nan
        return min(max(float((weight * x * y).sum()) / math.sqrt(sxx * syy), -1.0), 1.0)


def mid_ranks(codes: Array, weight: Array) -> Array:
    """The middle of the ranks of each value, less one half."""
    mass = np.bincount(codes, weight)
    ranks: Array = (np.cumsum(mass) - mass / 2)[codes]
    return ranks


def units_of(scores: Array, *, nominal: bool) -> Array:
    """What alpha sums of each unit (units, 5) with at least two scores: 1, scores, sum, squares, within."""
    scores = scores.round(DECIMALS)
    there = ~np.isnan(scores)
    values = np.where(there, scores >= MET, math.nan) if nominal else scores
    centre = round(float(values[there].mean()), DECIMALS) if there.any() else 0.0
    v, each = np.where(there, values - centre, 0.0), there.sum(axis=1)
    means = v.sum(axis=1) / each
    within = (np.where(there, v - means[:, None], 0) ** 2).sum(axis=1) * each / (each - 1)
    return np.column_stack([np.ones(len(v)), each, v.sum(axis=1), (v * v).sum(axis=1), within])


def alpha(totals: Array) -> Array:
    """Krippendorff's alpha (R,) from sums (R, 5) over units."""
    units, n, summed, squared, within = totals.T
    with np.errstate(divide="ignore", invalid="ignore"):
        everything = deviations(squared, summed, n)
        return np.where(units < FEWEST, math.nan, 1 - divided(within * (n - 1), n * everything))


def offset_error(x: Array, y: Array, clusters: Array) -> Values:
    """The mean difference with its error by clusters."""
    d = (y.round(DECIMALS) - x.round(DECIMALS)).round(DECIMALS)
    mean = float(d.mean())
    root = Root(mean, d - mean, float(len(d)))
    return with_error(mean, cluster_variance(root, clusters), len(set(clusters.tolist())))
