"""The block top: the published rule and the shrunken one, then what rests on draws."""

import math
from dataclasses import dataclass
from functools import cache

import numpy as np

from scoring.export.recomputing.draws import (
    CELLS_AT_ONCE,
    draws_of,
    resamples,
    spread_of,
    stream,
)
from scoring.export.recomputing.estimators import codes_of, pooled, quasi, with_analytic
from scoring.export.recomputing.formulas import formula
from scoring.export.recomputing.people import own_thetas, variance_at
from scoring.export.recomputing.reading import TINY, Z_95, Array, Rows, Run, Values

NEIGHBOURS, MOST_CELLS = 25, 40_000_000
FOLDS, SPLITS, SPLITS_OF_DRAWS = 5, 100, 8


def size_of(run: Run, row: Values) -> int:
    """The size of Top that a row is about: the study's, or that of a fraction of the curve."""
    return int(row["people"])


def published(run: Run, size: int) -> Rows:
    chosen = run.best(run.cohort, size)
    return run.cohort.of(chosen[run.cohort.person]).pairs


@formula("top", "top.paper")
def top_paper(run: Run, row: Values) -> Values:
    rows = published(run, size_of(run, row))
    return with_analytic(pooled(run, rows).theta, float(rows.a @ rows.a), run.sigma)


@formula("top", "top.paper.ql")
def top_paper_quasi(run: Run, row: Values) -> Values:
    return {"value": quasi(published(run, size_of(run, row))).theta}


@formula("top", "top.eb")
def top_shrunken(run: Run, row: Values) -> Values:
    own, size = own_thetas(run), size_of(run, row)
    variance = variance_at(own, len(own.theta) - 1)
    total = own.v + variance
    mean = float((own.theta / total).sum() / (1 / total).sum())
    factor = variance / total
    theta = mean + factor * (own.theta - mean)
    chosen = np.lexsort((run.codes[own.person], -np.round(theta, 12)))[:size]
    spread = float((factor * own.v)[chosen].sum()) / size**2
    se = math.sqrt(spread + (1 - float(factor[chosen].mean())) ** 2 / float((1 / total).sum()))
    value = float(theta[chosen].mean())
    found = {"value": value, "se": se, "low": value - Z_95 * se, "high": value + Z_95 * se}
    return found | ({} if row["subset"] else {"details": {"mean": mean, "tau": math.sqrt(variance)}})


@dataclass(frozen=True, eq=False)
class Drawn:
    """Every draw of the block, in its order; `null` is None where there can be none.

    `orders` has for each fold of each split the people, the best by their other answers first, with sum a z
    and sum a^2 of theirs within the fold; `times` (R, P) how often each of the people is drawn.
    """

    null: Array | None
    orders: list[tuple[Array, Array, Array]]
    times: Array


@cache
def drawn(run: Run) -> Drawn:
    """People sorted by code, their answers by prompt; first the reference, then the splits, then people."""
    rows, size = run.cohort.pairs, run.export.settings["top_size"]
    person, people = codes_of(rows.person)
    rng, draws = stream(run, "top"), resamples(run)
    best = published(run, size)
    possible = bool(best.a @ best.a)
    null = exchanged(run, rows, size, draws, rng) if possible else None
    orders = [order for _ in range(SPLITS) for order in folds_of(run, rows, person, people, rng)]
    times = np.concatenate([part.astype(np.uint16) for part in draws_of(people, draws, rng)])
    return Drawn(null, orders, times)


