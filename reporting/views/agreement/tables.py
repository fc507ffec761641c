"""Stored agreement of all judges under a protocol, and theta under each, as a page shows it."""

from collections.abc import Iterable, Mapping, Sequence
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
        rows: list[ThetaShown] = []
        for place in range(2):
            rows += [_theta_shown(ability["groups"][place], "x", pair.x) for pair, ability in compared[:1]]
            for pair, ability in compared:
                group = ability["groups"][place]
                x, y = group["x"], group["y"]
                subjects = {group["group"], f"{group['group']}_pool"}
                # By prompt means and pooled in the pooled error; on a logistic bank theta_QL in its own.
                if x["pooled"]["reason"] == Reason.LOGISTIC_BANK:
                    moved = [_in_errors(x["quasi"]["value"], y["quasi"]["value"], x["quasi"]["se"])]
                else:
                    moved = [
                        _in_errors(x["theta"], y["theta"], x["pooled"]["se"]),
                        _in_errors(x["pooled"]["value"], y["pooled"]["value"], x["pooled"]["se"]),
                    ]
                beside = replace(
                    _theta_shown(group, "y", pair.y),
                    change=_number_shown(group["change"]),
                    quasi_change=_number_shown(group["quasi_change"]),
                    in_errors="; ".join(moved),
                    shared=group["shared"],
                    warns=any(warning["subject"] in subjects for warning in ability["warnings"]),
                )
                rows.append(beside)
        return rows


def panels_shown(rows: Iterable[JudgeComparison]) -> list[PanelShown]:
    """What is stored of one scope, panel by panel; the newest first."""
    pairs: dict[str, dict[tuple[int, int], dict[str, JudgeComparison]]] = {}
    alphas: dict[str, list[AlphaShown]] = {}
    for row in rows:
        design = row.first.design_hash
        if row.level == "panel":
            alphas[design] = []
            for level, values in row.values["levels"].items():
                statistics = [statistic_shown(name, stored) for name, stored in values["statistics"].items()]
                missing = ", ".join(map(str, values["missing"]))
                alpha = AlphaShown(LEVEL_TEXTS[level], statistics, values, missing)
                alphas[design].append(alpha)
        else:
            levels = pairs.setdefault(design, {}).setdefault((row.first_id, row.second_id), {})
            levels[row.level] = row
    panels = []
    for design, of_levels in pairs.items():
        answers = ((levels["answer"], levels) for levels in of_levels.values())
        own = [PairShown(row.first, row.second, row.computed_at, levels) for row, levels in answers]
        panels.append(PanelShown(own[0].first.protocol_hash, own, alphas.get(design, [])))
    return sorted(panels, key=lambda panel: -panel.pairs[0].first.pk)


def pair_of(panels: Iterable[PanelShown], first: str, second: str) -> tuple[PanelShown, PairShown] | None:
    """The pair asked for by the numbers of its runs, else the first one; None where nothing is stored."""
    every = [(panel, pair) for panel in panels for pair in panel.pairs]
    chosen = [
        (panel, pair) for panel, pair in every if (str(pair.first.pk), str(pair.second.pk)) == (first, second)
    ]
    return next(iter(chosen or every), None)


def _theta_shown(group: Mapping[str, Any], side: str, judge: str) -> ThetaShown:
    estimates = group[side]
    return ThetaShown(
        group=group_name(group["group"]),
        judge=judge,
        people=estimates["participants"],
        theta=decimals(estimates["theta"]),
        pooled=_number_shown(estimates["pooled"]),
        quasi=_number_shown(estimates["quasi"]),
    )


def _number_shown(estimate: Mapping[str, Any]) -> NumberShown:
    return NumberShown(
        decimals(estimate["value"]),
        decimals(estimate["se"]),
        span(estimate["low"], estimate["high"]),
        why_absent(estimate["reason"]),
    )


def _in_errors(x: float | None, y: float | None, se: float | None) -> str:
    """The change of theta in standard errors; a dash where one of them is absent."""
    return ABSENT if x is None or y is None or not se else decimals((y - x) / se)
