"""What the first page of the results says, from stored measures in one query: nothing is computed here."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from django.db.models import Q

from psychometrics.inference.measure import Block, Scope
from psychometrics.measures.headlines import GroupNumbers
from psychometrics.top.rules import is_top
from reporting.selectors.reports import Report
from scoring.models import Measurement, MeasureRow, ResultGroup

AVERAGE, BEST = ResultGroup.AVERAGE.value, ResultGroup.TOP.value
TOP = ("top.paper", "top.null", "top.null_share", "top.crossfit5", "top.eb")
RANGE = ("multiverse.low", "multiverse.high", "multiverse.range_in_se")
MISSING = ("missing.theta.pool", "missing.theta.ql")
SHARES = ("share.scored", "share.unscored", "share.skipped", "share.not_reached", "share.not_submitted")
DIF = ("dif.items_flagged.holm", "dif.sd")
IN_CATEGORY, RAW_MEAN, MACRO = "models.category", "raw_mean", "benchmark.macro"
BEST_RIGHT = "human.top_crossfit"
PERSON_ERROR = "person.se"  # of single people's abilities
NO_SCORES = "not_score_based"
SCALES: Mapping[bool, str] = {False: "pool", True: "ql"}  # of a logistic bank theta_QL alone
Row = MeasureRow | None


@dataclass(frozen=True)
class Model:
    """A model on people's prompts, and how people stand to it. `verdict`: "above", "below",
    "not_distinguishable", or "" where there is none. `modelled`: only its published ability is known.
    """

    name: str
    theta: MeasureRow
    difference: Row
    verdict: str
    modelled: bool = False


@dataclass(frozen=True)
class Share:
    """What a group got of everything, from 0 to 1: the mean over so many `tasks`, or over all scored answers
    where that is None. `reason` says why it has no interval.
    """

    value: float
    low: float | None = None
    high: float | None = None
    tasks: int | None = None
    reason: str = ""


@dataclass(frozen=True)
class Headline:
    """The numbers that stand first, each a stored row or None; `scale` is "pool" or "ql".

    `measured` is False while the blocks of these results are not computed yet.
    """

    report: Report
    measured: bool
    scale: str
    models: tuple[Model, ...] = ()
    rows: Mapping[tuple[str, str, str], MeasureRow] = field(default_factory=dict)
    blocks: Mapping[str, Mapping[str, object]] = field(default_factory=dict)

    def get(self, name: str, group: str = "", subset: str = "") -> Row:
        return self.rows.get((name, group, subset))

    @cached_property
    def average(self) -> GroupNumbers | None:
        """Average over all prompts; None where nobody counts yet."""
        return self._whole(AVERAGE)

    @property
    def best(self) -> GroupNumbers | None:
        """Top over all prompts, picked by these same scores; None where there is none or it is withheld."""
        row = self._whole(BEST) if self.has_top else None
        return row if row is not None and not row.withheld else None

    def _whole(self, group: str) -> GroupNumbers | None:
        return next((row for row in self.report.overall if row.group == group), None)

    @property
    def ability(self) -> float | None:
        return ability_of(self.average, self.scale) if self.average else None

    @property
    def interval(self) -> tuple[float, float] | None:
        """The interval of Average that serves the design."""
        return interval_of(self.average, self.scale) if self.average else None

    @property
    def share(self) -> Share | None:
        """What leads where there is no ability."""
        return self.share_of(AVERAGE)

    def share_of(self, group: str) -> Share | None:
        """What a group got: every task of a benchmark counts alike, as in its papers."""
        row, macro = self._whole(group), self.get(MACRO, group)
        if row is None or row.raw_mean is None or row.withheld:
            return None
        if macro is not None and macro.value is not None and macro.details["tasks"] > 1:
            low, high = (None if end is None else end / 100 for end in (macro.low, macro.high))
            return Share(macro.value / 100, low, high, macro.details["tasks"], macro.reason)
        stored = self.get(RAW_MEAN, group)
        if stored is None:
            return Share(row.raw_mean)
        return Share(row.raw_mean, stored.low, stored.high, reason=stored.reason)

    @property
    def has_top(self) -> bool:
        """Whether so many people have a score that Top is not everybody; results of before say otherwise."""
        flow = self.report.results.flow
        return is_top(flow["top_size"], flow["with_scores"])

    @property
    def top(self) -> Row:
        """Top free of the choice, where it has a value."""
        return with_value(self.get("top.crossfit5", "top")) if self.has_top else None

    @property
    def best_right(self) -> Row:
        """Of a benchmark's tasks: how much Top gets right, free of the choice; where there is a Top."""
        return self.get(BEST_RIGHT) if self.has_top else None

    @property
    def picked(self) -> Row:
        """Top picked by these same scores."""
        return with_value(self.get("top.paper", "top")) if self.has_top else None

    @property
    def luck(self) -> Row:
        """What picking among equally able people would give, where there are both ends of it."""
        row = self.get("top.null", "top")
        return row if row is not None and row.low is not None and row.high is not None else None

    @property
    def luck_share(self) -> Row:
        """How often equally able people come as high as those who were picked."""
        return with_value(self.get("top.null_share", "top")) if self.picked else None

    def models_in(self, category: str, *, raw: bool) -> list[MeasureRow]:
        """What each model reaches in a category, on people's scale or as its mean score."""
        name = f"{IN_CATEGORY}.{RAW_MEAN}" if raw else f"{IN_CATEGORY}.theta.{self.scale}"
        return self._by_category.get((name, category), [])

    @cached_property
    def _by_category(self) -> Mapping[tuple[str, str], list[MeasureRow]]:
        rows: dict[tuple[str, str], list[MeasureRow]] = {}
        for row in self.rows.values():
            if row.name.startswith(IN_CATEGORY) and row.value is not None:
                rows.setdefault((row.name, str(row.details["category"])), []).append(row)
        return rows

    @property
    def beyond(self) -> Mapping[str, MeasureRow]:
        """Models that have no place on the axis, only a bound: every score of theirs is the same."""
        rows = (row for row in self.rows.values() if row.name == f"models.theta.{self.scale}" and row.subset)
        bounded = (row for row in rows if row.value is None and (row.low is not None or row.high is not None))
        return {str(row.details["model"]): row for row in bounded}

    def standing(self, verdict: str) -> list[Model]:
        """The models of this verdict, the strongest first."""
        return [model for model in self.models if model.verdict == verdict]

    @property
    def compared(self) -> list[Model]:
        """The models that there is a verdict on."""
        return [model for model in self.models if model.verdict]


