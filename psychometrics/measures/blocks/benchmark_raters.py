"""People as raters: their average and the best of them per task, and the best people without their luck."""

import math
import zlib
from collections.abc import Iterator

import numpy as np

from psychometrics.benchmark.raters import TaskRaters, task_raters, top_crossfit
from psychometrics.benchmark.tasks import TaskSums
from psychometrics.inference.estimates import Estimate, Reason, unknown, without_interval
from psychometrics.inference.measure import Measure, plain
from psychometrics.measures.inputs import Inputs


def rater_measures(inputs: Inputs, sums: TaskSums) -> Iterator[Measure]:
    """`human.average`, `human.max`, `human.max.equal` per task and over tasks, then `human.top_crossfit`.

    Each task has a stream of random numbers of its own, so that no task changes another.
    """
    seed = int(inputs.rng.integers(2**32))
    raters = {
        task: task_raters(sums, place, np.random.default_rng([seed, zlib.crc32(task.encode())]))
        for place, task in enumerate(sums.tasks)
        if sums.totals[place]
    }
    for task, found in raters.items():
        yield from task_measures(task, found)
    yield from over_tasks(list(raters.values()), len(sums.answers))
    cohort = inputs.cohort
    scored = ~np.isnan(cohort.p)
    size = inputs.facts.top_size
    crossfit = top_crossfit(
        cohort.person[scored], (cohort.p[scored] == 1).astype(np.float64), size, inputs.resamples, inputs.rng
    )
    yield Measure(
        "human.top_crossfit", crossfit, n=int(scored.sum()), people=len(sums.answers), details={"size": size}
    )


def task_measures(task: str, found: TaskRaters) -> Iterator[Measure]:
    """One task; the maximum is of one rater, chosen on the outcome, and has no interval."""
    subset = f"task:{task}"
    yield Measure("human.average", found.average, subset=subset, people=found.raters, clusters=found.raters)
    yield Measure(
        "human.max", without_interval(found.maximum, Reason.ONE_CLUSTER), subset=subset, people=found.raters,
        details={"items": found.items, "best_items": found.best_items, "luck": found.luck},
    )  # fmt: skip
    yield Measure("human.max.equal", plain(found.expected_max), subset=subset, people=found.raters)


def over_tasks(raters: list[TaskRaters], people: int) -> Iterator[Measure]:
    """Means over tasks. That of the maxima mixes different people: the best rater per task."""
    averages = [found.average.value for found in raters]
    yield Measure("human.average", mean_of(averages), people=people)
    yield Measure("human.max", mean_of([found.maximum for found in raters]), people=people)
    yield Measure("human.max.equal", mean_of([found.expected_max for found in raters]), people=people)


def mean_of(values: list[float]) -> Estimate:
    return plain(math.fsum(values) / len(values)) if values else unknown(Reason.NO_PAIRS)
