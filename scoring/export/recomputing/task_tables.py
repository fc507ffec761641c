"""The block benchmark beside a table of models by tasks: theta of tasks, and models on as few answers."""

import math
import zlib
from collections.abc import Callable
from functools import cache, partial

import numpy as np

from scoring.export.recomputing.bank import bank_of
from scoring.export.recomputing.draws import draws_of, resamples, spread_of, stream
from scoring.export.recomputing.estimators import logistic
from scoring.export.recomputing.formulas import formula
from scoring.export.recomputing.reading import TINY, Array, Run, Values
from scoring.export.recomputing.tasks import Tasks, tasks_of

THINNED = 1000
BBEH = """BoardgameQA, Boolean Expressions, Buggy Tables, Causal Understanding, DisambiguationQA,
Dyck Languages, Geometric Shapes, Hyperbaton, Linguini, Movie Recommendation, Multistep Arithmetic, NYCC,
Object Counting, Object Properties, SARC Triples, Shuffled Objects, Spatial Reasoning, SportQA,
Temporal Sequences, Time Arithmetic, Web of Lies, Word Sorting, Zebra Puzzles"""


def key_of(task: str) -> str:
    """One for "bbeh_temporal_sequence" and "Temporal Sequences"."""
    return "".join(c for c in task.casefold() if c.isalnum()).removeprefix("bbeh").removesuffix("s")


def seed_of_tables(run: Run) -> int:
    """What the block draws first."""
    return int(stream(run, "benchmark").integers(2**32))


Of = Callable[[Array], Array]  # from rows (R, T) of accuracies in percent to values (R,)


def task_thetas(run: Run, names: list[str]) -> dict[str, Of]:
    """Theta and theta_QL of rows of accuracies on these tasks; other than the bank's are left out."""
    bank = bank_of(run.export)
    places = {key_of(name): j for name, j in bank.place.items()}
    items = np.array([places.get(key_of(name), -1) for name in names], dtype=np.int64)
    kept = items >= 0
    a, b = bank.a[items[kept]], bank.b[items[kept]]

    def theta(rows: Array) -> Array:
        y = run.logit(rows[:, kept] / 100)
        there = ~np.isnan(y)
        return np.where(there, y + a * b, 0) @ a / (there @ a**2)

    def theta_quasi(rows: Array) -> Array:
        return quasi_thetas(a, b, rows[:, kept] / 100)

    return {"theta.task": theta, "theta.task.ql": theta_quasi} if kept.any() else {}


def quasi_thetas(a: Array, b: Array, p: Array) -> Array:
    """(R,): the root of sum a (p - pi) = 0 of each row, by halving; NaN where none is finite."""
    there = ~np.isnan(p)
    reached, most = np.where(there, p, 0) @ a, there @ a
    low, high = np.full(len(p), -1e3), np.full(len(p), 1e3)
    for _ in range(200):
        theta = (low + high) / 2
        below = (there * logistic(a * (theta[:, None] - b))) @ a < reached
        low, high = np.where(below, theta, low), np.where(below, high, theta)
    finite = (TINY * most < reached) & (reached < (1 - TINY) * most)
    return np.where(finite, (low + high) / 2, math.nan)


def accuracy_of(tasks: Tasks, times: Array) -> Array:
    """(R, T) in percent, of people who are there `times` (R, P); NaN where nobody answered."""
    right, answers = times @ tasks.right, times @ tasks.answers
    return np.divide(100 * right, answers, out=np.full(right.shape, math.nan), where=answers > 0)


@formula("benchmark", "theta.task", "theta.task.ql")
def theta_of_tasks(run: Run, row: Values) -> Values:
    """With an interval over people, who are drawn anew from a stream of the group's own."""
    tasks = tasks_of(run, row["group"])
    of, people = task_thetas(run, tasks.names)[row["name"]], len(tasks.answers)
    rng = np.random.default_rng([seed_of_tables(run), zlib.crc32(row["group"].encode())])
    drawn = [accuracy_of(tasks, times) for times in draws_of(people, resamples(run), rng)]
    anew, scored = np.concatenate(drawn), tasks.answers.sum(axis=0) > 0
    whole = ~np.isnan(anew[:, scored]).any(axis=1)  # else it is another set of tasks
    value = float(of(accuracy_of(tasks, np.ones((1, people))))[0])
    return {"people": people, "clusters": people} | spread_of(value, np.where(whole, of(anew), math.nan))


