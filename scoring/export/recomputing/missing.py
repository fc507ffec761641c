"""The block missing: shares of what is not there, and theta under assumptions about it."""

import math
from dataclasses import replace

import numpy as np

from scoring.export.recomputing.estimators import (
    by_prompt,
    clustered,
    codes_of,
    logistic,
    pooled,
    quasi,
    with_error,
)
from scoring.export.recomputing.formulas import THETAS, formula
from scoring.export.recomputing.reading import Array, Rows, Run, Values
from scoring.export.recomputing.slices import in_part
from scoring.export.recomputing.uncertainty import components

ABSENT = ("skipped", "not_reached", "not_submitted")


@formula("missing", *(f"share.{one}" for one in ("scored", "unscored", *ABSENT)))
def share_of(run: Run, row: Values) -> Values:
    rows = run.group(row["group"])
    count = int((rows.outcome == row["name"].partition(".")[2]).sum())
    facts = {"details": {"count": count}}
    return {"value": count / len(rows), "n": len(rows), "people": len(set(rows.person))} | facts


@formula("missing", "share.absent")
def share_absent(run: Run, row: Values) -> Values:
    kind, _, value = row["subset"].partition(":")
    rows = run.cohort
    rows = rows.of(rows.position == int(value) if kind == "position" else in_part(run, rows, kind, value))
    counts = {one: int((rows.outcome == one).sum()) for one in ("scored", "unscored", *ABSENT)}
    return {"value": sum(counts[one] for one in ABSENT) / len(rows), "n": len(rows), "details": counts}


@formula("missing", "absence.test")
def absence_test(run: Run, row: Values) -> Values:
    """Pr(X >= absent of Top) with the share of the cohort, X binomial."""
    top, n = run.group("top"), len(run.group("top"))
    share = float(np.isin(run.cohort.outcome, ABSENT).mean())
    absent = int(np.isin(top.outcome, ABSENT).sum())
    terms = (
        math.exp(
            math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)
            + k * math.log(share) + (n - k) * math.log1p(-share)
        )
        for k in range(absent, n + 1)
    )  # fmt: skip
    facts = {"absent": absent, "share_of_cohort": share}
    return {"value": math.fsum(terms), "n": n, "details": facts}


@formula("missing", *THETAS)
def theta_assuming(run: Run, row: Values) -> Values:
    """Theta under what the subset assumes of the answers that are not there."""
    kind, _, value = row["subset"].partition(":")
    rows = run.group(row["group"])
    gaps = {"details": {"imputed": int((np.isnan(rows.p) & ~np.isnan(rows.a)).sum())}}
    facts: Values = {}
    if kind == "delta":
        return gaps | {"value": theta_predicted(run, row["name"], rows, float(value))}
    if kind == "bound":
        filled = replace(rows, p=np.where(np.isnan(rows.p), 0.0 if value == "low" else 1.0, rows.p)).pairs
        return gaps | {"value": theta_of(run, row["name"], filled)}
    if kind == "as-zero":
        zeros = replace(run.cohort, p=np.where(left_alone(run.cohort), 0.0, run.cohort.p))
        anew = row["group"] == "top" and not value
        best = run.best(zeros)
        rows = zeros.of(best[zeros.person]) if anew else run.group(row["group"], zeros)
        facts = stayed(run, best) if anew else {}
    elif kind == "floor":
        answered = ~np.isin(run.cohort.outcome, ABSENT)
        places = np.bincount(run.cohort.person, minlength=len(run.people))
        shares = np.bincount(run.cohort.person[answered], minlength=len(run.people)) / np.maximum(places, 1)
        enough = shares >= float(value)
        best = run.best(run.cohort.of(enough[run.cohort.person]))
        rows = run.cohort.of(best[run.cohort.person])
        facts = stayed(run, best) | {"eligible": int((enough & (places > 0)).sum())}
    rows = rows.pairs
    return {"n": len(rows), "details": facts} | clustered(run, row["name"], rows, rows.person)


def stayed(run: Run, chosen: Array) -> Values:
    """How many of Top are chosen again."""
    return {"same_people": int((run.top & chosen).sum()), "of": int(run.top.sum())}


def theta_of(run: Run, name: str, rows: Rows) -> float:
    if name == "theta.prompt":
        return by_prompt(run, rows)
    return pooled(run, rows).theta if name == "theta.pool" else quasi(rows).theta


def left_alone(rows: Rows) -> Array:
    return np.isin(rows.outcome, ("skipped", "not_reached"))


