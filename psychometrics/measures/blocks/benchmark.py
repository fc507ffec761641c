"""A benchmark with tasks: per task, over tasks, raters, and beside the table of models of the study.

A study refers to such a table by its item bank, if that is one of tasks (`import_task_table`): its prompt ids
are names of tasks and its configurations the columns. Everything is in percent but theta.
"""

from collections.abc import Iterator
from functools import partial

import numpy as np

from formats.wording import gettext_noop
from psychometrics.benchmark.chance import bbh_tasks, corrected_macro_estimate
from psychometrics.benchmark.metrics import bbeh_task_sizes
from psychometrics.benchmark.tasks import (
    PERCENT,
    TaskSums,
    combined,
    task_sums,
)
from psychometrics.inference.clusters import Array
from psychometrics.inference.estimates import Estimate, within
from psychometrics.inference.measure import Measure, NotMeasurable
from psychometrics.measures.blocks.benchmark_models import (
    harmonic_shown,
    model_measures,
    on_all_tasks,
    theta_measures,
)
from psychometrics.measures.blocks.benchmark_raters import rater_measures
from psychometrics.measures.blocks.results import TASK, over_tasks
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
    everybody = task_sums(inputs.cohort)
    seed = int(inputs.rng.integers(2**32))
    groups = [("average", everybody)]
    if inputs.top.any():
        groups.append(("top", task_sums(inputs.cohort.of_people(inputs.top))))
    for group, sums in groups:
        chance = guessing_rates(facts, sums)
        yield from corrected_measures(group, sums, chance)
        yield from summary_measures(group, sums, chance, rules)
        if rules == "bbeh":
            yield harmonic_shown(group, sums, matched=group == "average" and any(on_all_tasks(sums, columns)))
        yield from theta_measures(inputs, group, sums, seed)
    yield from rater_measures(inputs, everybody)
    yield from model_measures(inputs, everybody, columns, seed, harmonic_too=rules == "bbeh")


def guessing_rates(facts: BenchmarkFacts, sums: TaskSums) -> Array:
    """(T,) in [0, 1): the table's column of random answers where it has the task, else 1 / options."""
    own = np.array([facts.guessing.get(task, np.nan) for task in sums.tasks], dtype=np.float64)
    random = next((column for column in facts.columns if column.guesses), None)
    if random is None:
        return own
    printed = random.on(sums.tasks) / PERCENT
    return np.where(np.isnan(printed), own, printed)


def corrected_measures(group: str, sums: TaskSums, chance: Array) -> Iterator[Measure]:
    """`task.accuracy.corrected` of every task: without what guessing gives."""
    for place, task in enumerate(sums.tasks):
        people = int((sums.answers[:, place] > 0).sum())
        alone = np.where(np.arange(len(sums.tasks)) == place, chance, np.nan)
        guessing = None if np.isnan(chance[place]) else float(chance[place])
        yield Measure(
            "task.accuracy.corrected", corrected_macro_estimate(sums, alone), group=group,
            subset=f"{TASK}{task}", n=int(sums.totals[place]), people=people,
            prompts=int(sums.questions[place]), clusters=people, details={"guessing": guessing},
        )  # fmt: skip


def summary_measures(group: str, sums: TaskSums, chance: Array, rules: str) -> Iterator[Measure]:
    """Chance-corrected macro; BBH's 23 tasks; BBEH's micro over questions."""
    measure = partial(over_tasks, group, sums)
    yield measure("benchmark.macro.corrected", corrected_macro_estimate(sums, chance))
    merged = bbh_tasks(sums.tasks)
    if rules == "bbh" and len(set(merged)) < len(merged):
        yield measure("benchmark.macro.bbh23", macro_estimate_of_variants(sums, merged))
    sizes = bbeh_task_sizes(sums.tasks) if rules == "bbeh" else None
    if sizes and sums.totals.any():
        weights = np.where(sums.totals > 0, [sizes[task] for task in sums.tasks], 0)
        yield measure(
            "benchmark.micro.questions", within(combined(sums, weights / weights.sum()), 0, PERCENT)
        )


def macro_estimate_of_variants(sums: TaskSums, merged: list[str]) -> Estimate:
    """The mean over tasks where the variants of one task are averaged first, each with equal weight."""
    names = np.array(merged, dtype=np.str_)
    weights = np.zeros(len(merged))
    for place in sums.scored:
        weights[place] = 1 / (names[sums.scored] == names[place]).sum()
    return within(combined(sums, weights / max(weights.sum(), 1)), 0, PERCENT)