@formula(
    "benchmark",
    "benchmark.macro.model",
    "benchmark.harmonic.model",
    "theta.task.model",
    "theta.task.ql.model",
)
def model_on_as_few(run: Run, row: Values) -> Values:
    """Mean and range of a model thinned to the cohort's answers; in details to its questions."""
    tasks, model = tasks_of(run, "average"), row["subset"].partition(":")[2]
    scored = tasks.answers.sum(axis=0) > 0
    own = accuracy_of(tasks, np.ones((1, len(tasks.answers))))[:, scored]
    full, drawn, fewer = thinned_model(run, model)
    named = [name for name, there in zip(tasks.names, scored, strict=True) if there]
    simple: dict[str, Of] = {
        "benchmark.macro": lambda rows: rows.mean(axis=1),
        "benchmark.harmonic": lambda rows: rows.shape[1] / (1 / (rows + 1)).sum(axis=1),
    }
    of = (simple | task_thetas(run, named))[row["name"].removesuffix(".model")]
    values, cohort = of(drawn), float(of(own)[0])
    defined = values[~np.isnan(values)]
    thinned = of(fewer)
    at_questions = spread_of(float(np.nanmedian(thinned)), thinned)
    below = float(((defined < cohort) + (defined == cohort) / 2).mean())
    facts = {
        "full": float(of(full)[0]), "share_below": math.nan if math.isnan(cohort) else below,
        "draws": THINNED, "low_questions": at_questions["low"], "high_questions": at_questions["high"],
    }  # fmt: skip
    found = {"n": int(tasks.answers.sum()), "prompts": int(tasks.questions.sum()), "details": facts}
    return found | spread_of(float(defined.mean()), values)


@cache
def thinned_model(run: Run, model: str) -> tuple[Array, Array, Array]:
    """A model's accuracies on the scored tasks (1, T), and 1,000 draws of as many answers, then questions."""
    tasks, bank = tasks_of(run, "average"), bank_of(run.export)
    scored = np.flatnonzero(tasks.answers.sum(axis=0) > 0)
    printed = {key_of(name): 100 * bank.scores[model][j, 0] for name, j in bank.place.items()}
    accuracy = np.array([printed[key_of(tasks.names[t])] for t in scored], dtype=float)
    sizes = sizes_of(tasks.names)
    of_tasks = None if sizes is None else sizes[scored]
    rng = np.random.default_rng([seed_of_tables(run), zlib.crc32(f"model:{model}".encode())])
    thin = partial(thinned, accuracy, of_tasks, rng)
    answers = tasks.answers.sum(axis=0)[scored].astype(np.int64)
    return accuracy[None, :], thin(answers), thin(tasks.questions[scored])


def sizes_of(names: list[str]) -> Array | None:
    """Questions of each task where all are of BBEH: 120 in DisambiguationQA, 200 in every other."""
    known = {key_of(name) for name in BBEH.replace("\n", " ").split(", ")}
    if not {key_of(name) for name in names} <= known:
        return None
    return np.array([120 if key_of(name) == "disambiguationqa" else 200 for name in names], dtype=np.int64)


def thinned(accuracy: Array, of_tasks: Array | None, rng: np.random.Generator, number: Array) -> Array:
    """Accuracies (1000, T) on `number` questions of each task."""
    shape, rate = (THINNED, len(accuracy)), accuracy / 100
    if of_tasks is None:
        return 100 * rng.binomial(number, rate, shape) / number
    number, right = np.minimum(number, of_tasks), np.rint(rate * of_tasks).astype(np.int64)
    found: Array = 100 * rng.hypergeometric(right, of_tasks - right, number, shape) / number
    return found
