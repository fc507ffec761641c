"""top.crossfit: choose the best people on some of their answers, measure them on the others.

Everybody's pairs are dealt at random into F folds. In each fold f people are ranked by the raw mean of their
pairs outside f, ties by code; theta of the best K is that of their pairs in f. The estimate is the mean over
all folds and over S random splits. What chose a person has no part in measuring them, so that the estimate
has no winner's curse for the people it chooses: by (F - 1) / F of the answers, hence a little worse ones than
all answers would choose.

Interval: people are drawn with replacement and chosen anew in each draw. With splits kept, drawing changes
only how often each person stands in the fixed order of a fold. A draw is therefore walked down that order
until K are together; the last person may count in part of their copies. This is the bootstrap itself, not an
approximation, and costs what the walked part of the orders costs. It walks the first 8 splits only, and is
moved by what all splits differ from these: how widely draws scatter hardly depends on the number of splits,
where they scatter around does.

Too few answers: a person without a pair outside a fold cannot be chosen in it; one without a pair in it can,
and adds nothing. Folds whose chosen have no pair at all are left out of the mean.
Source: cross-fitting as in Chernozhukov et al. (2018). Why F = 5 and S = 100:
benchmarks/measurement/top_estimators.py.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from psychometrics.data.cohort import Pairs
from psychometrics.inference.clusters import ROUNDING, Array, Codes, cluster_codes
from psychometrics.inference.estimates import Estimate, Reason, unknown
from psychometrics.inference.resampling import bootstrap_estimate, draws_of_clusters
from psychometrics.top.ranking import DECIMALS, code_ranks

FOLDS, SPLITS = 5, 100
SPLITS_OF_DRAWS = 8


@dataclass(frozen=True, eq=False)
class Order:
    """The people who can be chosen in one fold, the best first; their sums in the fold, all (E,).

    `above` is sum a z and `below` sum a^2 over the pairs of each in the fold.
    """

    people: Codes
    above: Array
    below: Array


@dataclass(frozen=True, eq=False)
class Crossfit:
    """All orders of S splits into F folds of `people` people, of whom `short` have fewer than F pairs.

    The first `drawn` of the orders are those that the bootstrap walks. Estimates are `scale` times the mean
    of what the orders give, and resampled ones lie within `bounds`.
    """

    orders: tuple[Order, ...]
    people: int
    short: int
    drawn: int
    scale: float = 1.0
    bounds: tuple[float, float] = (-math.inf, math.inf)

    def estimates(self, sizes: Sequence[int], resamples: int, rng: np.random.Generator) -> list[Estimate]:
        """The estimate for each size of Top with the interval of the re-selecting bootstrap."""
        drawn = (draws.T for draws in draws_of_clusters(max(self.people, 1), resamples, rng))
        parts = [self.means(np.ascontiguousarray(draws), sizes, self.drawn) for draws in drawn]
        values = self.values(sizes)
        moved = values - self.means(np.ones((self.people, 1)), sizes, self.drawn)[:, 0]
        resampled = moved[:, np.newaxis] + np.concatenate([np.zeros((len(sizes), 0)), *parts], axis=1)
        resampled = np.clip(resampled, *self.bounds)
        estimates = []
        for size, value, own in zip(sizes, values, resampled, strict=True):
            if math.isnan(value):
                why = Reason.TOO_FEW_PEOPLE if size > self.people else Reason.TOO_FEW_PAIRS
                estimates.append(unknown(why))
            else:
                estimates.append(bootstrap_estimate(value, own, self.people))
        return estimates

    def values(self, sizes: Sequence[int]) -> list[float]:
        """The estimate for each size, NaN where there is none."""
        return [float(mean) for mean in self.means(np.ones((self.people, 1)), sizes)[:, 0]]

    def means(self, drawn: Array, sizes: Sequence[int], orders: int | None = None) -> Array:
        """Estimates (k, r) of k sizes where person i counts drawn[i, r] times in draw r.

        By the first `orders` only, where that is given.
        """
        total, defined = (np.zeros((len(sizes), drawn.shape[1])) for _ in range(2))
        for order in self.orders[:orders]:
            found = walked(order, drawn, sizes)
            known = ~np.isnan(found)
            total[known] += found[known]
            defined += known
        means = np.full(total.shape, np.nan)
        np.divide(self.scale * total, defined, out=means, where=defined > 0)
        return means


def crossfit(
    pairs: Pairs, codes: Sequence[str], rng: np.random.Generator, *, folds: int = FOLDS, splits: int = SPLITS
) -> Crossfit:
    """Deal the pairs `splits` times into `folds` and rank; `codes` are those of all people, by number."""
    people, number = cluster_codes(pairs.person)
    ties = code_ranks([codes[i] for i in np.unique(pairs.person)])
    columns = [np.ones(len(people)), pairs.p, pairs.a * pairs.z, pairs.a**2]
    orders = tuple(
        order
        for _ in range(splits)
        for order in _orders(columns, people, dealt(people, number, folds, rng), folds, ties)
    )
    short = int((np.bincount(people, minlength=number) < folds).sum())
    return Crossfit(orders, number, short, folds * SPLITS_OF_DRAWS)


def dealt(people: Codes, number: int, folds: int, rng: np.random.Generator) -> Codes:
    """A random fold (n,) for each row: for each of the people as evenly as their number of rows allows."""
    shuffled = np.argsort(rng.random(len(people)), kind="stable")
    order = shuffled[np.argsort(people.astype(np.min_scalar_type(number))[shuffled], kind="stable")]
    rows = np.bincount(people, minlength=number)
    first = np.repeat(rng.integers(0, folds, number) - (np.cumsum(rows) - rows), rows)
    fold = np.empty(len(people), dtype=np.int64)
    fold[order] = (np.arange(len(people)) + first) % folds
    return fold


def walked(order: Order, drawn: Array, sizes: Sequence[int]) -> Array:
    """Theta (k, r) of the first `size` copies in the order, for k sizes and r draws; NaN where undefined.

    So many people are walked down that the largest size is together in every draw. Copies are about Poisson:
    six standard deviations nearly always do, and else twice as many are walked.
    """
    largest = max(sizes)
    depth = largest + 6 * math.isqrt(largest) + 10
    while True:
        taken = drawn[order.people[:depth]]  # copies (d, r) of the first people
        reached = np.cumsum(taken, axis=0)
        if depth >= len(order.people) or reached[-1].min() >= largest:
            break
        depth *= 2
    above = np.cumsum(taken * order.above[: len(taken), np.newaxis], axis=0)
    below = np.cumsum(taken * order.below[: len(taken), np.newaxis], axis=0)
    theta = np.full((len(sizes), drawn.shape[1]), np.nan)
    for row, size in zip(theta, sizes, strict=True):
        last = (reached < size).sum(axis=0)
        full = np.flatnonzero(last < len(taken))
        end = last[full]
        surplus = reached[end, full] - size
        weight = below[end, full] - surplus * order.below[end]
        scored = weight > ROUNDING * below[end, full]
        sums = above[end, full] - surplus * order.above[end]
        row[full[scored]] = sums[scored] / weight[scored]
    return theta


def _orders(columns: Sequence[Array], people: Codes, fold: Codes, folds: int, ties: Codes) -> Iterator[Order]:
    """One for each fold; the columns (n,) are 1, the score, a z and a^2 of each row."""
    number = len(ties)
    cell, shape = fold * number + people, (folds, number)
    rows, scores, above, below = (
        np.bincount(cell, column, minlength=folds * number).reshape(shape) for column in columns
    )
    outside = rows.sum(axis=0) - rows
    means = (scores.sum(axis=0) - scores) / np.maximum(outside, 1)
    ranked = np.lexsort((np.broadcast_to(ties, shape), -np.round(means, DECIMALS)))
    for f, order in enumerate(ranked):
        order = order[outside[f, order] > 0]
        yield Order(order, above[f, order], below[f, order])
