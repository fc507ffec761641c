"""Person fit: whether somebody's answers follow the difficulty of the prompts. For review, never to exclude.

Personal correlation    r_i = cor_j(y_ij, -a_j b_j): low where hard prompts are answered like easy ones
Outfit                  Q^v_i = sum_j (y_ij - E_j(theta_i))^2 / V_j(theta_i), from `person_fit_reference`
Mahalanobis in parts    D_i^2 = Q_i + X_i,   Q_i = sum_j (y_ij - a_j (theta_i - b_j))^2 / s1^2 (misfit),
                        X_i = (theta_i - m)^2 / (t^2 + s1^2 / A_i) (extremity),  A_i = sum_j a_j^2

theta_i in Q^v is the posterior mean on the scale of the reference; in Q and X it is the published estimate.
s1^2 = sum e^2 / (pairs - people) is of the cohort, never of the calibration: single responses scatter by
almost twice its sigma_hat. r and Q^v are compared with simulated answers of the same person to the same
prompts at theta_i (`p_*`, Monte Carlo p-values: exact up to the assumed process, whatever the number of
replicates). They are never compared with chi^2: 98 % of fitting people would be flagged at 2.53.
Power with 20 prompts is moderate.

Sources: Ferrando et al. (2016) for r and the mean-squared residual; Sherman and Morrison for the two parts.
"""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from psychometrics.data.cohort import Codes, Mask, Pairs
from psychometrics.fit.abilities import Prior, Sums, likelihood_of, posterior_of, prior_of, sums_of
from psychometrics.fit.reference import Reference
from psychometrics.inference.between_person import own_abilities, paule_mandel
from psychometrics.irt.transform import Array

LEVEL = 0.05
MIN_PEOPLE = 2  # one person is as far from others as one likes
MIN_ANSWERS = 5  # with fewer a correlation says nothing
CELLS = 3_000_000  # of simulated answers: a few seconds
MIN_REPLICATES, MAX_REPLICATES = 39, 399  # the 5 % point is then the 2nd or 20th lowest of 40 or 400
CELLS_AT_ONCE = 200_000
CORRELATION_STEP = 0.05
OUTFIT_STEP = 0.1  # of log10 of the outfit per pair
OUTFIT_END = 2.0  # log10: a hundredth or a hundred times of what is expected
MAX_PLACES = 4  # decimals of a centre
MIN_SPREAD = 1e-9  # of sums of squares in logits^2: rounding errors of no variation at all


class Rows:
    """One pair or more of P people, in their order, and what is summed over each person's rows.

    `of` (n,) is each row's person among the P, `n` (P,) counts rows.
    """

    def __init__(self, pairs: Pairs) -> None:
        order = np.lexsort((pairs.prompt, pairs.person))
        self.pairs = pairs.of(order)
        found = np.unique(self.pairs.person, return_index=True, return_inverse=True, return_counts=True)
        self.person: Codes = found[0]  # (P,): their positions in the cohort
        self.starts, self.of, self.n = (column.astype(np.int64) for column in found[1:])
        difficulty = -self.pairs.a * self.pairs.b
        self.x = difficulty - (self.sums(difficulty) / self.n)[self.of]
        self.spread_of_x = np.sqrt(self.sums(self.x**2))

    def sums(self, columns: Array) -> Array:
        """Sums (…, P) over the rows of each person of columns (…, n)."""
        return np.add.reduceat(columns, self.starts, axis=-1)

    def correlations(self, y: Array) -> Array:
        """Personal correlations (…, P) of answers y (…, n); NaN where x or y does not vary."""
        centred = y - (self.sums(y) / self.n)[..., self.of]
        spread = self.spread_of_x * np.sqrt(self.sums(centred**2))
        varies = spread > MIN_SPREAD
        return np.where(varies, self.sums(self.x * centred) / np.where(varies, spread, 1), np.nan)

    def outfits(self, y: Array, theta: Array, reference: Reference) -> Array:
        """Q^v (…, P) of answers y (…, n) at abilities theta (…, P)."""
        expected, variance = reference.at(theta[..., self.of], np.broadcast_to(self.pairs.prompt, y.shape))
        return self.sums((y - expected) ** 2 / variance)


@dataclass(frozen=True, eq=False)
class PersonFit:
    """Of each person with a pair, columns (P,): `person` is the position in the cohort, `n` the pairs.

    `correlation` is NaN where all answers have one score; there the p-value takes it as 0, in the simulated
    answers, too. Everything but `n`, `theta`, `misfit` and `extremity` is NaN below MIN_ANSWERS.
    """

    person: Codes
    n: Codes
    theta: Array
    correlation: Array
    outfit: Array
    p_correlation: Array
    p_outfit: Array
    misfit: Array
    extremity: Array
    residual_sd: float
    prior: Prior
    replicates: int

    @cached_property
    def measurable(self) -> Mask:
        return self.n >= MIN_ANSWERS

    @property
    def low_correlation(self) -> Mask:
        return self.measurable & (self.p_correlation <= LEVEL)

    @property
    def high_outfit(self) -> Mask:
        return self.measurable & (self.p_outfit <= LEVEL)


