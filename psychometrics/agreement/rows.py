"""Agreement as rows: one statistic each, from the values of a level."""

from collections.abc import Iterator, Mapping
from typing import Any

from psychometrics.agreement.levels import ABILITY, PEOPLE
from psychometrics.agreement.thetas import ALONE, moves_of, order_of_people

Row = dict[str, Any]


def pair_rows(level: str, values: Mapping[str, Any]) -> Iterator[Row]:
    """Every statistic of two judges on a level; `of` is "x" or "y" where it is one judge's own, else ""."""
    if level == ABILITY:
        yield from _theta_rows(values)
        return
    counts = {name: values[name] for name in ("n", "clusters", "seed", "resamples")}
    for statistic, found in values["statistics"].items():
        yield {"of": "", "level": level, "statistic": statistic, **counts, **_estimate(found)}


def panel_rows(levels: Mapping[str, Any]) -> Iterator[Row]:
    """Every statistic of all judges at once."""
    for level, values in levels.items():
        counts = {"n": values["units"], **{name: values[name] for name in ("clusters", "seed", "resamples")}}
        for statistic, found in values["statistics"].items():
            yield {"level": level, "statistic": statistic, **counts, **_estimate(found)}


def _theta_rows(values: Mapping[str, Any]) -> Iterator[Row]:
    order, people = order_of_people(values), values["people"]
    yield _row("", PEOPLE, "theta_order", {"n": people, "clusters": people}, order)
    for group in values["groups"]:
        level, own = group["group"], group["x"]["pooled"]
        for side in ("x", "y"):
            for statistic, found in _thetas_of(group[side]):
                yield _row(side, level, statistic, group[side]["pooled"], _estimate(found))
        yield _row("", level, "theta_change", group["change"], _estimate(group["change"]))
        yield _row("", level, "theta_change.ql", group["quasi_change"], _estimate(group["quasi_change"]))
        for statistic, found in moves_of(group):
            yield _row("", level, statistic, own, found)


def _row(of: str, level: str, statistic: str, counts: Mapping[str, Any], found: Mapping[str, Any]) -> Row:
    sizes = {"n": counts["n"], "clusters": counts["clusters"]}
    return {"of": of, "level": level, "statistic": statistic, **sizes, **found}


def _thetas_of(group: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """A group under one judge: how many people, and every theta."""
    reason = group["pooled"]["reason"] if group["theta"] is None else ""
    yield "people", {"value": group["participants"], "reason": "", **ALONE}
    yield "theta.prompt", {"value": group["theta"], "reason": reason, **ALONE}
    yield "theta.pool", group["pooled"]
    yield "theta.ql", group["quasi"]


def _estimate(found: Mapping[str, Any]) -> Row:
    ends = {name: found[name] for name in ("value", "se", "low", "high")}
    return {**ends, "reason": found["reason"] or None}
