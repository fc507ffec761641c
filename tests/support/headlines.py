"""Stored numbers of Average and Top, side by side."""

from django.db.models import Q

from psychometrics.measures.headlines import GroupNumbers, TaskNumbers
from scoring.models import ResultSet
from scoring.selectors.headlines import headlines

EVERY_SCOPE = Q()


def estimates(results: ResultSet, **facts: str) -> list[GroupNumbers]:
    """The groups and categories that have these facts, such as `group="average"`."""
    groups = headlines(results, EVERY_SCOPE)[0]
    return [one for one in groups if all(getattr(one, name) == value for name, value in facts.items())]


def estimate(results: ResultSet, group: str, category: str = "", scope: str = "all") -> GroupNumbers:
    """The one of a group over a category ("" = all)."""
    [found] = estimates(results, group=group, category=category, scope=scope)
    return found


def tasks(results: ResultSet, group: str) -> list[TaskNumbers]:
    """The accuracies of a group by task, in the order of their names."""
    own = (one for one in headlines(results, EVERY_SCOPE)[1] if one.group == group)
    return sorted(own, key=lambda one: one.task)


def metrics(results: ResultSet, group: str) -> dict[str, float | None]:
    """The summaries over tasks of a group, by name."""
    return {one.name: one.value for one in headlines(results, EVERY_SCOPE)[2] if one.group == group}
