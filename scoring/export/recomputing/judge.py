"""The block judge: theta at confidence 1, under another judge, and without single answers."""

import math
import statistics
from collections import Counter
from dataclasses import replace

import numpy as np

from scoring.export.recomputing.estimators import (
    Root,
    by_prompt,
    cluster_variance,
    clustered,
    pooled,
    prompt_sums,
    quasi,
    with_analytic,
    with_error,
)
from scoring.export.recomputing.formulas import THETAS, formula
from scoring.export.recomputing.reading import UNKNOWN, Array, NotHere, Rows, Run, Values


@formula("judge", *THETAS)
def theta_under_scores(run: Run, row: Values) -> Values:
    rows, anew = scored_by(run, row["subset"])
    if anew:
        rows = rows.of(run.best(rows)[rows.person])
    elif row["subset"] == "scores:judge":
        rows = run.group(row["group"])
    else:
        rows = run.group(row["group"], rows.of(~np.isnan(rows.p) & ~np.isnan(run.cohort.p)))
    return plain_theta(run, row["name"], rows.pairs)


def plain_theta(run: Run, name: str, rows: Rows) -> Values:
    """A theta as `estimates` has it: by prompts with the analytic error, the others clustered by person."""
    found = {"n": len(rows), "prompts": len(set(rows.prompt)), "clusters": len(set(rows.person))}
    if not len(rows):
        return found
    if name == "theta.prompt":
        return found | with_analytic(by_prompt(run, rows), float(prompt_sums(run, rows)[1].sum()), run.sigma)
    return found | clustered(run, name, rows, rows.person)


def scored_by(run: Run, subset: str) -> tuple[Rows, bool]:
    """The cohort under the scores that a subset names, and whether Top is chosen by them anew."""
    name, _, anew = subset.partition("/")
    kind, _, judge = name.partition(":")
    if name == "scores:judge":
        return run.cohort, bool(anew)
    if name == "scores:certain":
        return replace(run.cohort, p=run.cohort.certain), bool(anew)
    if kind != "judge":
        raise NotHere(UNKNOWN)
    return replace(run.cohort, p=other_run(run, judge).cohort.p), bool(anew)


def other_run(run: Run, judge: str) -> Run:
    """The run that the rows of this judge name."""
    number = next(
        one["details"]["run"] for one in run.measures
        if (one["subset"] or "").partition("/")[0] == f"judge:{judge}" and "run" in one["details"]
    )  # fmt: skip
    return Run(run.export, next(one for one in run.export.manifest["runs"] if one["number"] == number))


@formula("judge", "theta.change.ql")
def quasi_change(run: Run, row: Values) -> Values:
    """The change of theta_QL on the same answers: the influences of both roots are subtracted."""
    return change_of_quasi(*same_answers(run, row))


def change_of_quasi(mine: Rows, theirs: Rows) -> Values:
    own, other = quasi(mine), quasi(theirs)
    root = Root(other.theta - own.theta, other.summands / other.slope - own.summands / own.slope, 1.0)
    found = with_error(root.theta, cluster_variance(root, mine.person), len(set(mine.person)))
    return {"n": len(mine)} | found


def same_answers(run: Run, row: Values) -> tuple[Rows, Rows]:
    """The group's answers that have a score under both, with this run's scores and with the other ones."""
    return scored_by_both(run, scored_by(run, row["subset"])[0], row["group"])


def scored_by_both(run: Run, other: Rows, group: str) -> tuple[Rows, Rows]:
    both = ~np.isnan(run.cohort.p) & ~np.isnan(other.p) & ~np.isnan(other.a)
    return run.group(group, run.cohort.of(both)), run.group(group, other.of(both))


@formula("judge", "theta.change")
def theta_change(run: Run, row: Values) -> Values:
    return change_of_theta(run, *same_answers(run, row))


