"""top.null: what top.paper would be if all people were equally able.

Scores are exchanged at random between the answers that are expected to be equally good: pairs are sorted by
a_j (theta - b_j) at the pooled theta and permuted among NEIGHBOURS in a row, over all people. Who answered
what stays as it was, and so does the distribution of scores at each difficulty, with its many 0 and 1; only
what a person's answers have in common is gone (t^2 = 0). The best K by raw mean are then chosen and scored as
in top.paper. The mean over the draws is the null reference.

Scores on prompts without item parameters choose people, too, and measure nobody: these are exchanged among
the people who answered the same prompt.

Residuals could not be exchanged directly: at a difficulty where nearly all scores are 1 most residuals would
lead outside the scale. What people who share a batch have in common beyond difficulty is exchanged away, too.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from psychometrics.data.cohort import Cohort, Pairs
from psychometrics.inference.clusters import ROUNDING, Array, Codes, cluster_codes
from psychometrics.inference.estimates import Estimate, Reason, without_interval
from psychometrics.inference.resampling import CELLS_AT_ONCE
from psychometrics.top.ranking import DECIMALS, code_ranks

NEIGHBOURS = 25
MAX_CELLS = 40_000_000  # draws times pairs: 200 draws of 200,000 pairs tell a mean to a tenth of its spread


def unplaced_rows(cohort: Cohort) -> Cohort:
    """The scored rows on prompts without item parameters."""
    return cohort.of_rows(~np.isnan(cohort.p) & ~cohort.known[cohort.prompt])


@dataclass(frozen=True, eq=False)
class NullReference:
    """Values (R,) of top.paper among equally able people."""

    drawn: Array

    @property
    def expected(self) -> Estimate:
        """The mean of the draws, with their standard deviation and the range of 95 % of them."""
        if np.ptp(self.drawn) <= ROUNDING * max(float(np.abs(self.drawn).max()), 1.0):
            return without_interval(float(self.drawn.mean()), Reason.NO_SPREAD)
        low, high = np.quantile(self.drawn, [0.025, 0.975])
        return Estimate(float(self.drawn.mean()), float(self.drawn.std(ddof=1)), float(low), float(high))

    def share_as_high(self, value: float) -> float:
        """How often equally able people would come as high, the study itself counted as one draw."""
        as_high = value - ROUNDING * max(abs(value), 1.0)  # sums in another order are equal but for rounding
        return (1 + int((self.drawn >= as_high).sum())) / (1 + len(self.drawn))


def null_reference(
    pairs: Pairs,
    codes: Sequence[str],
    size: int,
    draws: int,
    rng: np.random.Generator,
    unplaced: Cohort | None = None,
) -> NullReference:
    """`draws` values, fewer where the pairs are many; `codes` are those of all people, by number.

    `unplaced` are the rows of `unplaced_rows`. Needs `size` people with a score, and two draws. A draw whose
    chosen have no pair is left out.
    """
    pairs = pairs.of(np.argsort(pairs.person, kind="stable"))
    person, prompt, p = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64), np.zeros(0)
    if unplaced is not None:  # in the order of prompts, then people
        order = np.lexsort((unplaced.person, unplaced.prompt))
        person, prompt, p = unplaced.person[order], unplaced.prompt[order], unplaced.p[order]
    people, number = cluster_codes(np.concatenate([pairs.person, person]))
    ties = np.argsort(code_ranks([codes[i] for i in np.unique(np.append(pairs.person, person))]))
    of_pairs, of_unplaced = people[: len(pairs)], people[len(pairs) :]
    below = np.bincount(of_pairs, pairs.a**2, minlength=number)
    answers = np.bincount(people, minlength=number)
    draws = max(2, min(draws, MAX_CELLS // len(pairs)))
    values = []
    for source in exchanged(pairs, draws, rng):
        scores = _sums(pairs.p[source], of_pairs, number)
        if len(of_unplaced):
            # Of each row the row of the same prompt whose score it gets: rows are sorted by prompt.
            _, block = np.unique(prompt, return_inverse=True)
            within = np.argsort(block + rng.random((len(source), len(prompt))), axis=1)
            scores += _sums(p[within], of_unplaced, number)
        above = _sums(pairs.a * (pairs.y[source] + pairs.a * pairs.b), of_pairs, number)
        means = np.round(scores / answers, DECIMALS)[:, ties]
        chosen = ties[np.argsort(-means, axis=1, kind="stable")[:, :size]]
        weight = below[chosen].sum(axis=1)
        sums = np.take_along_axis(above, chosen, axis=1).sum(axis=1)
        values.append(sums[weight > 0] / weight[weight > 0])
    return NullReference(np.concatenate(values))


def exchanged(pairs: Pairs, draws: int, rng: np.random.Generator) -> Iterator[Codes]:
    """For each draw and pair the pair whose score it gets: blocks of rows (r, n), `draws` rows in all."""
    theta = float(pairs.a @ pairs.z) / float(pairs.a @ pairs.a)
    order = np.argsort(pairs.a * (theta - pairs.b), kind="stable")
    n = len(pairs)
    whole = n - n % NEIGHBOURS
    rows = max(1, CELLS_AT_ONCE // n)
    for start in range(0, draws, rows):
        r = min(rows, draws - start)
        blocks = np.broadcast_to(order[:whole].reshape(-1, NEIGHBOURS), (r, whole // NEIGHBOURS, NEIGHBOURS))
        rest = np.broadcast_to(order[whole:], (r, n - whole))
        source = np.empty((r, n), dtype=np.int64)
        source[:, order[:whole]] = rng.permuted(blocks, axis=2).reshape(r, whole)
        source[:, order[whole:]] = rng.permuted(rest, axis=1)
        yield source


def _sums(columns: Array, people: Codes, number: int) -> Array:
    """Sums (r, P) within people of rows (r, n)."""
    within = csr_array((np.ones(len(people)), (np.arange(len(people)), people)), (len(people), number))
    return np.asarray(columns @ within, dtype=np.float64)
