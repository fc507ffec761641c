"""Differential item functioning: prompts that are harder or easier for people than the item bank says.

Residual    r_ij = y_ij - E(y_ij | the person's other answers)      (`person_fit_abilities`, leave-item-out)
Item        d_j = mean_i r_ij,   v_j = s1^2 / n_j,   z_j = d_j / sqrt(v_j)
            s1^2 = sum e^2 / (pairs - people), what people's single responses share (`between_person`)
Spread      DIF SD by DerSimonian and Laird on (d_j, v_j); d_j^EB drawn to their mean (`dif_heterogeneity`)
Fit         phi = sum_j sum_i (r_ij - d_j)^2 / sum_j (1 - 1 / n_j) sum_i var_ij, var_ij of the process
Process     the SD of deviations at which phi = 1; between points of a grid r and var are linear

One variance for all responses, although they scatter less near the ends of the scale: weighted by var_ij the
spread would rest on prompts where shifts hardly show, and come out a tenth too small; and a z from it takes
what is rare there for a shift in half of all studies. The error of ability in r is left out: it adds 4 %.
phi compares what is found within prompts, where shifts of a prompt cancel, with the process. The larger the
deviations of person and prompt, the more answers to a prompt scatter, and the flatter they are expected to
run over difficulty: an SD taken for granted as 1.9 where it is 1.0 shows a slope in nearly every study
without DIF.

Fitted to the same answers are that SD, which a pair moves by -u / (d sum u / d SD), u = (r - d_j)^2 -
(1 - 1 / n_j) var, the judge's share of confidences at 1, and the distribution of abilities (`FittedPrior`).
All take up part of what residuals have in common. With them the slope's error is that of leaving out batches
and fitting anew; held for known it would be 7 to 20 % too large. Means of groups hardly depend on the first
two; with the abilities held for known their errors would be 3 % too large.

With four or five responses to a prompt single items cannot be tested (power 8 to 14 % at a DIF SD of 1 to 2):
the list of the largest is for reading their content.

Sources: Lim, Choe and Han (2022) for residual DIF, `spread` being the analogue of its squared form;
DerSimonian and Laird (1986).
"""

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from psychometrics.agreement.coefficients import ratio
from psychometrics.data.cohort import Codes, Mask, Pairs
from psychometrics.dif.heterogeneity import Heterogeneity, heterogeneity
from psychometrics.fit.abilities import (
    expected_without_itself,
    influence_on_prior,
    likelihood_of,
    prior_of,
    sums_of,
)
from psychometrics.fit.reference import ASSUMED, Reference
from psychometrics.inference.between_person import own_abilities
from psychometrics.inference.clusters import Array

Z_95 = 1.96
DEVIATIONS = tuple(0.25 * step for step in range(17))  # logits
MIN_REPEATS = 100  # answers beyond the first to their prompts; with fewer the SD is off by one or more
SHARE_STEP = 0.01  # of the share of confidences at 1, for what changes with it
MIN_DISPERSION = 1e-6  # people who all answered alike leave no residual within prompts


@dataclass(frozen=True, eq=False)
class Deviation:
    """The SD of deviations that belong to person and prompt (logits), and how it was come by.

    `rate` is what it changes by for one more of sum u, 0 where it is assumed or at an end of what is tried.
    Of each pair (n, 2), for the SD and for the share of confidences at 1: `change` of the residual for one
    more, and `influence` of the pair.
    """

    sd: float
    fitted: bool
    rate: float
    change: Array
    influence: Array


@dataclass(frozen=True, eq=False)
class FittedPrior:
    """How residuals rest on the distribution of abilities, which was fitted to the same pairs (n,).

    `change` (n, 2) is that of the residual for one more of each of its parameters, `variance_change` that of
    the variance of the process; `influence` (n, 2) is what the pair's person moves the parameters by.
    """

    person: Codes
    change: Array
    variance_change: Array
    influence: Array

    def moved(self, gradient: Array, used: Mask) -> Array:
        """What each of the used pairs (m,) moves a number by that changes by `gradient` (2,) for one more.

        Equal parts of what its person does.
        """
        _, of, n = np.unique(self.person[used], return_inverse=True, return_counts=True)
        return self.influence[used] @ gradient / n[of]


