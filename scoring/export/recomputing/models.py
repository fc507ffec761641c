"""The block models: the cohort and each model on the same prompts, by every theta, and their difference."""

import math
import zlib
from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from scoring.export.recomputing.bank import bank_of, matched_logits, mean_of_epochs, whole_bank
from scoring.export.recomputing.draws import stream
from scoring.export.recomputing.estimators import (
    Root,
    cluster_variance,
    logistic,
    quasi,
    sizes,
    with_error,
)
from scoring.export.recomputing.formulas import THETAS, formula
from scoring.export.recomputing.reading import TINY, Array, Rows, Run, Values
from scoring.export.recomputing.uncertainty import designed, first_kind, is_nested, twoway_of


def design_of(rows: Rows) -> str:
    """What the errors beside models take as independent."""
    return first_kind(rows, nested=is_nested(rows))


@dataclass(frozen=True, eq=False)
class Beside:
    """A group's pairs on prompts that a model has a score on.

    `m` are the model's logits there, or its scores for theta.ql; `k` the responses behind each.
    """

    rows: Rows
    m: Array
    k: float | None


@cache
def beside(run: Run, group: str, name: str, model: str) -> Beside:
    rows, bank = run.group(group).pairs, bank_of(run.export)
    items = np.array([bank.place.get(one["prompt_id"], -1) for one in run.prompts], dtype=np.int64)
    place, p = items[rows.prompt], bank.scores[model]
    k: float | None = None
    if name == "theta.ql":
        m = mean_of_epochs(p)
    elif name == "theta.pool":
        m, k = mean_of_epochs(run.logit(p)), 1.0
    else:
        wanted, epochs = np.bincount(place, minlength=len(p)), (~np.isnan(p)).sum(axis=1)
        rng = np.random.default_rng([seeds_of(run)[group], zlib.crc32(model.encode())])
        m, seen = matched_logits(run, p, wanted, rng), (wanted > 0) & (epochs > 0)
        k = float(np.minimum(wanted, epochs)[seen].mean()) if seen.any() else None
    kept = ~np.isnan(m[place])
    return Beside(rows.of(kept), m[place][kept], k)


@cache
def seeds_of(run: Run) -> dict[str, int]:
    """What the block draws from its stream: a seed for each group, then one for what is only published."""
    rng = stream(run, "models")
    names = ["average", *(["top"] if run.top.any() else []), "published"]
    return {name: int(rng.integers(2**32)) for name in names}


def theta_of_model(run: Run, group: str, name: str, model: str) -> Values:
    """With an error by prompt: one model, other prompts like these."""
    found = beside(run, group, name, model)
    rows, m = found.rows, found.m
    if not len(rows):
        return {}
    number = len(set(rows.prompt.tolist()))
    if name == "theta.ql":
        root = quasi(replace(rows, p=m))
        return sizes(rows) | with_error(root.theta, cluster_variance(root, rows.prompt), number)
    if name == "theta.prompt":  # each prompt once
        first = np.unique(rows.prompt, return_index=True)[1]
        at, m = rows.of(first), m[first]
    else:
        at = rows
    root = root_of(at, m)
    return sizes(rows) | with_error(root.theta, cluster_variance(root, at.prompt), number)


def root_of(rows: Rows, m: Array) -> Root:
    """The pooled theta of logits m."""
    slope, z = float(rows.a @ rows.a), m + rows.a * rows.b
    theta = float(rows.a @ z) / slope
    return Root(theta, rows.a * (z - rows.a * theta), slope)


@cache
def difference_of(run: Run, group: str, name: str, model: str) -> Values:
    """The cohort's theta where the model's logits stand in place of the difficulties."""
    found, design = beside(run, group, name, model), design_of(run.group(group).pairs)
    rows, m = found.rows, found.m
    if not len(rows):
        return {}
    values = sizes(rows)
    if name == "theta.ql":
        values |= difference_of_quasi(rows, m, design)
    else:
        values |= designed(run, name, replace(rows, b=-m / rows.a), design)
    if values.get("se", math.inf) <= TINY * max(float(np.abs(m).max()), 1.0):  # as alike as rounding shows
        values = {name: value for name, value in values.items() if name not in ("se", "low", "high")}
    return values


def difference_of_quasi(rows: Rows, m: Array, design: str) -> Values:
    mine, theirs = quasi(rows), quasi(replace(rows, p=m))
    of_mine = rows.p - logistic(rows.a * (mine.theta - rows.b))
    of_theirs = m - logistic(rows.a * (theirs.theta - rows.b))
    summands = rows.a * (of_mine / mine.slope - of_theirs / theirs.slope)
    root = Root(mine.theta - theirs.theta, summands, 1.0)
    if design == "twoway":
        return twoway_of(root, rows)
    labels = rows.batch if design == "batch" else rows.person
    return with_error(root.theta, cluster_variance(root, labels), len(set(labels.tolist())))


@formula("models", "theta.epochs")
def as_on_leaderboards(run: Run, row: Values) -> Values:
    """The model's theta from the logits of its mean scores, on every item of the bank."""
    p, rows = on_every_item(run, row)
    root = root_of(rows, run.logit(rows.p))
    epochs = (~np.isnan(p)).sum(axis=1)
    facts = {"k": float(epochs[epochs > 0].mean()), "se_analytic": run.sigma / math.sqrt(root.slope)}
    found = with_error(root.theta, cluster_variance(root, rows.prompt), len(rows))
    return {"n": len(rows), "prompts": len(rows), "details": facts} | found


def on_every_item(run: Run, row: Values) -> tuple[Array, Rows]:
    """A model's scores, and its mean score on each item as if one person had given it."""
    bank = whole_bank(run, row)
    p = bank.scores[row["subset"].partition(":")[2]]
    mean, none = mean_of_epochs(p), np.zeros(len(p), dtype=np.int64)
    rows = Rows(none, np.arange(len(p)), none, none, mean, mean, none, bank.a, bank.b)
    return p, rows.of(~np.isnan(mean))


@formula("models", *THETAS)
def beside_models(run: Run, row: Values) -> Values:
    name, group = row["name"], row["group"]
    if group is None:
        _, rows = on_every_item(run, row)
        root = quasi(rows)
        found = with_error(root.theta, cluster_variance(root, rows.prompt), len(rows))
        return {"n": len(rows), "prompts": len(rows)} | found
    if row["subset"] is None:
        rows = run.group(group).pairs
        design, k = design_of(rows), {"theta.pool": 1.0, "theta.prompt": len(rows) / len(set(rows.prompt))}
        facts = {"k": k.get(name), "design": design}
        return sizes(rows) | designed(run, name, rows, design) | {"details": facts}
    model = row["subset"].partition(":")[2]
    facts = {"k": beside(run, group, name, model).k}
    return theta_of_model(run, group, name, model) | {"details": facts}
