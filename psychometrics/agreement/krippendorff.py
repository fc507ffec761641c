"""Krippendorff's alpha for any number of judges, missing scores allowed, with a bootstrap over clusters.

Over units u with m_u >= 2 scores v_ui, n = sum_u m_u of them in all:

    alpha = 1 - Do / De
    Do    = (1 / n) sum_u sum_{i != j} delta(v_ui, v_uj) / (m_u - 1)
    De    = (1 / (n (n - 1))) sum over all ordered pairs of the n scores of delta(v, v')

delta is (v - v')^2 for interval data, 1 for different and 0 for equal categories (nominal). A unit with one
score takes part in neither. Squared differences over all pairs are sums of squares and nominal ones follow
from counts, so that no pair is ever formed: O(units x judges) and, nominal, a sort of the scores.
Source: Krippendorff (2011), Computing Krippendorff's alpha-reliability; Hayes and Krippendorff (2007).
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from psychometrics.agreement.coefficients import ratio
from psychometrics.agreement.paired import ScoresRefused, refuse_scores_out_of_range
from psychometrics.agreement.two_raters import DECIMALS, MET, MIN_PAIRS
from psychometrics.inference.clusters import ROUNDING, Array, cluster_codes, cluster_sums
from psychometrics.inference.estimates import Estimate, Reason, unknown
from psychometrics.inference.resampling import bootstrap_estimate, draws_of_clusters


@dataclass(frozen=True)
class PanelAgreement:
    """Alpha of a panel: `units` with at least two scores, `scores` in them, `single` and `empty` other units.

    `interval` is of the scores, `nominal` of met (>= 0.5) or not. `missing` counts absent scores per judge,
    over all units. `seed` and `resamples` reproduce the bootstrap (`panel_agreement_from_seed`).
    """

    interval: Estimate
    nominal: Estimate
    judges: int
    units: int
    scores: int
    single: int
    empty: int
    missing: tuple[int, ...]
    clusters: int
    seed: int
    resamples: int


def alpha_interval(values: ArrayLike) -> float:
    """Alpha of interval data (units, judges), NaN = missing; NaN below MIN_PAIRS units or if all equal."""
    columns = _unit_columns(_pairable_units(_unit_matrix(values)))
    return float(_alpha_of(columns.sum(axis=0, keepdims=True))[0])


def alpha_nominal(values: ArrayLike) -> float:
    """Alpha of categories given as numbers (units, judges), NaN = missing; NaN as for interval data."""
    values = _pairable_units(_unit_matrix(values))
    present = ~np.isnan(values)
    per_unit = present.sum(axis=1)
    n = int(per_unit.sum())
    category = np.unique(values[present], return_inverse=True)[1]
    agreeing_in_all = float((np.bincount(category).astype(np.float64) ** 2).sum())
    if len(values) < MIN_PAIRS or agreeing_in_all == n * n:
        return math.nan
    unit = np.nonzero(present)[0]
    cells, counts = np.unique(unit * (category.max() + 1) + category, return_counts=True)
    agreeing = np.bincount(cells // (category.max() + 1), counts.astype(np.float64) ** 2)
    observed = float(((per_unit**2 - agreeing) / (per_unit - 1)).sum())
    return 1 - observed * (n - 1) / (n * n - agreeing_in_all)


def _unit_columns(values: Array) -> Array:
    """Per unit, (units, 5): 1, number of scores, their sum, their squares, disagreement within the unit.

    Scores are taken from a centre near their mean, so that nothing cancels where they vary little.
    """
    present = ~np.isnan(values)
    n = present.sum(axis=1).astype(np.float64)
    centre = round(float(values[present].mean()), DECIMALS) if present.any() else 0.0
    v = np.where(present, values - centre, 0.0)
    summed, squared = v.sum(axis=1), (v * v).sum(axis=1)
    own_mean = np.where(present, v - (summed / n)[:, None], 0.0)
    within = 2 * n / (n - 1) * (own_mean * own_mean).sum(axis=1)
    return np.column_stack([np.ones(len(values)), n, summed, squared, within])


def _alpha_of(totals: Array) -> Array:
    """Alpha of R samples from totals (R, 5) of the unit columns; NaN below MIN_PAIRS units."""
    units, n, summed, squared, within = totals.T
    spread = squared - ratio(summed * summed, n)
    spread = np.where(spread > ROUNDING * squared, spread, 0.0)
    return 1 - ratio(within * (n - 1), 2 * n * spread, units >= MIN_PAIRS)


def _unit_matrix(values: ArrayLike) -> Array:
    """The values as (units, judges)."""
    matrix = np.asarray(values, dtype=np.float64)
    if matrix.ndim != 2:
        raise ScoresRefused(f"scores have shape {matrix.shape}; expected (units, judges)")
    return matrix


def _pairable_units(matrix: Array) -> Array:
    """The units with at least two values."""
    pairable: Array = matrix[(~np.isnan(matrix)).sum(axis=1) >= 2]
    return pairable


def panel_agreement_from_seed(
    scores: ArrayLike, clusters: ArrayLike, *, seed: int, resamples: int
) -> PanelAgreement:
    """Alpha of scores in [0, 1] (units, judges), NaN = missing, with a bootstrap over clusters (units,).

    Equal seeds give equal results.
    """
    matrix, labels = _unit_matrix(scores), np.asarray(clusters)
    refuse_scores_out_of_range(matrix)
    if labels.shape != (len(matrix),):
        raise ScoresRefused(f"{labels.shape} cluster labels for {len(matrix)} units; expected one per unit")
    per_unit = (~np.isnan(matrix)).sum(axis=1)
    pairable = per_unit >= 2
    rounded = matrix[pairable].round(DECIMALS)
    met = np.where(np.isnan(rounded), np.nan, rounded >= MET)
    codes, count = cluster_codes(labels[pairable])
    # Of categories 0 and 1 the squared difference is the nominal one.
    totals = [cluster_sums(_unit_columns(values), codes, count) for values in (rounded, met)]
    interval, nominal = _estimates(totals, np.random.default_rng(seed), resamples)
    return PanelAgreement(
        interval=interval,
        nominal=nominal,
        judges=matrix.shape[1],
        units=int(pairable.sum()),
        scores=int(per_unit[pairable].sum()),
        single=int((per_unit == 1).sum()),
        empty=int((per_unit == 0).sum()),
        missing=tuple(np.isnan(matrix).sum(axis=0).tolist()),
        clusters=count,
        seed=seed,
        resamples=resamples,
    )


def _estimates(totals: list[Array], rng: np.random.Generator, resamples: int) -> list[Estimate]:
    clusters, units = len(totals[0]), totals[0][:, 0].sum()
    if units < MIN_PAIRS:
        return [unknown(Reason.TOO_FEW_PAIRS if units else Reason.NO_PAIRS) for _ in totals]
    values = [float(_alpha_of(table.sum(axis=0, keepdims=True))[0]) for table in totals]
    drawn = draws_of_clusters(clusters, resamples, rng)
    blocks = [[_alpha_of(draws @ table) for table in totals] for draws in drawn]
    resampled = np.concatenate([np.zeros((len(totals), 0)), *blocks], axis=1)
    return [
        unknown(Reason.NO_VARIATION) if np.isnan(value) else bootstrap_estimate(value, own, clusters)
        for value, own in zip(values, resampled, strict=True)
    ]
