"""Stored agreement of all judges under a protocol, and theta under each, as a page shows it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from presentation.agreement import LEVEL_TEXTS
from presentation.measures import group_name, why_absent
from presentation.numbers import Text, decimals, span
from presentation.tables import ABSENT
from psychometrics.inference.estimates import Reason
from reporting.views.agreement.pairs import PairShown, StatisticShown, statistic_shown
from scoring.models import JudgeComparison


@dataclass(frozen=True)
class NumberShown:
    """A number with its standard error and interval, and in words why one of them is absent."""

    value: str = ABSENT
    se: str = ABSENT
    interval: str = ABSENT
    reason: Text = ""


NOTHING = NumberShown()


@dataclass(frozen=True)
class ThetaShown:
    """One group under one judge; changes are from the first judge of the panel. `quasi` is theta_QL."""

    group: Text
    judge: str
    people: int
    theta: str
    pooled: NumberShown
    quasi: NumberShown
    change: NumberShown = NOTHING
    quasi_change: NumberShown = NOTHING
    in_errors: str = ABSENT
    shared: int | None = None
    warns: bool = False


@dataclass(frozen=True)
class AlphaShown:
    """Krippendorff's alpha of all judges at once, for one kind of score."""

    level: Text
    statistics: Sequence[StatisticShown]
    values: Mapping[str, Any]
    missing: str


@dataclass(frozen=True)
class PanelShown:
    """Every pair of judges under one design; `protocol_hash` is that of the first one's scores."""

    protocol_hash: str
    pairs: Sequence[PairShown]
    alphas: Sequence[AlphaShown]

    @property
    def thetas(self) -> list[ThetaShown]:
        """Each group under the first judge, then under the others."""
        first = self.pairs[0].first
        compared = [(pair, pair.ability) for pair in self.pairs if pair.first == first and pair.ability]
        return [row for place in range(2) for row in _thetas_shown(compared, place)]


def panels_shown(rows: Iterable[JudgeComparison]) -> list[PanelShown]:
    """What is stored of one scope, panel by panel; the newest first."""
    pairs: dict[str, dict[tuple[int, int], dict[str, JudgeComparison]]] = {}
    alphas: dict[str, list[AlphaShown]] = {}
    for row in rows:
        design = row.first.design_hash
        if row.level == "panel":
            alphas[design] = list(_alphas_shown(row))
        else:
            found = pairs.setdefault(design, {}).setdefault((row.first_id, row.second_id), {})
            found[row.level] = row
    panels = []
    for design, of_levels in pairs.items():
        answers = ((levels["answer"], levels) for levels in of_levels.values())
        own = [PairShown(row.first, row.second, row.computed_at, levels) for row, levels in answers]
        panels.append(PanelShown(own[0].first.protocol_hash, own, alphas.get(design, [])))
    return sorted(panels, key=lambda panel: -panel.pairs[0].first.pk)


def _alphas_shown(row: JudgeComparison) -> Iterator[AlphaShown]:
    for level, found in row.values["levels"].items():
        statistics = [statistic_shown(name, values) for name, values in found["statistics"].items()]
        yield AlphaShown(LEVEL_TEXTS[level], statistics, found, ", ".join(map(str, found["missing"])))


def pair_of(panels: Iterable[PanelShown], first: str, second: str) -> tuple[PanelShown, PairShown] | None:
    """The pair asked for by the numbers of its runs, else the first one; None where nothing is stored."""
    every = [(panel, pair) for panel in panels for pair in panel.pairs]
    asked = [one for one in every if (str(one[1].first.pk), str(one[1].second.pk)) == (first, second)]
    return next(iter(asked or every), None)


def _thetas_shown(
    compared: Sequence[tuple[PairShown, Mapping[str, Any]]], place: int
) -> Iterator[ThetaShown]:
    """One group, under every judge that is compared with the first."""
    for pair, ability in compared[:1]:
        yield _theta_shown(ability["groups"][place], "x", pair.x)
    for pair, ability in compared:
        group = ability["groups"][place]
        subjects = {group["group"], f"{group['group']}_pool"}
        yield replace(
            _theta_shown(group, "y", pair.y),
            change=_number_shown(group["change"]),
            quasi_change=_number_shown(group["quasi_change"]),
            in_errors="; ".join(_moved(group["x"], group["y"])),
            shared=group["shared"],
            warns=any(one["subject"] in subjects for one in ability["warnings"]),
        )


def _theta_shown(group: Mapping[str, Any], side: str, judge: str) -> ThetaShown:
    found = group[side]
    return ThetaShown(
        group=group_name(group["group"]),
        judge=judge,
        people=found["participants"],
        theta=decimals(found["theta"]),
        pooled=_number_shown(found["pooled"]),
        quasi=_number_shown(found["quasi"]),
    )


def _number_shown(found: Mapping[str, Any]) -> NumberShown:
    return NumberShown(
        decimals(found["value"]),
        decimals(found["se"]),
        span(found["low"], found["high"]),
        why_absent(found["reason"]),
    )


def _moved(x: Mapping[str, Any], y: Mapping[str, Any]) -> Iterator[str]:
    """Theta by prompt means and pooled in the pooled error; on a logistic bank theta_QL in its own."""
    if x["pooled"]["reason"] == Reason.LOGISTIC_BANK:
        yield _in_errors(x["quasi"]["value"], y["quasi"]["value"], x["quasi"]["se"])
        return
    se = x["pooled"]["se"]
    yield _in_errors(x["theta"], y["theta"], se)
    yield _in_errors(x["pooled"]["value"], y["pooled"]["value"], se)


def _in_errors(x: float | None, y: float | None, se: float | None) -> str:
    """The change of theta in standard errors; a dash where one of them is absent."""
    return ABSENT if x is None or y is None or not se else decimals((y - x) / se)
