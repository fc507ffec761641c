"""Agreement of judges as export rows."""

from collections.abc import Iterator, Mapping
from typing import Any

from psychometrics.inference.estimates import Reason
from scoring.export.rows.judges import AgreementRow
from scoring.models import Agreement
from scoring.selectors.agreements import study_agreements
from scoring.selectors.export_answers import run_numbers
from scoring.selectors.scopes import scope_to_leave
from studies.models import Study

FEWEST_PEOPLE = 3  # for an order of thetas
ALONE = {"low": None, "high": None, "se": None}


def agreement_rows(study: Study) -> Iterator[AgreementRow]:
    """Every stored statistic, pair by pair, in the one scope that leaves the site."""
    numbers = run_numbers(study)
    stored = study_agreements(study).filter(scope=scope_to_leave(study))
    for row in stored.order_by("first", "second", "pk"):
        match row.level:
            case "panel":
                yield from panel_rows(row, numbers)
            case "ability":
                yield from theta_rows(row, numbers)
            case _:
                yield from pair_rows(row, numbers)


def pair_rows(row: Agreement, numbers: Mapping[int, int]) -> Iterator[AgreementRow]:
    counts = {name: row.values[name] for name in ("n", "clusters", "seed", "resamples")}
    for statistic, found in row.values["statistics"].items():
        yield AgreementRow(
            **of_pair(row, numbers), level=row.level, statistic=statistic, **counts, **estimate(found)
        )


def theta_rows(row: Agreement, numbers: Mapping[int, int]) -> Iterator[AgreementRow]:
    order, people = order_of_people(row.values), row.values["people"]
    yield AgreementRow(
        **of_pair(row, numbers), level="people", statistic="theta_order", n=people, clusters=people, **order
    )
    for group in row.values["groups"]:
        for side, run in (("x", row.first_id), ("y", row.second_id)):
            for statistic, found in thetas_of(group[side]):
                yield AgreementRow(
                    **{**of_pair(row, numbers), "runs": [numbers[run]]},
                    level=group["group"],
                    statistic=statistic,
                    n=group[side]["pooled"]["n"],
                    clusters=group[side]["pooled"]["clusters"],
                    **estimate(found),
                )
        for statistic, change in (
            ("theta_change", group["change"]),
            ("theta_change.ql", group["quasi_change"]),
        ):
            yield AgreementRow(
                **of_pair(row, numbers),
                level=group["group"],
                statistic=statistic,
                n=change["n"],
                clusters=change["clusters"],
                **estimate(change),
            )
        for statistic, found in moves_of(group):
            yield AgreementRow(
                **of_pair(row, numbers),
                level=group["group"],
                statistic=statistic,
                n=group["x"]["pooled"]["n"],
                clusters=group["x"]["pooled"]["clusters"],
                **found,
            )


def order_of_people(values: Mapping[str, Any]) -> dict[str, Any]:
    """Whether the order of single people's thetas stays under the other judge, or why that is unknown."""
    value, reason = values["spearman_of_people"], None
    if value is None:
        logistic = values["groups"][0]["x"]["pooled"]["reason"] == Reason.LOGISTIC_BANK
        few = values["people"] < FEWEST_PEOPLE
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


def panel_rows(row: Agreement, numbers: Mapping[int, int]) -> Iterator[AgreementRow]:
    runs = [numbers[pk] for pk in row.values["runs"]]
    for level, values in row.values["levels"].items():
        for statistic, found in values["statistics"].items():
            yield AgreementRow(
                scope=row.scope,
                x_run=None,
                y_run=None,
                runs=runs,
                level=level,
                statistic=statistic,
                n=values["units"],
                clusters=values["clusters"],
                seed=values["seed"],
                resamples=values["resamples"],
                **estimate(found),
            )


def of_pair(row: Agreement, numbers: Mapping[int, int]) -> dict[str, Any]:
    x, y = numbers[row.first_id], numbers[row.second_id]
    return {"scope": row.scope, "x_run": x, "y_run": y, "runs": [x, y]}


def estimate(found: Mapping[str, Any]) -> dict[str, Any]:
    ends = {name: found[name] for name in ("value", "se", "low", "high")}
    return {**ends, "reason": found["reason"] or None}
