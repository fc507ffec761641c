"""top.null: what top.paper would be if all people were equally able.

Scores are exchanged at random between the answers that are expected to be equally good: pairs are sorted by
a_j (theta - b_j) at the pooled theta and permuted among NEIGHBOURS in a row, over all people. Who answered
what stays as it was, and so does the distribution of scores at each difficulty, with its many 0 and 1; only
what a person's answers have in common is gone (t^2 = 0). The best K by raw mean are then chosen and scored as
in top.paper. The mean over the draws is the null reference.

Residuals could not be exchanged directly: at a difficulty where nearly all scores are 1 most residuals would
lead outside the scale. What people who share a batch have in common beyond difficulty is exchanged away, too.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from scoring.stats.clusters import ROUNDING, Array, Codes, cluster_codes
from scoring.stats.cohort import Pairs
from scoring.stats.estimates import Estimate, Reason, without_interval
from scoring.stats.resampling import CELLS_AT_ONCE
from scoring.stats.top_ranking import DECIMALS, code_ranks

NEIGHBOURS = 25
MOST_CELLS = 40_000_000  # draws times pairs: 200 draws of 200,000 pairs tell a mean to a tenth of its spread


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
    pairs: Pairs, codes: Sequence[str], size: int, draws: int, rng: np.random.Generator
) -> NullReference:
    """`draws` values, fewer where the pairs are many; `codes` are those of all people, by number.

    Needs `size` people with pairs, and two draws.
    """
    pairs = _by_person(pairs)
    people, number = cluster_codes(pairs.person)
    ties = np.argsort(code_ranks([codes[i] for i in np.unique(pairs.person)]))
    starts = np.searchsorted(people, np.arange(number))
    draws = max(2, min(draws, MOST_CELLS // len(pairs)))
    values = [_top_theta(pairs, row, starts, ties, size) for row in exchanged(pairs, draws, rng)]
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


def _by_person(pairs: Pairs) -> Pairs:
    order = np.argsort(pairs.person, kind="stable")
    return Pairs(*(getattr(pairs, name)[order] for name in Pairs.__dataclass_fields__))


def _top_theta(pairs: Pairs, source: Codes, starts: Codes, ties: Codes, size: int) -> Array:
    """top.paper of each row of exchanged scores (r, n); pairs sorted by person, `ties` the people by code."""
    answers = np.diff(np.append(starts, len(pairs)))
    means = np.add.reduceat(pairs.p[source], starts, axis=1) / answers
    z = pairs.y[source] + pairs.a * pairs.b
    above = np.add.reduceat(pairs.a * z, starts, axis=1)
    below = np.add.reduceat(pairs.a**2, starts)
    best = np.argsort(-np.round(means[:, ties], DECIMALS), axis=1, kind="stable")[:, :size]
    chosen = ties[best]
    theta: Array = np.take_along_axis(above, chosen, axis=1).sum(axis=1) / below[chosen].sum(axis=1)
    return theta