def change_of_theta(run: Run, mine: Rows, theirs: Rows) -> Values:
    """The pooled change of theta under other scores of the same answers, those of this run's group."""
    z = run.logit(theirs.p) - run.logit(mine.p)
    slope = float(mine.a @ mine.a)
    theta = float(mine.a @ z) / slope if slope else math.nan
    root = Root(theta, mine.a * (z - mine.a * theta), slope)
    found = with_error(theta, cluster_variance(root, mine.person), len(set(mine.person)))
    return {"n": len(mine)} | found


@formula("judge", "influence.answer")
def influence(run: Run, row: Values) -> Values:
    rows = run.group(row["group"]).pairs
    root = pooled(run, rows)
    here = place_of(run, rows, row)
    return {"value": float(-root.summands[here][0] / (root.slope - rows.a[here][0] ** 2))}


@formula("judge", "theta.flips")
def flips(run: Run, row: Values) -> Values:
    rows = run.group(row["group"]).pairs
    fall = float(run.logit(np.zeros(1))[0] - run.logit(np.ones(1))[0])
    full = rows.a[rows.p == 1].sum()
    return {"n": len(rows), "value": row["details"]["share"] * float(full) * fall / float(rows.a @ rows.a)}


@formula("judge", "judge.unscored")
def unscored(run: Run, row: Values) -> Values:
    missing, there = (
        (run.cohort.outcome == "unscored").sum(),
        np.isin(run.cohort.outcome, ("scored", "unscored")),
    )
    retained = {str(code) for code in run.codes[run.retained]}
    reasons = Counter(
        one["unscored_reason"] for one in run.export.table("scores")
        if one["run"] == run.number and one["score"] is None and one["participant"] in retained
    )  # fmt: skip
    facts = {"unscored": int(missing), "reasons": dict(reasons)}
    return {"n": int(there.sum()), "value": float(missing / there.sum()), "details": facts}


@formula("judge", "judge.confidence", "judge.certain")
def confidence(run: Run, row: Values) -> Values:
    retained = {str(code) for code in run.codes[run.retained]}
    found = [
        round(one["confidence"], 2) for one in run.export.table("criteria")
        if one["run"] == run.number and one["confidence"] is not None and one["participant"] in retained
    ]  # fmt: skip
    if row["name"] == "judge.certain":
        return {"n": len(found), "value": found.count(1.0) / len(found)}
    counts = [[one, number] for one, number in sorted(Counter(found).items())]
    return {"n": len(found), "value": statistics.fmean(found), "details": {"counts": counts}}


@formula("judge", "influence.other")
def influence_of_scores(run: Run, row: Values) -> Values:
    """What one answer adds to the change of theta.pool under other scores."""
    mine, theirs = same_answers(run, row)
    here = place_of(run, mine, row)
    change = run.logit(theirs.p[here]) - run.logit(mine.p[here])
    return {"value": float(mine.a[here][0] * change[0] / (mine.a @ mine.a))}


@formula("judge", "influence.answer.ql", "influence.other.ql")
def quasi_influence(run: Run, row: Values) -> Values:
    """The change of theta_QL without an answer, or where that answer alone has its other score."""
    if row["name"] == "influence.answer.ql":
        rows = run.group(row["group"]).pairs
        changed = rows.of(~place_of(run, rows, row))
    else:
        rows, theirs = same_answers(run, row)
        changed = replace(rows, p=np.where(place_of(run, rows, row), theirs.p, rows.p))
    return {"value": quasi(changed).theta - quasi(rows).theta}


@formula("judge", "theta.flips.ql")
def quasi_flips(run: Run, row: Values) -> Values:
    rows = run.group(row["group"]).pairs
    flipped = replace(rows, p=np.where(rows.p == 1, 1 - row["details"]["share"], rows.p))
    return {"n": len(rows), "value": quasi(flipped).theta - quasi(rows).theta}


def place_of(run: Run, rows: Rows, row: Values) -> Array:
    """(n,): the answer that a row is about."""
    prompts = np.array([one["prompt_id"] == row["prompt_id"] for one in run.prompts], dtype=bool)
    return (run.codes[rows.person] == row["participant"]) & prompts[rows.prompt]
