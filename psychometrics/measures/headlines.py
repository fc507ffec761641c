"""The measures of Average and Top side by side, as the wide tables of pages and exports have them."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from psychometrics.inference.estimates import WITHHELD
from psychometrics.inference.measure import CATEGORY, TASK, Scope

Columns = Mapping[str, Any]
COUNTS: Mapping[str, str] = {
    "participants": "participants", "pairs": "pairs", "prompts": "prompts", "batches": "batches",
    "private_prompts": "private.prompts", "private_scored": "private.scored",
    "expected": "answers.expected", "missing": "answers.missing", "unscored": "answers.unscored",
    "unknown_items": "answers.unknown_items",
}  # fmt: skip
VALUES: Mapping[str, str] = {
    "theta": "theta.prompt.analytic", "theta_pool": "theta.pool", "theta_ql": "theta.ql",
    "raw_mean": "raw_mean", "coverage": "coverage", "responses_per_prompt": "k_bar",
}  # fmt: skip
ERRORS: Mapping[str, str] = {
    "": "theta.prompt.analytic", "_pool": "theta.pool", "_twoway": "theta.pool.twoway", "_ql": "theta.ql",
}  # fmt: skip
METRICS: Mapping[str, str] = {
    "benchmark.macro": "macro",
    "benchmark.micro": "micro",
    "benchmark.harmonic.published": "adjusted_harmonic_mean",
}
NONE: Columns = {}
LEADING = ("raw_mean", "theta.pool", "theta.ql")  # of Average: what a scope is led by


class LeadReason(StrEnum):
    """Why the numbers of a scope stand first, or why none do."""

    ONE_SCOPE = "one_scope"  # no private prompt was asked
    ALL = "all"
    PUBLIC = "public"  # the protocol names them
    ALL_WITHHELD = "all_withheld"  # the public ones: beside them all would tell of a few private prompts
    ALL_PRIVATE = "all_private"  # no public prompt was asked
    NEITHER = "neither"  # and all together would tell of a few private prompts


@dataclass(frozen=True)
class Lead:
    """Which scope's numbers stand first on every surface; None where no number may be told."""

    scope: Scope | None
    why: LeadReason

    @property
    def both_exist(self) -> bool:
        """Whether there are two scopes, so that every number says its own."""
        return self.why != LeadReason.ONE_SCOPE

    @property
    def may_switch(self) -> bool:
        """Whether the other scope may be told as well."""
        return self.why in (LeadReason.ALL, LeadReason.PUBLIC)


def lead_of(wanted: Scope, rows: Iterable[Columns]) -> Lead:
    """The scope that a protocol's `wanted` one comes to, by the stored headlines.

    `rows` are those of `Average` over everything, named as in LEADING, and `answers.expected`, with whether
    they `may_leave`.
    """
    by_scope: dict[str, dict[str, Columns]] = {}
    for row in rows:
        by_scope.setdefault(row["scope"], {})[row["name"]] = row
    if Scope.PUBLIC not in by_scope:
        return Lead(Scope.ALL, LeadReason.ONE_SCOPE)
    tells = {
        scope: all(named[name]["may_leave"] for name in LEADING if name in named)
        for scope, named in by_scope.items()
    }
    public = tells[Scope.PUBLIC] and bool(by_scope[Scope.PUBLIC]["answers.expected"]["value"])
    if not tells[Scope.ALL]:
        return Lead(Scope.PUBLIC, LeadReason.ALL_WITHHELD) if public else Lead(None, LeadReason.NEITHER)
    if not public:
        return Lead(Scope.ALL, LeadReason.ALL_PRIVATE)
    return Lead(wanted, LeadReason(wanted))


