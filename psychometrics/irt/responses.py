"""Simulate scores and single responses of examinees with known abilities: what is answered, before a fit.

Scores with normal errors on the logit scale are those of the GIM paper, equation 1.

DGP-R. The mean m_ij of a cell is set so that the score over five epochs has the expected logit

    E logit(0.998 pbar_5 + 0.001) = a_j (theta_i - b_j) + d_ij,      d_ij ~ N(0, 1.9^2),

as far as scores between 0 and 1 reach; d_ij belongs to the person and the item and stays the same in every
response. A response is a rubric of n_j criteria (36 % of the items exact, n = 1; else 3 to 9), of which a
beta-binomial number with mean m_ij and intraclass correlation 0.4 is met, times the judge's confidence (1 in
97 % of the responses, else 0.95). These are assumptions about how answers arise, not facts: they match the
published residual SD, R^2 and change from epoch to epoch (GIM paper, I.9).

The distribution of a mean of k responses is exact on a grid of met criteria times confidence, so the
inversion is a table of E logit against m, one line for each n.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaln, expit, gammaln

from psychometrics.irt.bank import ItemBank
from psychometrics.irt.transform import Array, Transform

Codes = NDArray[np.int64]

PUBLISHED_EPOCHS = 5
LOGIT_MEANS = np.linspace(-14, 14, 281)  # where E logit is tabulated, as logits of the mean
MAX_CRITERIA = 9
LEVELS = 20  # confidence in steps of 1/20, so that the scores of a rubric lie on a grid
TABLES_KEPT = 1000  # of one or two thousand numbers; processes fitted to studies are many
TARGETS = np.linspace(-60, 60, 1201)  # a (theta - b) of true abilities; beyond it nothing changes
NODES = 41


def expected_logits(theta: Array, bank: ItemBank) -> Array:
    """a_j (theta_i - b_j) for I abilities (logits) and J items, shape (I, J)."""
    return bank.a * (theta[:, np.newaxis] - bank.b)


def logit_normal_scores(theta: Array, bank: ItemBank, *, sigma: float, rng: np.random.Generator) -> Array:
    """Scores (I, J) in [0, 1] from y = a (theta - b) + N(0, sigma^2), clipped where p would leave [0, 1]."""
    y = expected_logits(theta, bank)
    return bank.transform.to_score(y + sigma * rng.standard_normal(y.shape))


@dataclass(frozen=True)
class ResponseProcess:
    """The assumptions of DGP-R. `uncertain_confidence` is that of the responses whose confidence is not 1.

    How far able examinees' scores fall with the number of responses averaged tells this value: uniform from
    0.7 to 0.95 it would be 0.07 too much at ability 2.5 and ten responses
    (benchmarks/measurement/k_effect.py).
    """

    sigma_deviation: float = 1.9
    icc: float = 0.4
    exact_share: float = 0.36
    fewest_criteria: int = 3
    most_criteria: int = MAX_CRITERIA
    certain_share: float = 0.97
    uncertain_confidence: float = 0.95  # a multiple of 1/20


@dataclass(frozen=True, eq=False)
class RubricResponses:
    """DGP-R on one bank: `criteria` (J,) is the number of criteria of each item."""

    bank: ItemBank
    criteria: Codes
    process: ResponseProcess

    def scores(self, theta: Array, items: Codes, person: Codes, rng: np.random.Generator) -> Array:
        """One score per row (n,): `person` are positions in `theta` (I,), `items` positions in the bank.

        Rows of one person on one item are separate responses with the same deviation.
        """
        cells, row = np.unique(person * len(self.bank) + items, return_inverse=True)
        who, which = cells // len(self.bank), cells % len(self.bank)
        target = self.bank.a[which] * (theta[who] - self.bank.b[which])
        means = self.cell_means(target, which, rng)
        return self.responses(means[row], items, rng)

    def epoch_scores(self, theta: Array, k: int, rng: np.random.Generator) -> Array:
        """Scores (I, J, k) of k responses of every examinee to every item."""
        items = np.broadcast_to(np.arange(len(self.bank)), (len(theta), len(self.bank)))
        means = self.cell_means(expected_logits(theta, self.bank), items, rng)
        return np.stack([self.responses(means, items, rng) for _ in range(k)], axis=2)

    def epoch_means(self, theta: Array, k: int, rng: np.random.Generator) -> Array:
        """Mean scores (I, J) over k responses, as models are scored over their epochs."""
        means: Array = self.epoch_scores(theta, k, rng).mean(axis=2)
        return means

    def cell_means(self, target: Array, items: Codes, rng: np.random.Generator) -> Array:
        """Expected rubric score of cells with a (theta - b) = `target`, each with a deviation of its own."""
        deviated = target + self.process.sigma_deviation * rng.standard_normal(target.shape)
        means = np.empty(target.shape)
        for n in np.unique(self.criteria):
            cells = self.criteria[items] == n
            table = _expected_logits_of_means(int(n), PUBLISHED_EPOCHS, self.process, self.bank.transform)
            means[cells] = np.interp(deviated[cells], table, LOGIT_MEANS)
        return expit(means)

    def responses(self, means: Array, items: Codes, rng: np.random.Generator) -> Array:
        """One response to each cell, shape of `means`."""
        n = self.criteria[items]
        spread = (1 - self.process.icc) / self.process.icc
        met = rng.binomial(n, rng.beta(means * spread, (1 - means) * spread)) / n
        uncertain = rng.random(means.shape) >= self.process.certain_share
        scores: Array = met * np.where(uncertain, self.process.uncertain_confidence, 1)
        return scores

    def true_ability(self, theta: Array, k: int = 1) -> Array:
        """theta* (I,): the expected score on the whole bank from k responses to each item (by default one).

        It is what the published scorer finds on average, so that a difference to it is not the scorer's own.
        """

        def logits(n: int) -> Array:
            return expected_logits_of_targets(n, k, self.process, self.bank.transform)

        a = self.bank.a
        ability: Array = (self._expected(theta, logits) + a * self.bank.b) @ a / (a @ a)
        return ability

    def expected_scores(self, theta: Array) -> Array:
        """Expected score (I, J) of a single response of every examinee to every item."""
        return self._expected(
            theta, lambda n: expected_scores_of_targets(n, self.process, self.bank.transform)
        )

    def _expected(self, theta: Array, table_of: Callable[[int], Array]) -> Array:
        """(I, J): what the table of an item's number of criteria has at a (theta - b)."""
        expected, target = np.empty((len(theta), len(self.bank))), expected_logits(theta, self.bank)
        for n in np.unique(self.criteria):
            cells = self.criteria == n
            expected[:, cells] = np.interp(target[:, cells], TARGETS, table_of(int(n)))
        return expected