def exchanged(run: Run, rows: Rows, size: int, draws: int, rng: np.random.Generator) -> Array:
    """(R,): theta of the best by raw mean, scores exchanged among 25 answers expected to be as good.

    On prompts without item parameters they are exchanged among those who answered the same prompt.
    """
    scored = run.cohort.of(~np.isnan(run.cohort.p))
    others = scored.of(np.isnan(scored.a))
    others = others.of(np.lexsort((others.person, others.prompt)))
    codes, people = codes_of(np.append(rows.person, others.person))
    person, number = codes[: len(rows)], len(rows)
    of_prompt, _ = codes_of(others.prompt)
    y, offset = run.logit(rows.p), rows.a * rows.b
    theta = float(rows.a @ (y + offset)) / float(rows.a @ rows.a)
    order = np.argsort(rows.a * (theta - rows.b), kind="stable")
    whole = number - number % NEIGHBOURS
    draws, at_once = max(2, min(draws, MOST_CELLS // number)), max(1, CELLS_AT_ONCE // number)
    answers, below = np.bincount(codes), np.bincount(person, rows.a**2, minlength=people)
    found = []
    for start in range(0, draws, at_once):
        r = min(at_once, draws - start)
        source = np.empty((r, number), dtype=np.int64)
        groups = np.broadcast_to(order[:whole].reshape(-1, NEIGHBOURS), (r, whole // NEIGHBOURS, NEIGHBOURS))
        source[:, order[:whole]] = rng.permuted(groups, axis=2).reshape(r, whole)
        rest = np.broadcast_to(order[whole:], (r, number - whole))
        source[:, order[whole:]] = rng.permuted(rest, axis=1)
        given = np.concatenate([rows.p[source], np.empty((r, len(others)))], axis=1)
        if len(others):
            given[:, number:] = others.p[np.argsort(of_prompt + rng.random((r, len(others))), axis=1)]
        for scores, z in zip(given, y[source] + offset, strict=True):
            means = np.round(np.bincount(codes, scores) / answers, 12)
            best = np.argsort(-means, kind="stable")[:size]
            if weight := below[best].sum():
                above = np.bincount(person, rows.a * z, minlength=people)
                found.append(np.array([above[best].sum() / weight]))
    return np.concatenate(found)


def folds_of(
    run: Run, rows: Rows, person: Array, people: int, rng: np.random.Generator
) -> list[tuple[Array, Array, Array]]:
    """Everybody's answers dealt at random into folds, and people ranked by their answers outside of each."""
    shuffled = np.lexsort((rng.random(len(rows)), person))
    answers = np.bincount(person, minlength=people)
    first = rng.integers(0, FOLDS, people) - (np.cumsum(answers) - answers)
    fold = np.empty(len(rows), dtype=np.int64)
    fold[shuffled] = (np.arange(len(rows)) + np.repeat(first, answers)) % FOLDS
    z = run.logit(rows.p) + rows.a * rows.b
    found = []
    for one in range(FOLDS):
        inside = fold == one
        outside = answers - np.bincount(person[inside], minlength=people)
        scores = np.bincount(person[~inside], rows.p[~inside], minlength=people)
        mean = np.round(scores / np.maximum(outside, 1), 12)
        order = np.argsort(-mean, kind="stable")  # people are sorted by code, which decides ties
        order = order[outside[order] > 0]
        above = np.bincount(person[inside], (rows.a * z)[inside], minlength=people)[order]
        below = np.bincount(person[inside], rows.a[inside] ** 2, minlength=people)[order]
        found.append((order, above, below))
    return found


def held_out(order: tuple[Array, Array, Array], times: Array, size: int) -> Array:
    """(R,): theta within a fold of the best `size` who are there `times` (R, P); NaN where undefined."""
    people, above, below = order
    depth = min(len(people), size + 6 * math.isqrt(size) + 10)
    reached = np.cumsum(times[:, people[:depth]], axis=1, dtype=float)
    if depth < len(people) and reached[:, -1].min() < size:
        depth, reached = len(people), np.cumsum(times[:, people], axis=1, dtype=float)
    reached = np.minimum(reached, size)
    chosen = np.diff(reached, axis=1, prepend=0)
    total = chosen @ below[:depth]
    there = (reached[:, -1] == size) & (total > TINY * (times[:, people[:depth]] @ below[:depth]))
    return np.where(there, chosen @ above[:depth] / np.where(there, total, 1), math.nan)


def crossed(orders: list[tuple[Array, Array, Array]], times: Array, size: int) -> Array:
    """(R,): the mean over the folds in which it is defined."""
    total, defined = np.zeros(len(times)), np.zeros(len(times))
    for order in orders:
        found = held_out(order, times, size)
        total += np.nan_to_num(found)
        defined += ~np.isnan(found)
    return np.where(defined > 0, total / np.maximum(defined, 1), math.nan)


@formula("top", "top.crossfit5")
def top_crossfit(run: Run, row: Values) -> Values:
    """Chosen by four fifths of their answers and measured on the others; people drawn and chosen anew."""
    draws, size = drawn(run), size_of(run, row)
    parts = np.array_split(draws.times, max(1, draws.times.size // CELLS_AT_ONCE))
    once, walked = np.ones((1, draws.times.shape[1])), draws.orders[: FOLDS * SPLITS_OF_DRAWS]
    value, few = (float(crossed(orders, once, size)[0]) for orders in (draws.orders, walked))
    drawn_again = np.concatenate([crossed(walked, part, size) for part in parts])
    return spread_of(value, value - few + drawn_again)


@formula("top", "top.null", "top.over_null", "top.null_share")
def top_among_equals(run: Run, row: Values) -> Values:
    values = drawn(run).null
    if values is None:
        return {}
    best = pooled(run, published(run, size_of(run, row))).theta
    if row["name"] == "top.null":
        return spread_of(float(values.mean()), values)
    if row["name"] == "top.over_null":
        return {"value": best - float(values.mean())}
    as_high = int((values >= best - 1e-12 * max(abs(best), 1.0)).sum())
    return {"value": (1 + as_high) / (1 + len(values))}
