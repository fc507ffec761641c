"""Agreement as rows: one statistic each, from the values of a level."""

from collections.abc import Iterator, Mapping
from typing import Any

from psychometrics.agreement.levels import ABILITY, PEOPLE
from psychometrics.inference.estimates import Reason

Row = dict[str, Any]
MIN_PEOPLE = 3  # for an order of thetas
ALONE = {"low": None, "high": None, "se": None}


def pair_rows(level: str, values: Mapping[str, Any]) -> Iterator[Row]:
    """Every statistic of two judges on a level; `of` is "x" or "y" where it is one judge's own, else ""."""
    if level == ABILITY:
        yield from _theta_rows(values)
        return
    counts = {name: values[name] for name in ("n", "clusters", "seed", "resamples")}
    for statistic, found in values["statistics"].items():
        yield {"of": "", "level": level, "statistic": statistic, **counts, **estimate(found)}


def panel_rows(levels: Mapping[str, Any]) -> Iterator[Row]:
    """Every statistic of all judges at once."""
    for level, values in levels.items():
        counts = {"n": values["units"], **{name: values[name] for name in ("clusters", "seed", "resamples")}}
        for statistic, found in values["statistics"].items():
            yield {"level": level, "statistic": statistic, **counts, **estimate(found)}


def _theta_rows(values: Mapping[str, Any]) -> Iterator[Row]:
    order, people = order_of_people(values), values["people"]
    yield _row("", PEOPLE, "theta_order", {"n": people, "clusters": people}, order)
    for group in values["groups"]:
        level, own = group["group"], group["x"]["pooled"]
        for side in ("x", "y"):
            for statistic, found in thetas_of(group[side]):
                yield _row(side, level, statistic, group[side]["pooled"], estimate(found))
        yield _row("", level, "theta_change", group["change"], estimate(group["change"]))
        yield _row("", level, "theta_change.ql", group["quasi_change"], estimate(group["quasi_change"]))
        for statistic, found in moves_of(group):
            yield _row("", level, statistic, own, found)


def _row(of: str, level: str, statistic: str, counts: Mapping[str, Any], found: Mapping[str, Any]) -> Row:
    sizes = {"n": counts["n"], "clusters": counts["clusters"]}
    return {"of": of, "level": level, "statistic": statistic, **sizes, **found}


def order_of_people(values: Mapping[str, Any]) -> dict[str, Any]:
    """Whether the order of single people's thetas stays under the other judge, or why that is unknown."""
    value, reason = values["spearman_of_people"], None
    if value is None:
        logistic = values["groups"][0]["x"]["pooled"]["reason"] == Reason.LOGISTIC_BANK
        few = values["people"] < MIN_PEOPLE
        reason = Reason.TOO_FEW_PAIRS if few else Reason.NO_VARIATION
        reason = Reason.LOGISTIC_BANK if logistic else reason
    return {"value": value, "reason": reason, **ALONE}


def moves_of(group: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """How far a group's theta under y is from that under x, in errors under x: what warnings tell."""
    x, y = group["x"], group["y"]
    if x["pooled"]["reason"] == Reason.LOGISTIC_BANK:
        yield "theta_moved.ql", moved(x["quasi"], y["quasi"], x["quasi"]["se"])
        return
    of_x, of_y = ({"value": side["theta"], "reason": side["pooled"]["reason"]} for side in (x, y))
    yield "theta_moved.prompt", moved(of_x, of_y, x["pooled"]["se"])
    yield "theta_moved.pool", moved(x["pooled"], y["pooled"], x["pooled"]["se"])


def moved(x: Mapping[str, Any], y: Mapping[str, Any], se: float | None) -> dict[str, Any]:
    if x["value"] is None or y["value"] is None or not se:
        return {"value": None, "reason": x["reason"] or y["reason"] or Reason.NO_VARIATION, **ALONE}
    return {"value": (y["value"] - x["value"]) / se, "reason": None, **ALONE}


def thetas_of(group: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """A group under one judge: how many people, and every theta."""
    reason = group["pooled"]["reason"] if group["theta"] is None else ""
    yield "people", {"value": group["participants"], "reason": "", **ALONE}
    yield "theta.prompt", {"value": group["theta"], "reason": reason, **ALONE}
    yield "theta.pool", group["pooled"]
    yield "theta.ql", group["quasi"]


def estimate(found: Mapping[str, Any]) -> Row:
    ends = {name: found[name] for name in ("value", "se", "low", "high")}
    return {**ends, "reason": found["reason"] or None}