def person_fit(pairs: Pairs, reference: Reference, rng: np.random.Generator) -> PersonFit:
    """Fit of every person, from pairs (n,), n >= 1, compared with answers simulated from `reference`."""
    rows = Rows(pairs)
    sums = sums_of(replace(rows.pairs, person=rows.of), reference, len(rows.n))
    prior = prior_of(likelihood_of(sums), reference.grid)
    theta = abilities(rows, sums, prior, reference, rows.pairs.y)
    correlation, outfit = rows.correlations(rows.pairs.y), rows.outfits(rows.pairs.y, theta, reference)
    replicates = int(np.clip(CELLS // len(pairs), MIN_REPLICATES, MAX_REPLICATES))
    lower, higher = np.zeros(len(rows.n)), np.zeros(len(rows.n))
    at_once = max(1, CELLS_AT_ONCE // len(pairs))
    for start in range(0, replicates, at_once):
        shape = (min(at_once, replicates - start), len(pairs))
        items = np.broadcast_to(rows.pairs.prompt, shape)
        y = reference.draw(np.broadcast_to(theta[rows.of], shape), items, rng)
        simulated = abilities(rows, sums, prior, reference, y)
        lower += (compared(rows.correlations(y)) <= compared(correlation)).sum(axis=0)
        higher += (rows.outfits(y, simulated, reference) >= outfit).sum(axis=0)
    misfit, extremity, residual_sd = mahalanobis_parts(rows)
    enough = rows.n >= MIN_ANSWERS
    correlation, outfit, p_correlation, p_outfit = (
        np.where(enough, column, np.nan)
        for column in (correlation, outfit, (1 + lower) / (1 + replicates), (1 + higher) / (1 + replicates))
    )
    return PersonFit(
        rows.person, rows.n, theta, correlation, outfit, p_correlation, p_outfit, misfit, extremity,
        residual_sd, prior, replicates,
    )  # fmt: skip


def compared(correlation: Array) -> Array:
    """Answers that are all alike follow no difficulty: their undefined correlation is held as 0."""
    return np.nan_to_num(correlation, nan=0.0)


def abilities(rows: Rows, sums: Sums, prior: Prior, reference: Reference, y: Array) -> Array:
    """Posterior means (…, P) from answers y (…, n)."""
    reached = np.atleast_2d(rows.sums(rows.pairs.a * y))
    means = [
        posterior_of(likelihood_of(replace(sums, reached=own)), prior) @ reference.grid for own in reached
    ]
    return np.stack(means).reshape((*y.shape[:-1], len(rows.n)))


def mahalanobis_parts(rows: Rows) -> tuple[Array, Array, float]:
    """Misfit Q (P,), extremity X (P,) and s1; NaN where nobody has two answers or no residual is left.

    Extremity needs two people.
    """
    own = own_abilities(rows.pairs)
    nothing = np.full(len(own.theta), np.nan)
    if not own.s1_squared > 0:
        return nothing, nothing, np.nan
    e = rows.pairs.z - rows.pairs.a * own.theta[rows.of]
    misfit = rows.sums(e**2) / own.s1_squared
    if len(own.theta) < MIN_PEOPLE:
        return misfit, nothing, own.s1_squared**0.5
    people = paule_mandel(own.theta, own.variance)
    extremity = (own.theta - people.mean) ** 2 / (people.variance + own.variance)
    return misfit, extremity, own.s1_squared**0.5


@dataclass(frozen=True)
class Cell:
    """People with about this correlation and this outfit per pair, by whether one of the two is flagged.

    What a figure of many people needs, and nobody's own row. Cells are CORRELATION_STEP wide and OUTFIT_STEP
    of a power of ten high. Each is named by its centre; what lies beyond the ends counts in the outermost.
    """

    correlation: float
    outfit: float
    fitting: int
    flagged: int


def fit_grid(fit: PersonFit) -> list[Cell]:
    """The cells that somebody is in, by correlation, then outfit.

    People without a correlation or an outfit have no cell.
    """
    placed = np.isfinite(fit.correlation) & np.isfinite(fit.outfit)
    across = _centres(fit.correlation[placed], CORRELATION_STEP, 1.0)
    per_pair = np.maximum(fit.outfit[placed] / fit.n[placed], 10**-OUTFIT_END)
    upwards = _centres(np.log10(per_pair), OUTFIT_STEP, OUTFIT_END)
    flagged = (fit.low_correlation | fit.high_outfit)[placed]
    cells, of = np.unique(np.stack([across, upwards], axis=1), axis=0, return_inverse=True)
    people, found = (np.bincount(of.ravel(), weights, len(cells)) for weights in (None, flagged))
    return [
        Cell(float(r), round(float(10**log), MAX_PLACES), int(n - n_flagged), int(n_flagged))
        for (r, log), n, n_flagged in zip(cells, people, found, strict=True)
    ]


def _centres(values: Array, step: float, end: float) -> Array:
    """The centre of each value's cell between -end and end."""
    last = round(2 * end / step) - 1
    place = np.clip(np.floor((values + end) / step), 0, last)
    return np.round((place + 0.5) * step - end, MAX_PLACES)
