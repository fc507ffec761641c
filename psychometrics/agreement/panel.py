"""How far a whole panel of judges agrees: Krippendorff's alpha with a bootstrap over clusters."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from psychometrics.agreement.coefficients import MIN_PAIRS
from psychometrics.agreement.krippendorff import alpha_of, unit_columns, unit_matrix
from psychometrics.agreement.paired import DECIMALS, MET, ScoresRefused, refuse_scores_out_of_range
from psychometrics.inference.clusters import Array, cluster_codes, cluster_sums
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


def panel_agreement_from_seed(
    scores: ArrayLike, clusters: ArrayLike, *, seed: int, resamples: int
) -> PanelAgreement:
    """Alpha of scores in [0, 1] (units, judges), NaN = missing, with a bootstrap over clusters (units,).

    Equal seeds give equal results.
    """
    matrix, labels = unit_matrix(scores), np.asarray(clusters)
    refuse_scores_out_of_range(matrix)
    if labels.shape != (len(matrix),):
        raise ScoresRefused(f"{labels.shape} cluster labels for {len(matrix)} units; expected one per unit")
    per_unit = (~np.isnan(matrix)).sum(axis=1)
    pairable = per_unit >= 2
    rounded = matrix[pairable].round(DECIMALS)
    met = np.where(np.isnan(rounded), np.nan, rounded >= MET)
    codes, count = cluster_codes(labels[pairable])
    # Of categories 0 and 1 the squared difference is the nominal one.
    totals = [cluster_sums(unit_columns(values), codes, count) for values in (rounded, met)]
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
    values = [float(alpha_of(table.sum(axis=0, keepdims=True))[0]) for table in totals]
    drawn = draws_of_clusters(clusters, resamples, rng)
    blocks = [[alpha_of(draws @ table) for table in totals] for draws in drawn]
    resampled = np.concatenate([np.zeros((len(totals), 0)), *blocks], axis=1)
    return [
        unknown(Reason.NO_VARIATION) if np.isnan(value) else bootstrap_estimate(value, own, clusters)
        for value, own in zip(values, resampled, strict=True)
    ]
