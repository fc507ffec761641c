"""Stored agreement of two judges as a page shows it: every number as text, with its reason where absent."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any

from django.utils.translation import gettext as _

from judging.models import ScoringRun
from judging.selectors.judges import run_name
from presentation.agreement import LEVEL_TEXTS, STATISTICS, statistic_name, warning_text
from presentation.catalogue import meaning_of
from presentation.measures import why_absent
from presentation.numbers import Text, decimals, span
from presentation.tables import ABSENT
from psychometrics.agreement.reference import Level, ReferenceFigure, reference_figures
from scoring.models import JudgeComparison

PUBLISHED = {"criterion": Level.CRITERION, "answer": Level.PROMPT}
# Of people's means only these say something: their number is small and each is a mean already.
PEOPLE_STATISTICS = ("pearson", "spearman", "ccc", "offset", "sd_of_differences")
THETA_ORDER = "theta_order"
OVERVIEW = ("alpha_interval", "kappa", "pearson", "offset")


@dataclass(frozen=True)
class StatisticShown:
    """One line of a table."""

    key: str
    name: Text
    value: str
    interval: str
    reason: Text
    published: ReferenceFigure | None

    @property
    def is_told(self) -> bool:
        """Whether `reason` tells how to read the value, not why it has no interval."""
        return self.key == THETA_ORDER

    @property
    def published_value(self) -> str:
        return decimals(self.published.value, 3) if self.published else ""


@dataclass(frozen=True)
class WarningShown:
    """What a reader must know, and of which scores."""

    level: Text
    sentence: str


@dataclass(frozen=True)
class LevelShown:
    """The scores of one kind: criteria, answers or people's means; `more` stands below its statistics."""

    row: JudgeComparison
    more: tuple[StatisticShown, ...] = ()

    @property
    def name(self) -> Text:
        return LEVEL_TEXTS[self.row.level]

    @property
    def values(self) -> Mapping[str, Any]:
        values: Mapping[str, Any] = self.row.values
        return values

    @property
    def left_out(self) -> int:
        """Rows that lack either score."""
        return int(self.values["rows"]) - int(self.values["n"])

    @property
    def is_published(self) -> bool:
        """Whether the paper has figures of this kind."""
        return self.row.level in PUBLISHED

    @cached_property
    def statistics(self) -> list[StatisticShown]:
        names = PEOPLE_STATISTICS if self.row.level == "people" else STATISTICS
        level = PUBLISHED.get(self.row.level)
        published = reference_figures(level) if level else {}
        stored = self.values["statistics"]
        own = [statistic_shown(name, stored[name], published.get(name)) for name in names]
        return [*own, *self.more]

    @property
    def overview(self) -> list[StatisticShown]:
        """The few that warnings and first looks are about."""
        by_name = {statistic.key: statistic for statistic in self.statistics}
        return [by_name[name] for name in OVERVIEW]

    @property
    def warnings(self) -> list[WarningShown]:
        return [WarningShown(self.name, warning_text(warning)) for warning in self.values["warnings"]]


@dataclass(frozen=True)
class PairShown:
    """Two judges, x and y."""

    first: ScoringRun
    second: ScoringRun
    computed_at: datetime
    rows: Mapping[str, JudgeComparison]

    @property
    def x(self) -> str:
        return run_name(self.first)

    @property
    def y(self) -> str:
        return run_name(self.second)

    @cached_property
    def scores(self) -> list[LevelShown]:
        """Criteria, where there are any, and answers."""
        return [LevelShown(self.rows[level]) for level in PUBLISHED if level in self.rows]

    @cached_property
    def people(self) -> LevelShown:
        return LevelShown(self.rows["people"], (theta_order(self.ability),) if self.ability else ())

    @property
    def ability(self) -> Mapping[str, Any] | None:
        row = self.rows.get("ability")
        return row.values if row else None

    @cached_property
    def warnings(self) -> list[WarningShown]:
        of_scores = [warning for level in self.scores for warning in level.warnings]
        of_theta = self.ability["warnings"] if self.ability else ()
        return of_scores + [WarningShown(_("Ability"), warning_text(warning)) for warning in of_theta]


def statistic_shown(
    name: str, estimate: Mapping[str, Any], published: ReferenceFigure | None = None
) -> StatisticShown:
    return StatisticShown(
        name,
        statistic_name(name),
        decimals(estimate["value"], 3),
        span(estimate["low"], estimate["high"], 3),
        why_absent(estimate["reason"]),
        published,
    )


def theta_order(ability: Mapping[str, Any]) -> StatisticShown:
    """Whether the order of people's thetas stays, with what must be known of it in place of an interval."""
    value = decimals(ability.get("spearman_of_people"), 3)
    meaning = meaning_of(f"agreement.{THETA_ORDER}")
    return StatisticShown(THETA_ORDER, statistic_name(THETA_ORDER), value, ABSENT, meaning, None)