def headline_of(report: Report, measurement: Measurement | None) -> Headline:
    """Of the results of this report, in one query; without a measurement the headlines alone are there."""
    bank = report.results.run.study.item_bank
    scale = SCALES[bool(bank and bank.is_logistic)]
    of_models = (
        f"models.theta.{scale}", f"difference.{scale}", "theta.modelled_k1",
        f"{IN_CATEGORY}.theta.{scale}", f"{IN_CATEGORY}.{RAW_MEAN}",
    )  # fmt: skip
    stored = report.results.measures.filter(
        Q(block=Block.MODELS, name__in=of_models, group__in=(AVERAGE, ""))
        | Q(name__in=TOP, subset="")
        | Q(name__in=RANGE, group=AVERAGE, subset=NO_SCORES)
        | Q(name__in=(*MISSING, *SHARES, RAW_MEAN, MACRO), group=AVERAGE)
        | Q(name__in=(RAW_MEAN, MACRO), group=BEST)
        | Q(name__in=(*DIF, PERSON_ERROR, BEST_RIGHT)),
        scope=report.scope,
    )
    rows = {(row.name, row.group, row.subset): row for row in stored.order_by("pk")}
    return Headline(
        report,
        measured=measurement is not None,
        scale=scale,
        models=tuple(sorted(_models(rows, scale), key=lambda model: -(model.theta.value or 0.0))),
        rows=rows,
        blocks=measurement.ended(Scope(report.scope)) if measurement else {},
    )


def _models(rows: Mapping[tuple[str, str, str], MeasureRow], scale: str) -> Iterator[Model]:
    """Every model that has a place on the axis."""
    for (name, group, subset), row in rows.items():
        if row.value is None or not subset:
            continue
        label = str(row.details.get("model") or subset)
        if name == "theta.modelled_k1":
            yield Model(label, row, None, "", modelled=True)
        elif name == f"models.theta.{scale}" and group == AVERAGE:
            between = rows.get((f"difference.{scale}", AVERAGE, subset))
            verdict = str(between.details.get("verdict") or "") if between else ""
            yield Model(label, row, between, verdict)


def ability_of(row: GroupNumbers, scale: str) -> float | None:
    return row.theta_ql if scale == "ql" else row.theta_pool


def interval_of(row: GroupNumbers, scale: str) -> tuple[float, float] | None:
    ends = (row.ci_low_ql, row.ci_high_ql) if scale == "ql" else (row.ci_low_pool, row.ci_high_pool)
    low, high = ends
    return None if low is None or high is None else (low, high)


def with_value(row: Row) -> Row:
    return row if row is not None and row.value is not None else None
