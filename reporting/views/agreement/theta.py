"""Theta of each group under every judge as a page shows it, with its change from the first judge."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from presentation.absence import why_absent
from presentation.columns import ABSENT
from presentation.measures import group_name
from presentation.numbers import Text, decimals, span
from psychometrics.inference.estimates import Reason
from reporting.views.agreement.pairs import PairShown


@dataclass(frozen=True)
class ThetaShown:
    """One group under one judge; changes are from the first judge of the panel. `quasi` is theta_QL."""

    group: Text
    judge: str
    people: int
    theta: str
    pooled: str
    se: str
    interval: str
    reason: Text
    quasi: str
    quasi_se: str
    quasi_interval: str
    quasi_reason: Text
    change: str = ABSENT
    change_interval: str = ABSENT
    change_reason: Text = ""
    quasi_change: str = ABSENT
    quasi_change_interval: str = ABSENT
    quasi_change_reason: Text = ""
    in_errors: str = ABSENT
    shared: int | None = None
    warns: bool = False


def thetas_shown(pairs: Sequence[PairShown], place: int) -> Iterator[ThetaShown]:
    """One group, under every judge that is compared with the first."""
    for pair in pairs[:1]:
        if pair.ability:
            yield theta_shown(pair.ability["groups"][place], "x", pair.x)
    for pair in pairs:
        if pair.ability:
            group = pair.ability["groups"][place]
            yield theta_shown(group, "y", pair.y, **change_of(group, pair.ability["warnings"]))


def theta_shown(group: Mapping[str, Any], side: str, judge: str, **change: Any) -> ThetaShown:
    found, pooled, quasi = group[side], group[side]["pooled"], group[side]["quasi"]
    return ThetaShown(
        group=group_name(group["group"]),
        judge=judge,
        people=found["participants"],
        theta=decimals(found["theta"]),
        pooled=decimals(pooled["value"]),
        se=decimals(pooled["se"]),
        interval=span(pooled["low"], pooled["high"]),
        reason=why_absent(pooled["reason"]),
        quasi=decimals(quasi["value"]),
        quasi_se=decimals(quasi["se"]),
        quasi_interval=span(quasi["low"], quasi["high"]),
        quasi_reason=why_absent(quasi["reason"]),
        **change,
    )


def change_of(group: Mapping[str, Any], warnings: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    subjects = {f"{group['group']}", f"{group['group']}_pool"}
    change, quasi = group["change"], group["quasi_change"]
    return {
        "change": decimals(change["value"]),
        "change_interval": span(change["low"], change["high"]),
        "change_reason": why_absent(change["reason"]),
        "quasi_change": decimals(quasi["value"]),
        "quasi_change_interval": span(quasi["low"], quasi["high"]),
        "quasi_change_reason": why_absent(quasi["reason"]),
        "in_errors": "; ".join(moved(group["x"], group["y"])),
        "shared": group["shared"],
        "warns": any(one["subject"] in subjects for one in warnings),
    }


def moved(x: Mapping[str, Any], y: Mapping[str, Any]) -> Iterator[str]:
    """Theta by prompt means and pooled in the pooled error; on a logistic bank theta_QL in its own."""
    if x["pooled"]["reason"] == Reason.LOGISTIC_BANK:
        yield in_errors(x["quasi"]["value"], y["quasi"]["value"], x["quasi"]["se"])
        return
    se = x["pooled"]["se"]
    yield in_errors(x["theta"], y["theta"], se)
    yield in_errors(x["pooled"]["value"], y["pooled"]["value"], se)


def in_errors(x: float | None, y: float | None, se: float | None) -> str:
    """The change of theta in standard errors; a dash where one of them is absent."""
    return ABSENT if x is None or y is None or not se else decimals((y - x) / se, 2)
