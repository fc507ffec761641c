"""What of the block benchmark rests on draws: the best of equal raters, and Top by other answers."""

import math
import statistics
import zlib
from functools import cache

import numpy as np

from scoring.export.recomputing.draws import draws_of, resamples, spread_of, stream
from scoring.export.recomputing.estimators import codes_of
from scoring.export.recomputing.formulas import formula
from scoring.export.recomputing.reading import Array, Run, Values
from scoring.export.recomputing.tasks import tasks_of

PERMUTATIONS, OF_FIVE, SPLITS_OF_FIVE, SPLITS_RATED = 2000, 5, 100, 8


@cache
def of_raters(run: Run) -> tuple[dict[str, float], Values]:
    """The expected highest accuracy of equal raters by task, each with a stream of its own; then Top."""
    rng = stream(run, "benchmark")
    rng.integers(2**32)  # what the table of models begins with
    tasks, seed = tasks_of(run, "average"), int(rng.integers(2**32))
    highest = {}
    for place, name in enumerate(tasks.names):
        answers = tasks.answers[:, place]
        answers, right = answers[answers > 0].astype(np.int64), int(tasks.right[:, place].sum())
        if len(answers):
            own = np.random.default_rng([seed, zlib.crc32(name.encode())])
            fallen = own.multivariate_hypergeometric(answers, right, size=PERMUTATIONS, method="marginals")
            highest[name] = float((100 * fallen / answers).max(axis=1).mean())
    return highest, top_of_raters(run, rng)


@formula("benchmark", "human.max.equal")
def highest_of_equals(run: Run, row: Values) -> Values:
    highest, _ = of_raters(run)
    kind, _, task = (row["subset"] or "").partition(":")
    return {"value": highest[task] if kind else statistics.fmean(highest.values())}


@formula("benchmark", "human.top_crossfit")
def top_by_others(run: Run, row: Values) -> Values:
    return of_raters(run)[1]


def top_of_raters(run: Run, rng: np.random.Generator) -> Values:
    """Accuracy of the best people on a fifth of their answers, chosen by the others; people drawn anew."""
    rows = run.cohort.of(~np.isnan(run.cohort.p))
    size = run.export.settings["top_size"]
    person, people = codes_of(rows.person)
    if people < max(size, 1):
        return {}
    right = (rows.p == 1).astype(float)
    folds = [one for _ in range(SPLITS_OF_FIVE) for one in dealt(person, right, people, rng)]
    value = float(held_out_accuracy(folds, np.ones((1, people)), size)[0])
    if math.isnan(value):
        return {}
    walked = folds[: OF_FIVE * SPLITS_RATED]
    few = float(held_out_accuracy(walked, np.ones((1, people)), size)[0])
    drawn = [held_out_accuracy(walked, times, size) for times in draws_of(people, resamples(run), rng)]
    return spread_of(value, np.clip(value - few + np.concatenate(drawn), 0, 100))


Fold = tuple[Array, Array, Array]


def dealt(person: Array, right: Array, people: int, rng: np.random.Generator) -> list[Fold]:
    """For each fold people from the best to the worst outside of it, with their answers within."""
    shuffled = rng.permutation(len(person))
    order = shuffled[np.argsort(person[shuffled], kind="stable")]
    counts = np.bincount(person, minlength=people)
    place = np.empty(len(person), dtype=np.int64)
    place[order] = np.arange(len(person)) - np.repeat(np.cumsum(counts) - counts, counts)
    fold = (place + rng.integers(0, OF_FIVE, people)[person]) % OF_FIVE
    correct = np.bincount(person, right, minlength=people)
    found = []
    for one in range(OF_FIVE):
        inside = fold == one
        own = np.bincount(person[inside], minlength=people)
        won = np.bincount(person[inside], right[inside], minlength=people)
        mean = np.where(counts > own, (correct - won) / np.maximum(counts - own, 1), -1)
        best = np.lexsort((rng.random(people), -mean))
        found.append((best, won[best], own[best]))
    return found


def held_out_accuracy(folds: list[Fold], times: Array, size: int) -> Array:
    """(R,) in percent, of people who are there `times` (R, P)."""
    total, counted = np.zeros(len(times)), np.zeros(len(times))
    for best, right, answers in folds:
        chosen = np.diff(np.minimum(np.cumsum(times[:, best], axis=1), size), axis=1, prepend=0)
        number = chosen @ answers
        total += np.where(number > 0, chosen @ right / np.maximum(number, 1), 0)
        counted += number > 0
    return np.where(counted > 0, 100 * total / np.maximum(counted, 1), math.nan)
