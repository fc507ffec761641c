"""Differences from models with their verdicts; which rows of a leaderboard are told apart, and places."""

import math
from collections.abc import Iterable
from functools import cache
from itertools import combinations

import numpy as np

from scoring.export.recomputing.bank import bank_of, mean_of_epochs
from scoring.export.recomputing.estimators import t_inside
from scoring.export.recomputing.formulas import THETAS, formula
from scoring.export.recomputing.models import (
    beside,
    beside_models,
    design_of,
    difference_of,
    theta_of_model,
)
from scoring.export.recomputing.reading import TINY, Array, Run, Values

LEVEL = 0.05


def p_value(difference: float, se: float, df: int) -> float:
    return 1 - t_inside(abs(difference) / se, df) if se > 0 and df >= 1 else math.nan


def holm(p: Array) -> Array:
    """Corrected for the number of tests that are no NaN (Holm 1979)."""
    found, tested = np.full(p.shape, math.nan), np.flatnonzero(~np.isnan(p))
    order = tested[np.argsort(p[tested], kind="stable")]
    found[order] = np.maximum.accumulate(np.minimum(1, np.arange(len(order), 0, -1) * p[order]))
    return found


def p_of(found: Values) -> float:
    return p_value(found["value"], found["se"], found["clusters"] - 1) if "se" in found else math.nan


@cache
def corrected(run: Run, group: str, name: str) -> dict[str, float]:
    """The corrected p of every model's difference."""
    models = sorted(bank_of(run.export).scores)
    p = holm(np.array([p_of(difference_of(run, group, name, model)) for model in models], dtype=float))
    return dict(zip(models, p.tolist(), strict=True))


@formula("models", *(name.replace("theta.", "difference.") for name in THETAS))
def difference(run: Run, row: Values) -> Values:
    """Verdicts are of differences of Average, by theta.pool and theta.ql."""
    name, group, model = row["name"].replace("difference.", "theta."), row["group"], row["subset"][6:]
    found, pairs = difference_of(run, group, name, model), run.group(group).pairs
    prompts = found.get("prompts", 0)
    facts: Values = {
        "design": design_of(pairs),
        "pairs_without_model": len(pairs) - found.get("n", 0),
    }
    if name != "theta.ql":
        human = found["n"] / prompts if name == "theta.prompt" and prompts else 1.0
        facts |= {"k_human": human, "k_model": beside(run, group, name, model).k}
    p = corrected(run, group, name)[model] if group == "average" and name != "theta.prompt" else math.nan
    if not math.isnan(p):
        above = "above" if found["value"] > 0 else "below"
        facts |= {"p_holm": p, "verdict": above if p < LEVEL else "not_distinguishable"}
    return found | {"details": facts}


@formula("models", "theta.pool")
def placed_beside(run: Run, row: Values) -> Values:
    """theta.pool, for Average with the places that 95 % of studies would have all rows in."""
    found = beside_models(run, row)
    if row["group"] != "average":
        return found
    model = (row["subset"] or "").partition(":")[2]
    return found | {"details": found["details"] | standings(run).get(model, {})}


@cache
def standings(run: Run) -> dict[str, Values]:
    """Places and groups of the cohort, under "", and of each model, by single responses."""
    bank = bank_of(run.export)
    of_models = {model: theta_of_model(run, "average", "theta.pool", model) for model in sorted(bank.scores)}
    known = [model for model, found in of_models.items() if not math.isnan(found.get("value", math.nan))]
    pairs = run.group("average").pairs
    items = np.array([bank.place.get(one["prompt_id"], -1) for one in run.prompts], dtype=np.int64)
    weights = np.bincount(items[pairs.prompt], minlength=len(bank.a)).astype(float)
    y = [mean_of_epochs(run.logit(bank.scores[model])) for model in known]
    cohort = float(pairs.a @ (run.logit(pairs.p) + pairs.a * pairs.b) / (pairs.a @ pairs.a))
    theta = np.array([cohort, *(of_models[model]["value"] for model in known)])
    couples = list(combinations(range(len(theta)), 2))
    p = [
        p_of(difference_of(run, "average", "theta.pool", known[j - 1])) if i == 0
        else p_of_two(y[i - 1] - y[j - 1], bank.a, weights)
        for i, j in couples
    ]  # fmt: skip
    apart = np.zeros((len(theta), len(theta)), dtype=bool)
    for (i, j), adjusted in zip(couples, holm(np.array(p, dtype=float)).tolist(), strict=True):
        apart[i, j] = apart[j, i] = adjusted < LEVEL
    return dict(zip(["", *known], places(theta, apart), strict=True))


def p_of_two(d: Array, a: Array, weights: Array) -> float:
    """Of two models being alike, from differences of their logits; the error is clustered by prompt."""
    kept = ~np.isnan(d) & (weights > 0)
    d, a, w = d[kept], a[kept], weights[kept]
    if len(d) < 2:
        return math.nan
    slope = float(w @ a**2)
    value = float(w @ (a * d)) / slope
    summands = w * a * (d - a * value)
    meat = float(summands @ summands)
    if meat <= TINY**2 * float((w * a * d) @ (w * a * d)):
        return math.nan
    return p_value(value, math.sqrt(len(d) / (len(d) - 1) * meat) / slope, len(d) - 1)


def places(theta: Array, apart: Array) -> Iterable[Values]:
    """Of each row where it may stand, and its groups: longest runs of neighbours with no two apart."""
    runs: list[set[int]] = []
    order, end = np.argsort(-theta, kind="stable").tolist(), 0
    for start in range(len(order)):
        reach = start + 1
        while reach < len(order) and not apart[order[reach], order[start:reach]].any():
            reach += 1
        if reach > end:  # else it is part of the run before
            runs.append(set(order[start:reach]))
            end = reach
    for i, own in enumerate(theta):
        yield {
            "place_best": 1 + int((apart[i] & (theta > own)).sum()),
            "place_worst": len(theta) - int((apart[i] & (theta < own)).sum()),
            "groups": [number for number, run in enumerate(runs, start=1) if i in run],
        }
