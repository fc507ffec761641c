"""A machine check of a criterion in words, for those who read its verdicts."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _

from presentation.numbers import as_written, counted

Rule = Mapping[str, Any]


def check_lines(rule: Rule, *, passed: bool) -> str:
    """How it came out, and what the check asks, line by line."""
    passes, fails = _("The answer passes the machine check."), _("The answer fails the machine check.")
    sentence_of = ASKED.get(rule.get("kind", ""))
    return "\n".join([passes if passed else fails, *(sentence_of(rule) if sentence_of else ())])


def _contains(rule: Rule) -> Iterator[str]:
    yield _("It must contain one of these: %(texts)s") % {"texts": _listed(rule["any_of"])}
    yield from _capitals(rule)


def _excludes(rule: Rule) -> Iterator[str]:
    yield _("It must contain none of these: %(texts)s") % {"texts": _listed(rule["none_of"])}
    yield from _capitals(rule)


def _capitals(rule: Rule) -> Iterator[str]:
    if not rule.get("ignore_case", True):
        yield _("Capital and small letters are told apart.")


def _number(rule: Rule) -> Iterator[str]:
    tolerance = rule.get("tolerance", 0)
    facts = {"value": as_written(rule["value"]), "tolerance": as_written(tolerance)}
    if tolerance:
        yield _("It must contain the number %(value)s, or one that is off by at most %(tolerance)s.") % facts
    else:
        yield _("It must contain the number %(value)s.") % facts


def _words(rule: Rule) -> Iterator[str]:
    if rule.get("minimum") is not None:
        yield _("It must have at least so many words: %(number)s") % {"number": counted(rule["minimum"])}
    if rule.get("maximum") is not None:
        yield _("It must have at most so many words: %(number)s") % {"number": counted(rule["maximum"])}


def _equals(rule: Rule) -> Iterator[str]:
    yield _("The whole of it must be one of these: %(texts)s") % {"texts": _listed(rule["any_of"])}


def _listed(texts: Sequence[str]) -> str:
    return ", ".join(f"“{text}”" for text in texts)


ASKED: Mapping[str, Callable[[Rule], Iterator[str]]] = {
    "contains": _contains, "excludes": _excludes, "number": _number, "word_count": _words, "equals": _equals,
}  # fmt: skip
