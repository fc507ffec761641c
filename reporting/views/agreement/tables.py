"""Stored agreement of all judges under a protocol as a page shows it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from presentation.agreement import LEVEL_TEXTS
from presentation.numbers import Text
from reporting.views.agreement.pairs import PairShown, StatisticShown, statistic_shown
from reporting.views.agreement.theta import ThetaShown, thetas_shown
from scoring.models import JudgeComparison


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
        pairs = [pair for pair in self.pairs if pair.first == first and pair.ability]
        return [row for place in range(2) for row in thetas_shown(pairs, place)]

    @property
    def warnings(self) -> int:
        return sum(len(pair.warnings) for pair in self.pairs)


def panels_shown(rows: Iterable[JudgeComparison]) -> list[PanelShown]:
    """What is stored of one scope, panel by panel; the newest first."""
    pairs: dict[str, dict[tuple[int, int], dict[str, JudgeComparison]]] = {}
    alphas: dict[str, list[AlphaShown]] = {}
    for row in rows:
        design = row.first.design_hash
        if row.level == "panel":
            alphas[design] = list(alphas_shown(row))
        else:
            found = pairs.setdefault(design, {}).setdefault((row.first_id, row.second_id), {})
            found[row.level] = row
    panels = [
        panel_shown([PairShown(one) for one in own.values()], alphas.get(design, []))
        for design, own in pairs.items()
    ]
    return sorted(panels, key=lambda panel: -panel.pairs[0].first.pk)


def panel_shown(pairs: Sequence[PairShown], alphas: Sequence[AlphaShown]) -> PanelShown:
    return PanelShown(pairs[0].first.protocol_hash, pairs, alphas)


def alphas_shown(row: JudgeComparison) -> Iterator[AlphaShown]:
    for level, found in row.values["levels"].items():
        statistics = [statistic_shown(name, values) for name, values in found["statistics"].items()]
        yield AlphaShown(LEVEL_TEXTS[level], statistics, found, ", ".join(map(str, found["missing"])))


def pair_of(panels: Iterable[PanelShown], first: str, second: str) -> tuple[PanelShown, PairShown] | None:
    """The pair asked for by the numbers of its runs, else the first one; None where nothing is stored."""
    every = [(panel, pair) for panel in panels for pair in panel.pairs]
    asked = [one for one in every if (str(one[1].first.pk), str(one[1].second.pk)) == (first, second)]
    return next(iter(asked or every), None)
