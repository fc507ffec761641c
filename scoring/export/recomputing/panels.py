"""The table agreement: what judges gave to the same criteria and answers."""

import math
from functools import cache

import numpy as np

from scoring.export.recomputing.coefficients import (
    Ranked,
    alpha,
    offset_error,
    statistics_of,
    sums_within,
    table_of,
    units_of,
)
from scoring.export.recomputing.draws import draws_of, spread_of
from scoring.export.recomputing.estimators import codes_of
from scoring.export.recomputing.formulas import THETAS
from scoring.export.recomputing.judge import (
    change_of_quasi,
    change_of_theta,
    plain_theta,
    scored_by_both,
)
from scoring.export.recomputing.reading import Array, Export, Run, Values

Draws = tuple[int, int]  # their seed, and how many


@cache
def run_of(export: Export, number: int) -> Run:
    return Run(export, next(one for one in export.manifest["runs"] if one["number"] == number))


@cache
def scores_of(export: Export, runs: tuple[int, ...], level: str) -> tuple[Array, Array]:
    """Scores (units, runs) of criteria or answers of retained people, NaN for none; and their clusters.

    Criteria are clustered by answer, answers by person.
    """
    retained = {str(code) for code in run_of(export, runs[0]).codes[run_of(export, runs[0]).retained]}
    places: dict[tuple[object, ...], int] = {}
    cells = []
    for one in export.table("criteria" if level == "criterion" else "scores"):
        used = one["run"] in runs and one["participant"] in retained and one["score"] is not None
        if used and (level == "answer" or one["criterion"] is not None):
            key = (one["participant"], one["prompt_id"], one.get("criterion"))
            cells.append((places.setdefault(key, len(places)), runs.index(one["run"]), one["score"]))
    table = np.full((len(places), len(runs)), math.nan)
    for place, column, score in cells:
        table[place, column] = score
    names = [f"{key[0]}\n{key[1]}" if level == "criterion" else str(key[0]) for key in places]
    return table, np.array(names, dtype=np.str_)


@cache
def people_of(export: Export, runs: tuple[int, ...]) -> tuple[Array, Array]:
    """Mean scores (people, 2) over the answers that both judges scored."""
    table, person = scores_of(export, runs, "answer")
    both = ~np.isnan(table).any(axis=1)
    names, codes = np.unique(person[both], return_inverse=True)
    answers = np.bincount(codes)
    means = [np.bincount(codes, column) / answers for column in table[both].T]
    return np.clip(np.stack(means, axis=1), 0, 1), names


def agreement_of(export: Export, row: Values) -> Values:
    """One row of `agreement`."""
    name, runs = row["statistic"], tuple(row["runs"])
    kind, _, theta = name.partition(".")
    if kind == "theta_change":
        x, y = (run_of(export, number) for number in runs)
        mine, theirs = scored_by_both(x, y.cohort, row["level"])
        return change_of_quasi(mine, theirs) if theta == "ql" else change_of_theta(x, mine, theirs)
    if kind == "theta_moved":
        return moved(export, runs, row["level"], theta)
    if name in ("people", *THETAS):
        return of_group(run_of(export, runs[0]), row["level"], name)
    if name == "theta_order":
        return order_of_thetas(export, runs)
    draws = (row["seed"], row["resamples"])
    found: Values = (of_panel if row["x_run"] is None else of_pair)(export, runs, row["level"], draws)
    return dict(found[name])


def of_group(run: Run, group: str, name: str) -> Values:
    """Theta of a group under one judge; `people` are those in it with an answer that counts."""
    rows = run.group(group)
    if name == "people":
        return {"value": len(set(rows.person[np.isin(rows.outcome, ("scored", "unscored"))]))}
    return plain_theta(run, name, rows.pairs)


def order_of_thetas(export: Export, runs: tuple[int, ...]) -> Values:
    """Spearman's rho of single people's thetas under either judge, on the answers both scored."""
    x, y = (run_of(export, number) for number in runs)
    of_both = scored_by_both(x, y.cohort, "average")
    codes, number = codes_of(of_both[0].person)
    thetas = [
        np.bincount(codes, rows.a * (x.logit(rows.p) + rows.a * rows.b), minlength=number)
        / np.bincount(codes, rows.a**2, minlength=number)
        for rows in of_both
    ]
    rho = Ranked(thetas[0], thetas[1], np.arange(number)).rho(np.ones(number))
    return {"value": rho, "n": number, "clusters": number}


def moved(export: Export, runs: tuple[int, ...], group: str, theta: str) -> Values:
    """How far a group's theta under y is from that under x, in errors under x."""
    x, y = (run_of(export, number) for number in runs)
    before, after = (plain_theta(run, f"theta.{theta}", run.group(group).pairs) for run in (x, y))
    pairs = x.group(group).pairs
    error = plain_theta(x, "theta.ql" if theta == "ql" else "theta.pool", pairs)["se"]
    value = (after["value"] - before["value"]) / error
    return {"value": value, "n": len(pairs), "clusters": len(set(pairs.person))}


@cache
def of_panel(export: Export, runs: tuple[int, ...], level: str, draws: Draws) -> Values:
    """Alpha of all judges at once, both kinds on the same draws."""
    scores, names = scores_of(export, runs, level)
    pairable = (~np.isnan(scores)).sum(axis=1) > 1
    codes, number = codes_of(names[pairable])
    totals = [sums_within(units_of(scores[pairable], nominal=kind), codes, number) for kind in (False, True)]
    drawn: list[list[Array]] = [[], []]
    for times in draws_of(number, draws[1], np.random.default_rng(draws[0])):
        for blocks, table in zip(drawn, totals, strict=True):
            blocks.append(alpha(times @ table))
    return {
        f"alpha_{kind}": spread_of(float(alpha(table.sum(axis=0, keepdims=True))[0]), np.concatenate(blocks))
        | {"n": int(pairable.sum()), "clusters": number}
        for kind, table, blocks in zip(("interval", "nominal"), totals, drawn, strict=True)
    }


@cache
def of_pair(export: Export, runs: tuple[int, ...], level: str, draws: Draws) -> Values:
    """Every statistic of two judges by its name."""
    both_of, names = people_of(export, runs) if level == "people" else scores_of(export, runs, level)
    there = ~np.isnan(both_of).any(axis=1)
    x, y = both_of[there].T
    return of_scores(x, y, names[there], draws)


def of_scores(x: Array, y: Array, clusters: Array, draws: Draws) -> Values:
    """Every statistic of pairs of scores, clusters drawn anew; the offset has its error by clusters."""
    codes, number = codes_of(clusters)
    table, ranked = table_of(x, y), Ranked(x, y, codes)
    totals = sums_within(table.rows, codes, number)

    def values_of(times: Array) -> Values:
        rho = np.array([ranked.rho(one) for one in times])
        return statistics_of(times @ totals, table.centres) | {"spearman": rho}

    sample = values_of(np.ones((1, number)))
    drawn = [values_of(times) for times in draws_of(number, draws[1], np.random.default_rng(draws[0]))]
    found = {
        name: spread_of(float(value[0]), np.concatenate([one[name] for one in drawn]))
        for name, value in sample.items()
    } | {"offset": offset_error(x, y, clusters)}
    return {name: of_one | {"n": len(x), "clusters": number} for name, of_one in found.items()}
