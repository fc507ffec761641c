"""Agreement as measures, one number each, back to the values of a level as tables need them, and export rows.

Names are those of the statistics with "agreement." before them; `subset` is "level:answer", and after it what
tells the numbers of a level apart: the judge whose own it is, a cell of a table, a warning.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Protocol

from psychometrics.agreement.stored import ABILITY, ALONE, ENDS, PEOPLE, Values, moves_of, order_of_people
from psychometrics.inference.estimates import Estimate, Reason, unknown
from psychometrics.inference.measure import Measure, plain

ExportRow = dict[str, Any]
PREFIX = "agreement."
LEVEL, OF_ALL = "level:", "panel"
SIDES = ("x", "y")
GROUP_NUMBERS = {"change": "theta_change", "quasi_change": "theta_change.ql"}
OF_PEOPLE = {
    "people_with_theta": "people", "sd_of_people": "sd_of_people", "theta_order": "spearman_of_people",
}  # fmt: skip
SIDE_NUMBERS = {"pooled": "theta.pool", "quasi": "theta.ql"}
PAIR_COUNTS = ("rows", "missing_x", "missing_y", "outside")
PANEL_COUNTS = ("judges", "scores", "single", "empty")
DRAWS = ("seed", "resamples")


class Row(Protocol):
    """A stored measure: None for what is absent, "" for no reason."""

    name: str
    group: str
    subset: str
    value: float | None
    se: float | None
    low: float | None
    high: float | None
    reason: str
    n: int | None
    clusters: int | None
    details: Any


def level_measures(level: str, values: Mapping[str, Any], *, of_all: bool = False) -> Iterator[Measure]:
    """Every number of a level of two judges or, `of_all`, of a panel."""
    if level == ABILITY:
        yield from _ability_measures(values)
        return
    subset = f"{LEVEL}{level};{OF_ALL}" if of_all else f"{LEVEL}{level}"
    n = values["units" if of_all else "n"]
    draws = {name: values[name] for name in DRAWS}
    yield _measure("pairs", plain(n), subset, clusters=values["clusters"], details=draws)
    for name in PANEL_COUNTS if of_all else PAIR_COUNTS:
        if name in values:
            yield _measure(name, plain(values[name]), subset)
    for judge, number in enumerate(values["missing"] if of_all else ()):
        yield _measure("missing", plain(number), f"{subset};judge:{judge + 1}")
    for name, found in values["statistics"].items():
        count = {"count": found["count"]} if "count" in found else {}
        yield _measure(name, _estimate(found), subset, n=n, clusters=values["clusters"], details=count)
    for cell, number in values.get("confusion", {}).items():
        yield _measure("confusion", plain(number), f"{subset};cell:{cell}")
    for mean, difference, number in values.get("cells", ()):
        at = {"mean": mean, "difference": difference}
        yield _measure("differences", plain(number), f"{subset};cell:{mean},{difference}", details=at)
    yield from _warning_measures(subset, values.get("warnings", ()))


def _ability_measures(values: Mapping[str, Any]) -> Iterator[Measure]:
    subset, people = f"{LEVEL}{ABILITY}", values["people"]
    yield _measure("people_with_theta", plain(people), subset)
    yield _measure("sd_of_people", _plain(values["sd_of_people"], Reason.NO_VARIATION), subset, n=people)
    yield _measure("theta_order", _estimate(order_of_people(values)), subset, n=people)
    for found in values["groups"]:
        group = found["group"]
        for side in SIDES:
            of, own = f"{subset};judge:{side}", found[side]
            yield _measure("people", plain(own["participants"]), of, group)
            theta = _plain(own["theta"], own["pooled"]["reason"])
            yield _measure("theta.prompt", theta, of, group)
            for key, name in SIDE_NUMBERS.items():
                yield _of_clusters(name, own[key], of, group)
        for key, name in GROUP_NUMBERS.items():
            yield _of_clusters(name, found[key], subset, group)
        for name, moved in moves_of(found):
            yield _measure(name, _estimate(moved), subset, group)
        yield _measure("shared", plain(found["shared"]), subset, group)
    yield from _warning_measures(subset, values["warnings"])


def _warning_measures(subset: str, warnings: Iterable[Mapping[str, Any]]) -> Iterator[Measure]:
    for number, warning in enumerate(warnings):
        details = {name: warning[name] for name in ("code", "subject", "threshold", "reason")}
        value = _plain(warning["value"], warning["reason"])
        yield _measure("warning", value, f"{subset};warning:{number + 1}", details=details)


def _of_clusters(name: str, found: Mapping[str, Any], subset: str, group: str) -> Measure:
    return _measure(name, _estimate(found), subset, group, n=found["n"], clusters=found["clusters"])


def _measure(name: str, estimate: Estimate, subset: str, group: str = "", **columns: Any) -> Measure:
    return Measure(f"{PREFIX}{name}", estimate, group=group, subset=subset, **columns)


def _plain(value: float | None, reason: str) -> Estimate:
    return unknown(Reason(reason or Reason.NO_VARIATION)) if value is None else plain(value)


def _estimate(found: Mapping[str, Any]) -> Estimate:
    ends = {name: math.nan if found[name] is None else found[name] for name in ENDS}
    return Estimate(**ends, reason=Reason(found["reason"]) if found["reason"] else None)


def values_by_level(rows: Iterable[Row]) -> dict[str, Values]:
    """The values of every level that the measures of two judges, or of a panel, are of."""
    parts: dict[str, list[tuple[str, Row]]] = defaultdict(list)
    for row in rows:
        level, _, rest = row.subset.removeprefix(LEVEL).partition(";")
        parts[level].append((rest, row))
    return {
        level: _ability_values(own) if level == ABILITY else _level_values(own)
        for level, own in parts.items()
    }


def _level_values(own: list[tuple[str, Row]]) -> Values:
    of_all = own[0][0].startswith(OF_ALL)
    values: dict[str, Any] = {"statistics": {}, "warnings": [], **({"missing": []} if of_all else {})}
    for rest, row in own:
        name, value = row.name.removeprefix(PREFIX), row.value
        if name == "pairs":
            values |= {"units" if of_all else "n": _count(row), "clusters": row.clusters, **row.details}
        elif name in (*PAIR_COUNTS, *PANEL_COUNTS):
            values[name] = _count(row)
        elif name == "missing":
            values["missing"].append(_count(row))
        elif name == "warning":
            values["warnings"].append({**row.details, "value": value})
        elif name == "confusion":
            values.setdefault("confusion", {})[rest.removeprefix("cell:")] = _count(row)
        elif name == "differences":
            at = [row.details["mean"], row.details["difference"], _count(row)]
            values.setdefault("cells", []).append(at)
        else:
            values["statistics"][name] = {**_ends(row), **row.details}
    return values


def _ability_values(own: list[tuple[str, Row]]) -> Values:
    values: dict[str, Any] = {"groups": [], "warnings": []}
    groups: dict[str, dict[str, Any]] = {}
    keys = {name: key for key, name in (SIDE_NUMBERS | GROUP_NUMBERS).items()}
    for rest, row in own:
        name = row.name.removeprefix(PREFIX)
        if name == "warning":
            values["warnings"].append({**row.details, "value": row.value})
        elif not row.group:
            values[OF_PEOPLE[name]] = row.value
        else:
            group = groups.setdefault(row.group, {"group": row.group, "x": {}, "y": {}})
            side = group[rest.removeprefix("judge:")] if rest else group
            if name in ("people", "shared"):
                side["participants" if name == "people" else name] = _count(row)
            elif name == "theta.prompt":
                side["theta"] = row.value
            elif name in keys:  # what else is there follows from these
                side[keys[name]] = {**_ends(row), "n": row.n, "clusters": row.clusters}
    return {**values, "people": int(values["people"]), "groups": list(groups.values())}


def _ends(row: Row) -> dict[str, Any]:
    return {name: getattr(row, name) for name in (*ENDS, "reason")}


def _count(row: Row) -> int:
    return int(row.value or 0)


def pair_rows(level: str, values: Mapping[str, Any]) -> Iterator[ExportRow]:
    """Every statistic of two judges on a level; `of` is "x" or "y" where it is one judge's own, else ""."""
    if level != ABILITY:
        counts = {name: values[name] for name in ("n", "clusters", "seed", "resamples")}
        for statistic, found in values["statistics"].items():
            yield {"of": "", "level": level, "statistic": statistic, **counts, **_ends_of(found)}
        return
    order, people = order_of_people(values), values["people"]
    yield _export_row("", PEOPLE, "theta_order", {"n": people, "clusters": people}, order)
    for group in values["groups"]:
        name, pooled = group["group"], group["x"]["pooled"]
        for side in SIDES:
            own = group[side]
            reason = own["pooled"]["reason"] if own["theta"] is None else ""
            for statistic, found in (
                ("people", {"value": own["participants"], "reason": "", **ALONE}),
                ("theta.prompt", {"value": own["theta"], "reason": reason, **ALONE}),
                ("theta.pool", own["pooled"]),
                ("theta.ql", own["quasi"]),
            ):
                yield _export_row(side, name, statistic, own["pooled"], _ends_of(found))
        for key, statistic in GROUP_NUMBERS.items():
            yield _export_row("", name, statistic, group[key], _ends_of(group[key]))
        for statistic, found in moves_of(group):
            yield _export_row("", name, statistic, pooled, found)


def panel_rows(levels: Mapping[str, Any]) -> Iterator[ExportRow]:
    """Every statistic of all judges at once."""
    for level, values in levels.items():
        counts = {"n": values["units"], **{name: values[name] for name in ("clusters", "seed", "resamples")}}
        for statistic, found in values["statistics"].items():
            yield {"level": level, "statistic": statistic, **counts, **_ends_of(found)}


def _export_row(of: str, level: str, statistic: str, counts: ExportRow, export_row: ExportRow) -> ExportRow:
    sizes = {"n": counts["n"], "clusters": counts["clusters"]}
    return {"of": of, "level": level, "statistic": statistic, **sizes, **export_row}


def _ends_of(found: Mapping[str, Any]) -> ExportRow:
    return {**{end: found[end] for end in ENDS}, "reason": found["reason"] or None}
