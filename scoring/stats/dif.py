"""Differential item functioning: prompts that are harder or easier for people than the item bank says.

Residual    r_ij = y_ij - E(y_ij | the person's other answers)      (`person_fit_abilities`, leave-item-out)
Item        d_j = mean_i r_ij,   v_j = s1^2 / n_j,   z_j = d_j / sqrt(v_j)
            s1^2 = sum e^2 / (pairs - people), what people's single responses share (`between_person`)
Spread      DIF SD by DerSimonian and Laird on (d_j, v_j); d_j^EB drawn to their mean (`dif_heterogeneity`)
Fit         phi = sum_j sum_i (r_ij - d_j)^2 / sum_j (1 - 1 / n_j) sum_i var_ij, var_ij of the assumed process

One variance for all responses, although they scatter less near the ends of the scale: weighted by var_ij the
spread would rest on prompts where shifts hardly show, and come out a tenth too small; and a z from it takes
what is rare there for a shift in half of all studies. The error of ability in r is left out: it adds 4 %.
phi compares what is found within prompts, where shifts of a prompt cancel, with the assumed process: it is 1
where that holds. With four or five responses to a prompt single items cannot be
tested (power 8 to 14 % at a DIF SD of 1 to 2): the list of the largest is for reading their content.

Sources: Lim, Choe and Han (2022) for residual DIF, `spread` being the analogue of its squared form;
DerSimonian and Laird (1986).
"""

from dataclasses import dataclass

import numpy as np

from scoring.stats.between_person import own_abilities
from scoring.stats.clusters import Array
from scoring.stats.cohort import Codes, Mask, Pairs
from scoring.stats.dif_heterogeneity import Heterogeneity, heterogeneity
from scoring.stats.person_fit_abilities import (
    expected_without_itself,
    likelihood_of,
    positions_of,
    prior_of,
    sums_of,
)
from scoring.stats.person_fit_reference import Reference

Z_95 = 1.96
SMALLEST_DISPERSION = 1e-6  # people who all answered alike leave no residual within prompts


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


@dataclass(frozen=True, eq=False)
class ItemDif:
    """Of each prompt with a pair, columns (J,): `prompt` is its position in the cohort, `n` its pairs.

    `v` is NaN where nobody has two pairs, and so is all that rests on it. `spread` is the mean squared
    residual over its variance under the assumed process: above 1, answers differ more than expected.
    """

    prompt: Codes
    n: Codes
    d: Array
    v: Array
    spread: Array
    shrunken: Array
    shrunken_se: Array
    between: Heterogeneity

    @property
    def z(self) -> Array:
        z: Array = np.divide(self.d, np.sqrt(self.v), out=np.full(len(self.d), np.nan), where=self.v > 0)
        return z

    @property
    def flagged(self) -> Mask:
        """Items at the 5 % point, one by one: 5 % of them where there is no DIF."""
        return np.abs(self.z) > Z_95

    def largest(self, number: int) -> Codes:
        """Places of the largest shrunken shifts, by size; ties by place.

        All are s^2 |d - D| / (s^2 + v) off the mean, so that the order holds for s = 0, too.
        """
        size = np.abs(self.d - self.between.mean) / (self.between.variance + self.v)
        order: Codes = np.argsort(-size, kind="stable")[:number]
        return order


def residuals_of(pairs: Pairs, reference: Reference) -> Residuals:
    """Leave-item-out residuals of pairs (n,), n >= 1."""
    present, of = positions_of(pairs.person)
    compact = Pairs(of, *(getattr(pairs, name) for name in list(pairs.__dataclass_fields__)[1:]))
    sums = sums_of(compact, reference, len(present))
    prior = prior_of(likelihood_of(sums.reached, sums.expected, sums.variance), reference.grid)
    found = expected_without_itself(compact, sums, prior, reference)
    r = pairs.y - found.mean
    dispersion = dispersion_within(r, found.variance, pairs.prompt)
    return Residuals(pairs, r, found.mean, dispersion * found.variance, dispersion)


def dispersion_within(r: Array, variance: Array, prompt: Codes) -> float:
    """Phi; 1 where no prompt has two answers."""
    _, of, n = np.unique(prompt, return_inverse=True, return_counts=True)
    centred = r - (np.bincount(of, r) / n)[of]
    assumed = float(((1 - 1 / n) * np.bincount(of, variance)).sum())
    if assumed <= 0:
        return 1.0
    return max(float(centred @ centred) / assumed, SMALLEST_DISPERSION)


def item_dif(residuals: Residuals) -> ItemDif:
    """Shifts of the prompts; where there are fewer than three, none is shrunken and the spread is unknown."""
    prompt, of, n = np.unique(residuals.pairs.prompt, return_inverse=True, return_counts=True)
    d, v = np.bincount(of, residuals.r) / n, own_abilities(residuals.pairs).s1_squared / n
    between = heterogeneity(d, v)
    shrunken, se = between.shrunken(d, v)
    spread = np.bincount(of, residuals.r**2) / np.bincount(of, residuals.variance)
    return ItemDif(prompt, n, d, v, spread, shrunken, se, between)
