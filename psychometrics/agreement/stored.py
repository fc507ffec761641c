"""Agreement of judges as plain values, as the database holds them, and what follows from these values."""

from collections.abc import Iterator, Mapping
from typing import Any

from formats.canonical import JsonValue
from psychometrics.inference.estimates import Reason

CRITERION, ANSWER, PEOPLE, ABILITY = "criterion", "answer", "people", "ability"
Values = dict[str, JsonValue]
ENDS = ("value", "se", "low", "high")
MIN_PEOPLE = 3  # for an order of thetas
ALONE = {"low": None, "high": None, "se": None}


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
    """How far a group's theta under y is from that under x, in errors under x: what warnings tell.

    Both ways to aggregate are held against the error of the pooled pairs; on a logistic bank theta_QL against
    its own.
    """
    x, y = group["x"], group["y"]
    if x["pooled"]["reason"] == Reason.LOGISTIC_BANK:
        yield "theta_moved.ql", _moved(x["quasi"], y["quasi"], x["quasi"]["se"])
        return
    of_x, of_y = ({"value": side["theta"], "reason": side["pooled"]["reason"]} for side in (x, y))
    yield "theta_moved.prompt", _moved(of_x, of_y, x["pooled"]["se"])
    yield "theta_moved.pool", _moved(x["pooled"], y["pooled"], x["pooled"]["se"])


def _moved(x: Mapping[str, Any], y: Mapping[str, Any], se: float | None) -> dict[str, Any]:
    if x["value"] is None or y["value"] is None or not se:
        return {"value": None, "reason": x["reason"] or y["reason"] or Reason.NO_VARIATION, **ALONE}
    return {"value": (y["value"] - x["value"]) / se, "reason": None, **ALONE}
