"""The table audit_results: how far each judge agrees with people, in the sample and over all verdicts."""

import math
from collections import Counter
from functools import cache

import numpy as np

from scoring.export.recomputing.coefficients import COUNTED, DECIMALS, statistics_of, table_of
from scoring.export.recomputing.draws import spread_of
from scoring.export.recomputing.panels import of_scores, run_of
from scoring.export.recomputing.reading import Array, Export, Values

LEAST_COVERED = 0.95  # of the verdicts, by the strata that are rated; below it nothing is said of all
SAME = {"mean_human": "mean_x", "mean_judge": "mean_y"}  # x is what people say, y the judge
Group = tuple[Array, float]  # places of rated verdicts, and how many verdicts they stand for


def audited(export: Export, row: Values) -> Values:
    """One row of `audit_results`."""
    name: str = row["statistic"]
    rows = rows_of(export, row["sample"], row["run"])
    rated = [one for one in rows if one["human_score"] is not None]
    if name == "rated":
        return {"value": len(rated)}
    if name == "raters":
        return {"value": len({one["rater"] for one in rated})}
    if name == "drawn":
        return {"value": sum(one["drawn"] for one in entry_of(export, row["sample"])["strata"])}
    found = in_sample if row["of"] == "sample" else over_all
    return dict(found(export, row["sample"], row["run"])[SAME.get(name, name)])


@cache
def rows_of(export: Export, sample: int, run: int) -> list[Values]:
    """The drawn verdicts that count: those of retained people, beside one judge."""
    of_run = run_of(export, run)
    retained = {str(code) for code in of_run.codes[of_run.retained]}
    return [
        one for one in export.table("audit")
        if (one["sample"], one["run"]) == (sample, run) and one["participant"] in retained
    ]  # fmt: skip


def scores_of_both(rows: list[Values]) -> Array:
    """(2, n): what people and what the judge say, NaN for nothing."""
    return np.array([[one["human_score"], one["judge_score"]] for one in rows], dtype=float).reshape(-1, 2).T


@cache
def in_sample(export: Export, sample: int, run: int) -> Values:
    """On the verdicts as they were drawn, clustered by answer."""
    entry, rows = entry_of(export, sample), rows_of(export, sample, run)
    human, judge = scores_of_both(rows)
    there = ~(np.isnan(human) | np.isnan(judge))
    answers = np.array([f"{one['participant']}\n{one['prompt_id']}" for one in rows], dtype=np.str_)
    return of_scores(human[there], judge[there], answers[there], (entry["seed"], entry["resamples"]))


def entry_of(export: Export, sample: int) -> Values:
    return next(one for one in export.manifest["audits"] if one["number"] == sample)


@cache
def over_all(export: Export, sample: int, run: int) -> Values:
    """Weighted to all verdicts, with the rescaled bootstrap of a stratified draw (Rao and Wu 1988)."""
    entry, rows = entry_of(export, sample), rows_of(export, sample, run)
    rated = [one for one in rows if one["human_score"] is not None]
    human, judge = scores_of_both(rated)
    groups, weights = weighted_groups(entry, rows, rated)
    return weighted(human, judge, groups, weights, (entry["seed"], entry["resamples"]))


def weighted_groups(entry: Values, rows: list[Values], rated: list[Values]) -> tuple[list[Group], Array]:
    """The rated of each stratum, and what each stands for; nothing where they cover too few verdicts.

    A stratum stands for its verdicts times the part of those drawn that still count; one of which none was
    drawn, for all of them.
    """
    here = Counter(one["stratum"] for one in rows)
    stands = {
        one["name"]: one["verdicts"] * here[one["name"]] / one["drawn"] if one["drawn"] else one["verdicts"]
        for one in sorted(entry["strata"], key=lambda one: str(one["name"]))
    }
    names, weights = np.array([one["stratum"] for one in rated], dtype=np.str_), np.zeros(len(rated))
    groups = [(places, stands[name]) for name in stands if len(places := np.flatnonzero(names == name))]
    for places, verdicts in groups:
        weights[places] = verdicts / len(places)
    covered = sum(verdicts for _, verdicts in groups) >= LEAST_COVERED * sum(stands.values())
    return (groups if covered else []), weights


def weighted(
    human: Array, judge: Array, groups: list[Group], weights: Array, draws: tuple[int, int]
) -> Values:
    """Statistics of rated verdicts; the weights are scaled to be 1 on average over the pairs."""
    both = ~np.isnan(judge)
    if not groups or not both.any():
        return {}
    table = table_of(human[both], judge[both])
    rows = np.zeros((len(human), table.rows.shape[1]))
    rows[both] = table.rows
    rows *= weights[:, None]
    rows *= both.sum() / rows[:, 0].sum()
    factors = factors_of(resampled(groups), len(human), draws)

    def values_of(totals: Array) -> Values:
        totals = totals.copy()
        totals[:, COUNTED] = totals[:, COUNTED].round(DECIMALS)  # counts must be equal, not nearly
        return statistics_of(totals, table.centres)

    drawn = values_of(factors @ rows)
    return {
        name: spread_of(float(value[0]), drawn[name]) | {"n": int(both.sum())}
        for name, value in values_of(rows.sum(axis=0)[None, :]).items()
    }


def resampled(groups: list[Group]) -> list[Group]:
    """The groups that are not rated whole; those of one verdict are joined, a lone one with the smallest."""
    left = sorted((one for one in groups if len(one[0]) < one[1]), key=lambda one: len(one[0]))
    lone = [one for one in left if len(one[0]) == 1]
    joined = left[:2] if len(lone) == 1 else lone
    others = left[len(joined) :]
    return (
        [*others, (np.concatenate([one[0] for one in joined]), sum(one[1] for one in joined))]
        if joined
        else others
    )


def factors_of(groups: list[Group], rows: int, draws: tuple[int, int]) -> Array:
    """What the weight of each verdict is multiplied with in each draw, (R, rows)."""
    rng, factors = np.random.default_rng(draws[0]), np.ones((draws[1], rows))
    for places, verdicts in groups:
        r = len(places)
        if r > 1:
            times = rng.multinomial(r - 1, np.full(r, 1 / r), size=draws[1])
            q = math.sqrt(1 - r / verdicts)
            factors[:, places] = 1 - q + q * times * r / (r - 1)
    return factors