@dataclass(frozen=True, eq=False)
class Residuals:
    """Of each pair (n,): what it differs by from its expectation, and that difference's variance.

    `expected` is the expectation itself; `dispersion` is phi, by which the variance is multiplied already.
    """

    pairs: Pairs
    r: Array
    expected: Array
    variance: Array
    dispersion: float
    deviation: Deviation
    prior: FittedPrior


@dataclass(frozen=True, eq=False)
class ItemDif:
    """Of each prompt with a pair, columns (J,): `prompt` is its position in the cohort, `n` its pairs.

    `v` is NaN where nobody has two pairs, and so is all that rests on it. `spread` is the mean squared
    residual over its variance under the assumed process: above 1, answers differ more than expected. `z` is
    the one nearest to 0 of all processes that are possible.
    """

    prompt: Codes
    n: Codes
    d: Array
    v: Array
    spread: Array
    shrunken: Array
    shrunken_se: Array
    between: Heterogeneity
    z: Array

    @property
    def flagged(self) -> Mask:
        """Items at the 5 % point, one by one: 5 % of them where there is no DIF."""
        return np.abs(self.z) > Z_95

    def largest(self, number: int) -> Codes:
        """Places of the largest shrunken shifts, by size; ties by place.

        All are s^2 |d - D| / (s^2 + v) off the mean, so that the order holds for s = 0, too.
        """
        size = np.abs(self.d - self.between.mean) / (self.between.variance + self.v)
        return np.argsort(-size, kind="stable")[:number]


def fitted_residuals(
    pairs: Pairs, reference: Callable[[float, float], Reference], certainty: Array | None = None
) -> Residuals:
    """Leave-item-out residuals of pairs (n,), n >= 1, at the SD of deviations that the pairs tell.

    `reference` gives the tables of an SD and of so much less than the share of confidences at 1, which each
    pair moves by `certainty` (n,). Where too few prompts are answered twice the SD is assumed.
    """

    @cache
    def at(sd: float) -> Residuals:
        return residuals_of(pairs, reference(sd, 0.0))

    if len(pairs) - len(np.unique(pairs.prompt)) < MIN_REPEATS:
        near = found = at(ASSUMED.sigma_deviation)
    else:
        place = bisect_left(DEVIATIONS, -1.0, key=lambda sd: -at(sd).dispersion)
        near = at(DEVIATIONS[max(place - 1, 0)])
        found = _between(near, at(DEVIATIONS[place])) if 0 < place < len(DEVIATIONS) else near
        found = replace(found, deviation=replace(found.deviation, fitted=True))
    if certainty is None or not certainty.any():
        return found
    share = reference(near.deviation.sd, 0.0).responses.process.certain_share
    step = SHARE_STEP if share >= SHARE_STEP else -SHARE_STEP  # upwards where 0 is nearer
    # What residuals change by with the share of confidences at 1 is that of two shares at a near SD.
    less = residuals_of(pairs, reference(near.deviation.sd, step))
    change, influence = found.deviation.change.copy(), found.deviation.influence.copy()
    change[:, 1] = (near.r - less.r) / step
    beyond = (_sum_beyond(near) - _sum_beyond(less)) / step
    influence[:, 0] += found.deviation.rate * beyond * certainty
    influence[:, 1] = certainty
    return replace(found, deviation=replace(found.deviation, change=change, influence=influence))