def theta_predicted(run: Run, name: str, rows: Rows, delta: float) -> float:
    """Theta where missing answers are as expected of the person, `delta` logits worse."""
    if name == "theta.ql":
        return quasi_predicted(run, rows, delta)
    whole = run.cohort.pairs
    people, prompts, answers = components(run, whole)
    root = pooled(run, whole)
    number = len(run.people)
    information = np.bincount(whole.person, whole.a**2, minlength=number)
    deviation = np.bincount(whole.person, root.summands, minlength=number)
    noise = prompts + answers + people * information
    ability = root.theta + np.where(noise > 0, people * deviation / np.where(noise > 0, noise, 1), 0)
    known = rows.of(~np.isnan(rows.a))
    gaps = np.isnan(known.p)
    expected = known.a * (ability[known.person] - known.b) - delta
    if name == "theta.prompt":
        back = np.clip((logistic(expected) - run.offset) / run.scale, 0, 1)
        return by_prompt(run, replace(known, p=np.where(gaps, back, known.p)))
    y = np.where(gaps, expected, run.logit(np.where(gaps, 0.5, known.p)))
    return float(known.a @ (y + known.a * known.b) / (known.a @ known.a))


def quasi_predicted(run: Run, rows: Rows, delta: float) -> float:
    """theta_QL with scores of logistic(a (theta_i - b) - delta) in the gaps, theta_i shrunken in one step."""
    whole, number = run.cohort.pairs, len(run.people)
    root = quasi(whole)
    pi = logistic(whole.a * (root.theta - whole.b))
    w = whole.a**2 * pi * (1 - pi)
    deviation, information = (np.bincount(whole.person, one, minlength=number) for one in (root.summands, w))
    squares = float(root.summands @ root.summands)
    people = max((float(deviation @ deviation) - squares) / float(information @ information - w @ w), 0.0)
    noise = max((squares - people * float(w @ w)) / float(w.sum()), 0.0) + people * information
    ability = root.theta + np.where(noise > 0, people * deviation / np.where(noise > 0, noise, 1), 0)
    known = rows.of(~np.isnan(rows.a))
    expected = logistic(known.a * (ability[known.person] - known.b) - delta)
    return quasi(replace(known, p=np.where(np.isnan(known.p), expected, known.p))).theta


@formula("missing", "missing.odds_ratio")
def odds_ratio(run: Run, row: Values) -> Values:
    """exp(beta) of a logistic model of absent answers, by Newton's method, errors clustered by person."""
    rows = run.cohort.of(~np.isnan(run.cohort.a))
    absent = np.isin(rows.outcome, ABSENT).astype(float)
    modality = np.array([one["modality"] for one in run.prompts], dtype=np.str_)[rows.prompt]
    levels, used = compared_levels(modality, absent)
    columns = {"b": rows.b, "position": rows.position.astype(float)}
    columns |= {f"modality:{name}": (modality == name).astype(float) for name in levels}
    varying = {name: column[used] for name, column in columns.items() if np.ptp(column[used]) > 0}
    x = np.stack([np.ones(int(used.sum())), *varying.values()], axis=1)
    beta, error, clusters = logistic_regression(x, absent[used], rows.person[used])
    place = 1 + list(varying).index(row["subset"])
    log = with_error(beta[place], error[place] ** 2, clusters)
    found = {name: math.exp(log[name]) for name in ("value", "low", "high") if name in log}
    return found | {"se": found["value"] * error[place], "n": len(x), "clusters": clusters}


def compared_levels(modality: Array, absent: Array) -> tuple[list[str], Array]:
    """The modalities with a coefficient, and the rows used: where some but not all answers are absent.

    The most frequent of them is what others are compared with.
    """
    names, codes, counts = np.unique(modality, return_inverse=True, return_counts=True)
    missing = np.bincount(codes, absent)
    varies = [str(name) for name, k, n in zip(names, missing, counts, strict=True) if 0 < k < n]
    often = dict(zip(names.tolist(), counts.tolist(), strict=True))
    reference = min(varies or often, key=lambda name: (-often[name], name))
    return [name for name in varies if name != reference], np.isin(modality, [*varies, reference])


def logistic_regression(x: Array, y: Array, person: Array) -> tuple[Array, Array, int]:
    """Coefficients, their errors clustered by person, and the number of people."""
    beta, scale = np.zeros(x.shape[1]), np.abs(x).max(axis=0)
    x = x / scale
    for _ in range(25):
        pi = logistic(x @ beta)
        step = np.linalg.solve((x.T * (pi * (1 - pi))) @ x, x.T @ (y - pi))
        beta = beta + step
        if np.abs(step).max() <= 1e-13 * (1 + np.abs(beta).max()):
            break
    pi = logistic(x @ beta)
    bread = np.linalg.inv((x.T * (pi * (1 - pi))) @ x)
    codes, number = codes_of(person)
    sums = np.stack([np.bincount(codes, own, minlength=number) for own in (x.T * (y - pi))])
    variance = number / max(number - 1, 1) * np.diag(bread @ (sums @ sums.T) @ bread)
    return beta / scale, np.sqrt(variance) / scale, number
