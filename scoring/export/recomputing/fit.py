"""The block fit: personal correlations and outfit, beside answers of the assumed process."""

import math
from dataclasses import dataclass
from functools import cache

import numpy as np

from scoring.export.recomputing.draws import stream
from scoring.export.recomputing.estimators import codes_of
from scoring.export.recomputing.formulas import formula
from scoring.export.recomputing.people import own_thetas
from scoring.export.recomputing.process import ABILITIES, Expected, criteria_of, expected_of, respond
from scoring.export.recomputing.reading import Array, Run, Values
from scoring.export.recomputing.shifts import likelihood, prior_of, shifts_of

FEWEST_ANSWERS, MOST_CELLS_OF_FIT = 5, 3_000_000


@formula("fit", "fit.correlation")
def personal_correlation(run: Run, row: Values) -> Values:
    """Of the logits of a person's scores with -a b of their prompts."""
    rows = run.cohort.pairs
    own = rows.of(run.codes[rows.person] == row["participant"])
    return {"value": float(np.corrcoef(run.logit(own.p), -own.a * own.b)[0, 1]), "n": len(own)}


@formula("fit", "fit.residual_sd")
def residual_sd(run: Run, row: Values) -> Values:
    return {"value": math.sqrt(own_thetas(run).residual), "n": len(run.cohort.pairs)}


@dataclass(frozen=True, eq=False)
class Fit:
    """Of each person with a pair: number, answers, outfit, correlation, and whether either is flagged."""

    person: Array
    answers: Array
    outfit: Array
    correlation: Array
    low: Array
    high: Array
    theta_sd: float


class Answers:
    """The pairs, and what is computed for every person from logits (..., n) of them."""

    def __init__(self, run: Run, table: Expected) -> None:
        self.rows, self.table = run.cohort.pairs, table
        self.of, people = codes_of(self.rows.person)
        self.starts, self.n = np.searchsorted(self.of, np.arange(people)), np.bincount(self.of)
        a, prompt = self.rows.a[:, None], self.rows.prompt
        self.mean, self.variance, self.third = np.zeros((3, people, len(ABILITIES)))
        np.add.at(self.mean, self.of, a * table.mean[prompt])
        np.add.at(self.variance, self.of, a**2 * table.variance[prompt])
        np.add.at(self.third, self.of, a**3 * table.third[prompt])
        x = -self.rows.a * self.rows.b
        self.x = x - (self.sums(x) / self.n)[self.of]

    def sums(self, columns: Array) -> Array:
        found: Array = np.add.reduceat(columns, self.starts, axis=-1)
        return found

    def likelihood(self, y: Array) -> Array:
        return likelihood(self.sums(self.rows.a * y), self.mean, self.variance, self.third)

    def theta(self, y: Array, prior: Array) -> Array:
        weights = self.likelihood(y) * prior
        found: Array = weights @ ABILITIES / weights.sum(axis=1)
        return found

    def outfit(self, y: Array, theta: Array) -> Array:
        mean, variance = self.table.at(theta[self.of], self.rows.prompt)
        return self.sums((y - mean) ** 2 / variance)

    def correlation(self, y: Array) -> Array:
        centred = y - (self.sums(y) / self.n)[self.of]
        spread = np.sqrt(self.sums(self.x**2)) * np.sqrt(self.sums(centred**2))
        varies = spread > 1e-9
        return np.where(varies, self.sums(self.x * centred) / np.where(varies, spread, 1), math.nan)


@cache
def fit_of(run: Run) -> Fit:
    """Everybody's answers beside simulated ones of the same person to the same prompts."""
    rng = stream(run, "fit")
    process = shifts_of(run).process
    answers = Answers(run, expected_of(run, process))
    rows, number = answers.rows, len(answers.rows)
    y, criteria = run.logit(rows.p), criteria_of(run)[rows.prompt]
    sd, prior = prior_of(answers.likelihood(y))
    theta = answers.theta(y, prior)
    outfit, correlation = answers.outfit(y, theta), answers.correlation(y)
    lower, higher = np.zeros(len(theta)), np.zeros(len(theta))
    replicates, at_once = int(np.clip(MOST_CELLS_OF_FIT // number, 39, 399)), max(1, 200_000 // number)
    for start in range(0, replicates, at_once):
        shape = (min(at_once, replicates - start), number)
        target = np.broadcast_to(rows.a * (theta[answers.of] - rows.b), shape)
        for one in respond(run, target, np.broadcast_to(criteria, shape), rng, process):
            lower += np.nan_to_num(answers.correlation(one)) <= np.nan_to_num(correlation)
            higher += answers.outfit(one, answers.theta(one, prior)) >= outfit
    enough = answers.n >= FEWEST_ANSWERS
    low, high = (enough & ((1 + count) / (1 + replicates) <= 0.05) for count in (lower, higher))
    return Fit(np.unique(rows.person), answers.n, outfit, correlation, low, high, sd)


@formula("fit", "fit.theta_sd", "fit.grid", "fit.outfit")
def of_fit(run: Run, row: Values) -> Values:
    fit = fit_of(run)
    if row["name"] == "fit.theta_sd":
        return {"value": fit.theta_sd}
    if row["name"] == "fit.grid":
        return {"value": int(((fit.answers >= FEWEST_ANSWERS) & ~np.isnan(fit.correlation)).sum())}
    here = run.codes[fit.person].tolist().index(row["participant"])
    return {"value": float(fit.outfit[here]), "n": int(fit.answers[here])}


@formula("fit", "fit.flagged")
def share_flagged(run: Run, row: Values) -> Values:
    fit = fit_of(run)
    flags = {"correlation": fit.low, "outfit": fit.high, "any": fit.low | fit.high}
    people = int((fit.answers >= FEWEST_ANSWERS).sum())
    flagged = int(flags[row["subset"].partition(":")[2]].sum())
    return {"value": flagged / people, "people": people, "details": {"flagged": flagged}}
