"""A benchmark with tasks: per task, over tasks, raters, and beside the table of models of the study.

A study refers to such a table by its item bank, if that is one of tasks (`import_task_table`): its prompt ids
are names of tasks and its configurations the columns. Everything is in percent but theta.
"""

import math
from collections.abc import Iterator
from zlib import crc32

import numpy as np

from formats.wording import gettext_noop
from psychometrics.benchmark.chance import bbh_tasks, corrected_macro_estimate
from psychometrics.benchmark.metrics import bbeh_task_sizes
from psychometrics.benchmark.raters import TaskRaters, task_raters, top_crossfit
from psychometrics.benchmark.tasks import PERCENT, TaskSums, combined, task_sums
from psychometrics.inference.clusters import Array
from psychometrics.inference.estimates import Reason, none_if_nan, unknown, within, without_interval
from psychometrics.inference.measure import TASK, Measure, NotMeasurable, plain
from psychometrics.measures.blocks import benchmark_models as models
from psychometrics.measures.blocks.results import of_task, over_tasks
from psychometrics.measures.inputs import BenchmarkFacts, Inputs


def benchmark_measures(inputs: Inputs) -> Iterator[Measure]:
    """Beside the accuracies and averages of the block Results: chance, raters, models, theta."""
    facts = inputs.facts.benchmark
    if facts is None:
        raise NotMeasurable(
            gettext_noop("The answers of this study are not matched by the rules of a benchmark with tasks.")
        )
    if not any(prompt.task for prompt in inputs.cohort.prompts):
        raise NotMeasurable(
            gettext_noop("No prompt of this study belongs to a task; the benchmark has none to average over.")
        )
    rules, columns = facts.rules, facts.columns
    groups = inputs.groups if inputs.top.any() else {"average": inputs.cohort}
    sums_of = {group: task_sums(members) for group, members in groups.items()}
    everybody = sums_of["average"]
    seed = int(inputs.rng.integers(2**32))
    for group, sums in sums_of.items():
        chance = guessing_rates(facts, sums)
        yield from corrected_measures(group, sums, chance)
        yield from summary_measures(group, sums, chance, rules)
        if rules == "bbeh":
            matched = group == "average" and any(models.on_all_tasks(sums, columns))
            yield models.harmonic_shown(group, sums, matched=matched)
        yield from models.theta_measures(inputs, group, sums, seed)
    yield from rater_measures(inputs, everybody)
    yield from models.model_measures(inputs, everybody, columns, seed, harmonic_too=rules == "bbeh")


def guessing_rates(facts: BenchmarkFacts, sums: TaskSums) -> Array:
    """(T,) in [0, 1): the table's column of random answers where it has the task, else 1 / options."""
    own = np.array([facts.guessing.get(task, np.nan) for task in sums.tasks], dtype=np.float64)
    random = next((column for column in facts.columns if column.guesses), None)
    if random is None:
        return own
    printed = models.accuracies_on(sums.tasks, random) / PERCENT
    return np.where(np.isnan(printed), own, printed)


def corrected_measures(group: str, sums: TaskSums, chance: Array) -> Iterator[Measure]:
    """`task.accuracy.corrected` of every task: without what guessing gives."""
    for place, task in enumerate(sums.tasks):
        corrected = corrected_macro_estimate(sums, np.where(np.array(sums.tasks) == task, chance, np.nan))
        guessing = none_if_nan(chance[place])
        yield of_task("task.accuracy.corrected", corrected, group, sums, place, guessing=guessing)


def summary_measures(group: str, sums: TaskSums, chance: Array, rules: str) -> Iterator[Measure]:
    """Chance-corrected macro; BBH's 23 tasks; BBEH's micro over questions."""
    yield over_tasks("benchmark.macro.corrected", corrected_macro_estimate(sums, chance), group, sums)
    merged = bbh_tasks(sums.tasks)
    if rules == "bbh" and len(set(merged)) < len(merged):
        # The variants of one task are averaged first, so that a task with three weighs no more than another.
        names = np.array(merged, dtype=np.str_)
        weights = np.zeros(len(merged))
        for place in sums.scored:
            weights[place] = 1 / (names[sums.scored] == names[place]).sum()
        macro = within(combined(sums, weights / max(weights.sum(), 1)), 0, PERCENT)
        yield over_tasks("benchmark.macro.bbh23", macro, group, sums)
    sizes = bbeh_task_sizes(sums.tasks) if rules == "bbeh" else None
    if sizes and sums.totals.any():
        weights = np.where(sums.totals > 0, [sizes[task] for task in sums.tasks], 0)
        micro = within(combined(sums, weights / weights.sum()), 0, PERCENT)
        yield over_tasks("benchmark.micro.questions", micro, group, sums)


def rater_measures(inputs: Inputs, sums: TaskSums) -> Iterator[Measure]:
    """`human.average`, `human.max`, `human.max.equal` per task and over tasks, then `human.top_crossfit`.

    Each task has a stream of random numbers of its own, so that no task changes another.
    """
    seed = int(inputs.rng.integers(2**32))
    raters = {
        task: task_raters(sums, place, np.random.default_rng([seed, crc32(task.encode())]))
        for place, task in enumerate(sums.tasks)
        if sums.totals[place]
    }
    for task, found in raters.items():
        yield from _task_rater_measures(task, found)
    # Means over tasks. That of the maxima mixes different people: the best rater per task.
    of_tasks = list(raters.values())
    for name, values in (
        ("human.average", [found.average.value for found in of_tasks]),
        ("human.max", [found.maximum for found in of_tasks]),
        ("human.max.equal", [found.expected_max for found in of_tasks]),
    ):
        mean = plain(math.fsum(values) / len(values)) if values else unknown(Reason.NO_PAIRS)
        yield Measure(name, mean, people=len(sums.answers))
    scored = inputs.cohort.of_rows(~np.isnan(inputs.cohort.p))
    right, size = (scored.p == 1).astype(np.float64), inputs.facts.top_size
    people = len(sums.answers)
    crossfit = (
        unknown(Reason.TOO_FEW_PEOPLE)
        if scored.people_present == size
        else top_crossfit(scored.person, right, size, inputs.resamples, inputs.rng)
    )
    yield Measure("human.top_crossfit", crossfit, n=len(scored), people=people, details={"size": size})


def _task_rater_measures(task: str, raters: TaskRaters) -> Iterator[Measure]:
    """One task; the maximum is of one rater, chosen on the outcome, and has no interval."""
    subset = f"{TASK}{task}"
    yield Measure(
        "human.average", raters.average, subset=subset, people=raters.raters, clusters=raters.raters
    )
    yield Measure(
        "human.max", without_interval(raters.maximum, Reason.ONE_CLUSTER), subset=subset,
        people=raters.raters,
        details={"items": raters.items, "best_items": raters.best_items, "luck": raters.luck},
    )  # fmt: skip
    yield Measure("human.max.equal", plain(raters.expected_max), subset=subset, people=raters.raters)