@dataclass(frozen=True)
class GroupNumbers:
    """One group over one category ("" = all). None where nothing is scored or there is no scale, never zero.

    Of a category `participants` are those who answered in it. Errors of `theta_pool` and `theta_ql` serve the
    design: `interval` names them, `clusters` are what they take as independent. `theta`, by prompt means, has
    the published analytic error. `reason_pool` and `reason_ql` say why the estimate, or only its error and
    interval, is None; `withheld` why none of its numbers is told, only what they rest on. Where all scores
    are 1, or all 0, the lower or the upper end alone is there: a bound. Of its `prompts` so many are
    `private_prompts`; `private_scored` are those with a score, in the item bank or not.
    """

    scope: str
    group: str
    category: str
    participants: int
    theta: float | None
    se: float | None
    ci_low: float | None
    ci_high: float | None
    theta_pool: float | None
    se_pool: float | None
    ci_low_pool: float | None
    ci_high_pool: float | None
    reason_pool: str
    se_twoway: float | None
    ci_low_twoway: float | None
    ci_high_twoway: float | None
    theta_ql: float | None
    se_ql: float | None
    ci_low_ql: float | None
    ci_high_ql: float | None
    reason_ql: str
    interval: str
    clusters: int | None
    batches: int
    pairs: int
    prompts: int
    private_prompts: int
    private_scored: int
    responses_per_prompt: float | None
    raw_mean: float | None
    coverage: float | None
    expected: int
    missing: int
    unscored: int
    unknown_items: int
    withheld: str


@dataclass(frozen=True)
class TaskNumbers:
    """Accuracy of one group on one task of a task benchmark, in percent; None with the reason."""

    scope: str
    group: str
    task: str
    responses: int
    accuracy: float | None
    reason: str


@dataclass(frozen=True)
class MetricNumber:
    """A summary over tasks: macro, micro or adjusted harmonic mean, in percent."""

    scope: str
    group: str
    name: str
    value: float | None


def group_numbers(rows: Iterable[Columns]) -> Iterator[GroupNumbers]:
    """One for each group and category that the rows of one scope are of, in the order of the rows.

    `rows` have the columns of stored measures: None for what is absent, "" for no reason.
    """
    parts: dict[tuple[str, str, str], dict[str, Columns]] = {}
    for row in rows:
        category = row["subset"].removeprefix(CATEGORY)
        if not row["subset"] or row["subset"].startswith(CATEGORY):
            parts.setdefault((row["scope"], row["group"], category), {})[row["name"]] = row
    for (scope, group, category), named in parts.items():
        if "participants" not in named:
            continue
        pool = named.get("theta.pool", NONE)
        values: dict[str, Any] = {key: int(named[name]["value"]) for key, name in COUNTS.items()}
        values |= {key: named.get(name, NONE).get("value") for key, name in VALUES.items()}
        for part, name in ERRORS.items():
            row = named.get(name, NONE)
            columns = {"se": row.get("se"), "ci_low": row.get("low"), "ci_high": row.get("high")}
            values |= {f"{end}{part}": value for end, value in columns.items()}
        values["reason_pool"] = pool.get("reason") or ""
        values["reason_ql"] = named.get("theta.ql", NONE).get("reason") or ""
        why = named.get("raw_mean", NONE).get("reason") or ""
        values["withheld"] = why if why in WITHHELD else ""
        # Of Top nothing is independent: its people were chosen by these scores.
        is_top = group == "top"
        values["interval"] = "" if is_top else pool.get("details", NONE).get("error", "")
        values["clusters"] = None if is_top else pool.get("clusters")
        yield GroupNumbers(scope, group, category, **values)


def task_numbers(rows: Iterable[Columns]) -> Iterator[TaskNumbers]:
    """One for each group and task."""
    for row in rows:
        if row["name"] == "task.accuracy":
            task = row["subset"].removeprefix(TASK)
            yield TaskNumbers(row["scope"], row["group"], task, row["n"], row["value"], row["reason"] or "")


def metric_numbers(rows: Iterable[Columns], rules: str | None) -> Iterator[MetricNumber]:
    """One for each group and summary that the benchmark of these `rules` has."""
    for row in rows:
        name = METRICS.get(row["name"])
        if name == "macro" or (name is not None and rules == "bbeh"):
            yield MetricNumber(row["scope"], row["group"], name, row["value"])