def dgp_r_table(
    bank: ItemBank, rng: np.random.Generator, process: ResponseProcess = ResponseProcess()
) -> RubricResponses:
    """DGP-R on a bank, with a number of criteria drawn for each item."""
    rubric = rng.integers(process.fewest_criteria, process.most_criteria + 1, len(bank))
    exact = rng.random(len(bank)) < process.exact_share
    return RubricResponses(bank, np.where(exact, 1, rubric).astype(np.int64), process)


def _expected_logits_of_means(n: int, k: int, process: ResponseProcess, transform: Transform) -> Array:
    """E logit of the mean of k responses with n criteria, at each of LOGIT_MEANS (increasing)."""
    # Deviations play no part given the mean of a cell: one table for all their SDs.
    return _expected_logits_within(n, k, replace(process, sigma_deviation=0.0), transform)


@lru_cache(TABLES_KEPT)
def _expected_logits_within(n: int, k: int, process: ResponseProcess, transform: Transform) -> Array:
    distribution = _response_distribution(n, process)
    size = k * n * LEVELS + 1
    together = np.fft.irfft(np.fft.rfft(distribution, size, axis=1) ** k, size, axis=1)
    logits = transform.to_logit(np.arange(size) / (size - 1))
    expected: Array = np.clip(together, 0, None) @ logits
    return expected


@lru_cache(TABLES_KEPT)
def expected_logits_of_targets(n: int, k: int, process: ResponseProcess, transform: Transform) -> Array:
    """E logit of the mean of k responses at each of TARGETS, over the deviations of person and item."""
    means, weights = _means_of_targets(n, process, transform)
    expected = np.interp(means, LOGIT_MEANS, _expected_logits_of_means(n, k, process, transform))
    smoothed: Array = expected @ weights
    return smoothed


@lru_cache(TABLES_KEPT)
def expected_powers_of_targets(n: int, power: int, process: ResponseProcess, transform: Transform) -> Array:
    """E of a power of the logit of one response at each of TARGETS, over the deviations."""
    means, weights = _means_of_targets(n, process, transform)
    logits = transform.to_logit(np.arange(n * LEVELS + 1) / (n * LEVELS))
    powers = _response_distribution(n, process) @ logits**power
    smoothed: Array = np.interp(means, LOGIT_MEANS, powers) @ weights
    return smoothed


@lru_cache(TABLES_KEPT)
def expected_scores_of_targets(n: int, process: ResponseProcess, transform: Transform) -> Array:
    """E score of a response at each of TARGETS: met criteria times confidence, which are independent."""
    means, weights = _means_of_targets(n, process, transform)
    certain = process.certain_share
    confidence = certain + (1 - certain) * process.uncertain_confidence
    expected: Array = confidence * (expit(means) @ weights)
    return expected


@lru_cache(1)  # one number of criteria after the other, for several powers each
def _means_of_targets(n: int, process: ResponseProcess, transform: Transform) -> tuple[Array, Array]:
    """Logits of the means of a cell (targets, nodes) at deviations with these weights (nodes,)."""
    nodes, weights = _hermegauss()
    deviated = TARGETS[:, np.newaxis] + process.sigma_deviation * nodes
    table = _expected_logits_of_means(n, PUBLISHED_EPOCHS, process, transform)
    return np.interp(deviated, table, LOGIT_MEANS), weights / weights.sum()


@cache
def _hermegauss() -> tuple[Array, Array]:
    """Nodes and weights of Gauss and Hermite, each (NODES,)."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(NODES)
    return nodes, weights


@lru_cache(1)
def _response_distribution(n: int, process: ResponseProcess) -> Array:
    """Probabilities (means, n LEVELS + 1) of met criteria times steps of confidence."""
    mean = expit(LOGIT_MEANS)[:, np.newaxis]
    spread = (1 - process.icc) / process.icc
    alpha, beta = mean * spread, (1 - mean) * spread
    met = np.arange(n + 1)
    choose = gammaln(n + 1) - gammaln(met + 1) - gammaln(n - met + 1)
    count = np.exp(choose + betaln(met + alpha, n - met + beta) - betaln(alpha, beta))
    cells = np.zeros((len(mean), n * LEVELS + 1))
    cells[:, met * LEVELS] = process.certain_share * count
    cells[:, met * round(process.uncertain_confidence * LEVELS)] += (1 - process.certain_share) * count
    return cells
