"""The block benchmark: accuracies by task and over tasks."""

import math
import re
import statistics
from dataclasses import dataclass

import numpy as np

from scoring.export.recomputing.estimators import codes_of, jackknife_variance, with_error, within
from scoring.export.recomputing.formulas import formula
from scoring.export.recomputing.reading import Array, Run, Values


@dataclass(frozen=True, eq=False)
class Tasks:
    """Right and scored answers of people in tasks, (P, T)."""

    names: list[str]
    right: Array
    answers: Array
    questions: Array

    def combined(self, weights: Array, offset: float = 0.0) -> Values:
        """sum_t w_t acc_t with its error clustered by person."""
        used = np.flatnonzero(weights)
        total = self.answers[:, used].sum(axis=0)
        accuracy = 100 * self.right[:, used].sum(axis=0) / total
        scores = ((100 * self.right[:, used] - accuracy * self.answers[:, used]) / total) @ weights[used]
        people = int(self.answers[:, used].any(axis=1).sum())
        factor = people / (people - 1) if people > 1 else math.nan
        return with_error(float(weights[used] @ accuracy) + offset, factor * float(scores @ scores), people)


def tasks_of(run: Run, group: str | None) -> Tasks:
    rows = run.group(group or "average")
    rows = rows.of(~np.isnan(rows.p))
    names = sorted({one["task"] for one in run.prompts})
    task = np.array([names.index(one["task"]) for one in run.prompts])[rows.prompt]
    person, people = codes_of(rows.person)
    right, answers = np.zeros((people, len(names))), np.zeros((people, len(names)))
    np.add.at(answers, (person, task), 1)
    np.add.at(right, (person, task), rows.p == 1)
    asked = {(int(t), int(j)) for t, j in zip(task, rows.prompt, strict=True)}
    questions = np.array([sum(t == place for t, _ in asked) for place in range(len(names))])
    return Tasks(names, right, answers, questions)


@formula("benchmark", "task.accuracy", "task.accuracy.corrected")
def task_accuracy(run: Run, row: Values) -> Values:
    tasks = tasks_of(run, row["group"])
    place = tasks.names.index(row["subset"].partition(":")[2])
    found = {"n": int(tasks.answers[:, place].sum()), "prompts": int(tasks.questions[place])}
    if not found["n"]:
        return found
    weights = np.eye(len(tasks.names))[place]
    if row["name"] == "task.accuracy":
        return found | within(tasks.combined(weights))
    guessing = row["details"]["guessing"] or 0.0
    least = -100 * guessing / (1 - guessing)
    return found | within(tasks.combined(weights / (1 - guessing), least), least)


@formula("benchmark", "benchmark.macro", "benchmark.micro", "benchmark.harmonic")
def over_tasks(run: Run, row: Values) -> Values:
    tasks = tasks_of(run, row["group"])
    totals = tasks.answers.sum(axis=0)
    scored = totals > 0
    found = {"n": int(totals.sum()), "people": len(tasks.answers), "prompts": int(tasks.questions.sum())}
    if row["name"] == "benchmark.macro":
        return found | within(tasks.combined(scored / scored.sum()))
    if row["name"] == "benchmark.harmonic":
        return found | within(harmonic(tasks, scored), 1.0, 101.0)
    one = Tasks(
        [""], tasks.right.sum(axis=1, keepdims=True), tasks.answers.sum(axis=1, keepdims=True), totals[:1]
    )
    return found | within(one.combined(np.ones(1)))


def harmonic(tasks: Tasks, scored: Array) -> Values:
    def mean(right: Array, answers: Array) -> float:
        return float(scored.sum() / (1 / (100 * right[scored] / answers[scored] + 1)).sum())

    right, answers = tasks.right.sum(axis=0), tasks.answers.sum(axis=0)
    left = answers - tasks.answers
    if (left[:, scored] == 0).any():
        return {"value": mean(right, answers)}
    without = np.array(
        [mean(right - own, answers - n) for own, n in zip(tasks.right, tasks.answers, strict=True)]
    )
    return with_error(mean(right, answers), jackknife_variance(without), len(without))


@formula("benchmark", "benchmark.macro.corrected")
def corrected_macro(run: Run, row: Values) -> Values:
    """The mean of accuracies less guessing; guessing rates are those that the rows of the tasks give."""
    tasks = tasks_of(run, row["group"])
    rates = {
        one["subset"].partition(":")[2]: one["details"]["guessing"] for one in run.measures
        if (one["name"], one["group"]) == ("task.accuracy.corrected", row["group"])
    }  # fmt: skip
    chance = np.array([math.nan if rates[name] is None else rates[name] for name in tasks.names], dtype=float)
    used = (tasks.answers.sum(axis=0) > 0) & ~np.isnan(chance)
    weights = np.where(used, 1 / (1 - np.where(used, chance, 0)), 0) / used.sum()
    least = -100 * float(weights @ np.where(used, chance, 0))
    return within(tasks.combined(weights, least), least)


VARIANTS = re.compile(
    "(logical_deduction|tracking_shuffled_objects)_(three|five|seven)_objects", re.IGNORECASE
)


@formula("benchmark", "benchmark.macro.bbh23")
def macro_of_variants(run: Run, row: Values) -> Values:
    """The mean over tasks of BBH where the variants of one task are averaged first."""
    tasks = tasks_of(run, row["group"])
    scored = tasks.answers.sum(axis=0) > 0
    found = [VARIANTS.fullmatch(name) for name in tasks.names]
    names = [one[1] if one else name for one, name in zip(found, tasks.names, strict=True)]
    weights = np.array([
        here / sum(names[other] == names[place] for other in np.flatnonzero(scored)) if here else 0.0
        for place, here in enumerate(scored)
    ])  # fmt: skip
    return within(tasks.combined(weights / weights.sum()))


@formula("benchmark", "benchmark.micro.questions")
def micro_over_questions(run: Run, row: Values) -> Values:
    """Tasks of BBEH weighted by their numbers of questions: 120 in DisambiguationQA, 200 in all others."""
    tasks = tasks_of(run, row["group"])
    sizes = np.array([120.0 if "disambiguation" in name.lower() else 200.0 for name in tasks.names])
    weights = np.where(tasks.answers.sum(axis=0) > 0, sizes, 0.0)
    return within(tasks.combined(weights / weights.sum()))


@formula("benchmark", "human.average", "human.max")
def raters(run: Run, row: Values) -> Values:
    """The mean and the highest of people's own accuracies on a task; without a task, means over tasks."""
    tasks = tasks_of(run, "average")
    own = {name: accuracies(tasks, place) for place, name in enumerate(tasks.names)}
    best = row["name"] == "human.max"
    if row["subset"] is None:
        return {
            "value": statistics.fmean(
                float(one.max() if best else one.mean()) for one in own.values() if len(one)
            )
        }
    values = own[row["subset"].partition(":")[2]]
    if best:
        return {"value": float(values.max())}
    number = len(values)
    variance = float(values.var(ddof=1)) / number if number > 1 else math.nan
    return within(with_error(float(values.mean()), variance, number))


def accuracies(tasks: Tasks, place: int) -> Array:
    """Of everybody with an answer to the task, in percent."""
    rated = tasks.answers[:, place] > 0
    return 100 * tasks.right[rated, place] / tasks.answers[rated, place]