def _between(low: Residuals, high: Residuals) -> Residuals:
    """Residuals at the SD where what is found within prompts is what is expected there."""
    pairs, step = low.pairs, high.deviation.sd - low.deviation.sd
    beyond = _sum_beyond(low)
    rate = step / (beyond - _sum_beyond(high))
    part = beyond * rate / step
    r, expected, variance, *by_prior = (
        (1 - part) * of_low + part * of_high
        for of_low, of_high in (
            (low.r, high.r), (low.expected, high.expected),
            (low.variance / low.dispersion, high.variance / high.dispersion),
            (low.prior.change, high.prior.change),
            (low.prior.variance_change, high.prior.variance_change),
            (low.prior.influence, high.prior.influence),
        )
    )  # fmt: skip
    dispersion = _dispersion_within(r, variance, pairs.prompt)
    prior = FittedPrior(pairs.person, *by_prior)
    moved = _beyond_expected(r, variance, pairs.prompt)
    centred, share = _within(r, pairs.prompt)
    # What the sum of `_beyond_expected` changes by (2,) for one more of each parameter of the prior.
    by_parameters = 2 * centred @ prior.change - share @ prior.variance_change
    moved += prior.moved(by_parameters, np.ones(len(r), dtype=bool))
    nothing = np.zeros(len(r))
    change = np.stack([(high.r - low.r) / step, nothing], axis=1)
    influence = np.stack([moved * rate, nothing], axis=1)
    deviation = Deviation(low.deviation.sd + part * step, True, rate, change, influence)
    return Residuals(pairs, r, expected, dispersion * variance, dispersion, deviation, prior)


def _sum_beyond(residuals: Residuals) -> float:
    variance = residuals.variance / residuals.dispersion
    return float(_beyond_expected(residuals.r, variance, residuals.pairs.prompt).sum())


def _beyond_expected(r: Array, variance: Array, prompt: Codes) -> Array:
    """Of each pair (n,): its squared residual within the prompt less what is expected of it."""
    centred, share = _within(r, prompt)
    return centred**2 - share * variance


def _within(r: Array, prompt: Codes) -> tuple[Array, Array]:
    """Residuals (n,) less the mean of their prompt, and what share of a variance that leaves."""
    _, of, n = np.unique(prompt, return_inverse=True, return_counts=True)
    return r - (np.bincount(of, r) / n)[of], (1 - 1 / n)[of]


def residuals_of(pairs: Pairs, reference: Reference) -> Residuals:
    """Leave-item-out residuals of pairs (n,), n >= 1, with the process of the tables."""
    present, of = np.unique(pairs.person, return_inverse=True)
    compact = replace(pairs, person=of)
    sums = sums_of(compact, reference, len(present))
    likelihood = likelihood_of(sums)
    prior = prior_of(likelihood, reference.grid)
    expected = expected_without_itself(compact, sums, prior, reference)
    r = pairs.y - expected.mean
    dispersion = _dispersion_within(r, expected.variance, pairs.prompt)
    nothing = np.zeros((len(pairs), 2))
    deviation = Deviation(reference.responses.process.sigma_deviation, False, 0.0, nothing, nothing)
    influence = influence_on_prior(likelihood, prior, reference.grid)
    fitted = FittedPrior(pairs.person, -expected.change, expected.variance_change, influence[of])
    return Residuals(pairs, r, expected.mean, dispersion * expected.variance, dispersion, deviation, fitted)


def _dispersion_within(r: Array, variance: Array, prompt: Codes) -> float:
    """Phi; 1 where no prompt has two answers."""
    centred, share = _within(r, prompt)
    assumed = float(share @ variance)
    if assumed <= 0:
        return 1.0
    return max(float(centred @ centred) / assumed, MIN_DISPERSION)


def item_dif(residuals: Residuals, others: Sequence[Residuals] = ()) -> ItemDif:
    """Shifts of the prompts; where there are fewer than three, none is shrunken and the spread is unknown.

    `others` are residuals of the same pairs under other processes that are possible.
    """
    prompt, of, n = np.unique(residuals.pairs.prompt, return_inverse=True, return_counts=True)
    d, v = np.bincount(of, residuals.r) / n, own_abilities(residuals.pairs).s1_squared / n
    of_all = np.stack([ratio(np.bincount(of, process.r) / n, np.sqrt(v)) for process in (residuals, *others)])
    same_side = (of_all > 0).all(axis=0) | (of_all < 0).all(axis=0) | np.isnan(of_all[0])
    z = np.where(same_side, np.sign(of_all[0]) * np.abs(of_all).min(axis=0), 0.0)
    between = heterogeneity(d, v)
    shrunken, se = between.shrunken(d, v)
    spread = np.bincount(of, residuals.r**2) / np.bincount(of, residuals.variance)
    return ItemDif(prompt, n, d, v, spread, shrunken, se, between, z)
