"""The measures of Average and Top side by side, as the wide tables of pages and exports have them."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from psychometrics.inference.disclosure import WITHHELD
from psychometrics.measures.blocks.results import CATEGORY, TASK

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
    for key, named in parts.items():
        if "participants" in named:
            yield _numbers_of(*key, named)


def _numbers_of(scope: str, group: str, category: str, named: Mapping[str, Columns]) -> GroupNumbers:
    pool = named.get("theta.pool", NONE)
    values: dict[str, Any] = {key: int(named[name]["value"]) for key, name in COUNTS.items()}
    values |= {key: named.get(name, NONE).get("value") for key, name in VALUES.items()}
    for part, name in ERRORS.items():
        row = named.get(name, NONE)
        columns = {"se": row.get("se"), "ci_low": row.get("low"), "ci_high": row.get("high")}
        values |= {f"{end}{part}": value for end, value in columns.items()}
    values |= {f"reason_{of}": named.get(f"theta.{of}", NONE).get("reason") or "" for of in ("pool", "ql")}
    why = named.get("raw_mean", NONE).get("reason") or ""
    values["withheld"] = why if why in WITHHELD else ""
    # Of Top nothing is independent: its people were chosen by these scores.
    told = group != "top"
    values |= {
        "interval": pool.get("details", NONE).get("error", "") if told else "",
        "clusters": pool.get("clusters") if told else None,
    }
    return GroupNumbers(scope, group, category, **values)


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
