"""The block uncertainty: every error of theta."""

import math
from functools import cache

import numpy as np

from scoring.export.recomputing.draws import draws_of, resamples, spread_of, stream
from scoring.export.recomputing.estimators import (
    Root,
    by_prompt,
    by_prompt_without,
    cluster_variance,
    clustered,
    codes_of,
    jackknife_variance,
    pooled,
    prompt_sums,
    quasi,
    quasi_theta,
    sizes,
    with_analytic,
    with_error,
)
from scoring.export.recomputing.formulas import THETAS, formula
from scoring.export.recomputing.reading import TINY, Array, Rows, Run, Values


@formula("uncertainty", *THETAS)
def theta_with_error(run: Run, row: Values) -> Values:
    rows, kind, name = run.cohort.pairs, row["subset"], row["name"]
    if kind == "se.participant_boot":
        return sizes(rows) | spread_of(pooled(run, rows).theta, people_drawn(run))
    if kind == "se.analytic":
        information = prompt_sums(run, rows)[1].sum() if name == "theta.prompt" else rows.a @ rows.a
        theta = by_prompt(run, rows) if name == "theta.prompt" else pooled(run, rows).theta
        return sizes(rows) | with_analytic(theta, float(information), run.sigma)
    labels = {"participant": rows.person, "batch": rows.batch}.get(kind.rpartition(".")[2].rpartition("_")[2])
    if kind in ("se.twoway", "se.jackknife_twoway"):
        return sizes(rows) | twoway(run, name, rows)
    if kind == "se.mixed":
        return sizes(rows) | mixed(run, rows)
    if kind.startswith("se.jackknife") and name == "theta.ql":
        return sizes(rows) | quasi_jackknife(rows, labels)
    return sizes(rows) | clustered(run, name, rows, labels)


@cache
def people_drawn(run: Run) -> Array:
    """Theta.pool of people drawn with replacement."""
    rows = run.cohort.pairs
    codes, number = codes_of(rows.person)
    above = np.bincount(codes, rows.a * (run.logit(rows.p) + rows.a * rows.b), minlength=number)
    below = np.bincount(codes, rows.a**2, minlength=number)
    drawn = draws_of(number, resamples(run), stream(run, "uncertainty"))
    return np.concatenate([(part @ above) / (part @ below) for part in drawn])


def is_nested(rows: Rows) -> bool:
    """Whether each prompt with parameters is in one batch only."""
    known = rows.of(~np.isnan(rows.a))
    placed = set(zip(known.prompt.tolist(), known.batch.tolist(), strict=True))
    return len(placed) == len(set(known.prompt.tolist()))


def first_kind(rows: Rows, *, nested: bool) -> str:
    """What the error that stands first takes as independent: batches, people and prompts, or people."""
    batches = len(set(rows.batch.tolist()))
    if batches < 2:
        return "participant"
    return "batch" if nested else "twoway"


def designed(run: Run, name: str, rows: Rows, design: str) -> Values:
    """A theta with the error that the design calls for."""
    if design == "twoway":
        return twoway(run, name, rows)
    return clustered(run, name, rows, rows.batch if design == "batch" else rows.person)


def twoway(run: Run, name: str, rows: Rows) -> Values:
    if name != "theta.prompt":
        return twoway_of(pooled(run, rows) if name == "theta.pool" else quasi(rows), rows)
    by_person, by_item, by_answer = (
        jackknife_variance(by_prompt_without(run, rows, *codes_of(labels)))
        for labels in (rows.person, rows.prompt, np.arange(len(rows)))
    )
    variance = by_item + max(by_person - by_answer, 0.0)
    return with_error(by_prompt(run, rows), variance, min(len(set(rows.person)), len(set(rows.prompt))))


def twoway_of(root: Root, rows: Rows) -> Values:
    """The error by people and prompts at once."""
    by_person, by_item = cluster_variance(root, rows.person), cluster_variance(root, rows.prompt)
    both = float(root.summands @ root.summands) / root.slope**2
    variance = max(by_person + by_item - both, by_person, by_item)
    return with_error(root.theta, variance, min(len(set(rows.person)), len(set(rows.prompt))))


def quasi_jackknife(rows: Rows, labels: Array) -> Values:
    codes, number = codes_of(labels)
    without = []
    for group in range(number):
        kept = rows.of(codes != group)
        without.append(quasi_theta(kept.a, kept.b, np.ones(len(kept)), float(kept.a @ kept.p)))
    return with_error(quasi(rows).theta, jackknife_variance(np.array(without)), number)


def components(run: Run, rows: Rows) -> tuple[float, float, float]:
    """Variances between people, prompts and answers, by moments."""
    root = pooled(run, rows)
    e = root.summands / rows.a

    def moment(labels: Array, values: Array, weights: Array) -> float:
        codes, number = codes_of(labels)
        sums, weight = (np.bincount(codes, one, minlength=number) for one in (values, weights))
        below = float(weight @ weight - weights @ weights)
        return (
            float(sums @ sums - values @ values) / below
            if below > TINY * float(weight @ weight)
            else math.nan
        )

    people = moment(rows.person, root.summands, rows.a**2)
    prompts = moment(rows.prompt, e, np.ones(len(rows)))
    if math.isnan(people) or math.isnan(prompts):
        return math.nan, math.nan, math.nan
    people, prompts = max(people, 0.0), max(prompts, 0.0)
    return people, prompts, max(float(np.mean(e**2 - rows.a**2 * people - prompts)), 0.0)


def mixed(run: Run, rows: Rows) -> Values:
    people, prompts, answers = components(run, rows)
    total = float(rows.a @ rows.a)
    by_person = np.bincount(rows.person, rows.a**2)
    by_item = np.bincount(rows.prompt, rows.a)
    variance = (people * by_person @ by_person + prompts * by_item @ by_item) / total**2 + answers / total
    clusters = min(len(set(rows.person)), len(set(rows.prompt)))
    return with_error(pooled(run, rows).theta, float(variance), clusters)


@formula("uncertainty", "mixed.sd_people", "mixed.sd_prompts", "mixed.sd_answers")
def component(run: Run, row: Values) -> Values:
    rows = run.cohort.pairs
    place = ("mixed.sd_people", "mixed.sd_prompts", "mixed.sd_answers").index(row["name"])
    return sizes(rows) | {"value": math.sqrt(components(run, rows)[place])}


@formula("uncertainty", "design.batches")
def batches(run: Run, row: Values) -> Values:
    rows = run.cohort
    return {
        "value": len(set(rows.batch)), "people": len(set(rows.person)), "prompts": len(set(rows.prompt)),
    }  # fmt: skip
