"""The numbers of Average and Top that stand first, as stored, side by side; and which scope's stand first,
wherever a study's results are told: one answer for every surface.
"""

import math
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from django.db.models import Q

from psychometrics.inference.estimates import Estimate
from psychometrics.inference.measure import Block, Measure, Scope
from psychometrics.measures.headlines import (
    LEADING,
    GroupNumbers,
    Lead,
    MetricNumber,
    TaskNumbers,
    group_numbers,
    lead_of,
    metric_numbers,
    task_numbers,
)
from scoring.models import MeasureRow, ResultGroup, ResultSet

COLUMNS = "scope name group subset value se low high reason n clusters details".split()


def _headline_rows(results: ResultSet, where: Q) -> list[dict[str, Any]]:
    """The headlines of one or more scopes, in the order they were computed."""
    return list(results.measures.filter(where, block=Block.RESULTS).order_by("pk").values(*COLUMNS))


class Headlines(NamedTuple):
    """Groups, tasks and summaries over tasks that stored rows of one set of results are of."""

    groups: list[GroupNumbers]
    tasks: list[TaskNumbers]
    metrics: list[MetricNumber]


def headlines(results: ResultSet, where: Q) -> Headlines:
    """Those of these results that `where` selects."""
    return _headlines(results, _headline_rows(results, where))


def headlines_among(results: ResultSet, rows: Iterable[MeasureRow]) -> Headlines:
    """Those among rows of these results that are read already, in the order they were computed."""
    own = (row for row in rows if row.block == Block.RESULTS)
    return _headlines(results, [{name: getattr(row, name) for name in COLUMNS} for row in own])


def _headlines(results: ResultSet, rows: list[dict[str, Any]]) -> Headlines:
    rules = results.run.study.protocol.match_rules
    return Headlines(list(group_numbers(rows)), list(task_numbers(rows)), list(metric_numbers(rows, rules)))


def stored_headlines(results: ResultSet) -> Iterator[Measure]:
    """Values of the headlines over all answers, as they were stored."""
    for row in _headline_rows(results, Q(scope=Scope.ALL)):
        value = math.nan if row["value"] is None else row["value"]
        yield Measure(row["name"], Estimate(value, math.nan, math.nan, math.nan), row["group"], row["subset"])


def results_lead(results: ResultSet) -> Lead:
    """Of these results, as the study's protocol names it and what is stored of them allows."""
    wanted = Scope(results.run.study.protocol.headline_scope)
    if getattr(results, "has_public_scope", None) is False:  # of those that `newest_study_results` gave
        return lead_of(wanted, ())
    names = (*LEADING, "answers.expected")
    rows = results.measures.filter(block=Block.RESULTS, group=ResultGroup.AVERAGE, subset="", name__in=names)
    return lead_of(wanted, rows.values("scope", "name", "value", "may_leave"))


def scopes_in_order(results: ResultSet) -> list[Scope]:
    """Both scopes, the one that leads first."""
    leading = results_lead(results).scope or Scope.PUBLIC
    return sorted(Scope, key=lambda scope: scope != leading)
