"""Steps, reasons and rules of exclusion in words."""

from collections.abc import Mapping

from django.utils.translation import gettext as _, gettext_lazy, ngettext

from presentation.numbers import Text, decimals, numbered
from psychometrics.exclusions.flow import LEAVING_NAMES

STEPS = ("recruited", "approved", "started", "ended", "retained", "with_scores", "top")
FLAG_NAMES: Mapping[str, Text] = {
    "few_answers": gettext_lazy("few answers"),
    "mostly_off_task": gettext_lazy("mostly off-task"),
    "no_answer": gettext_lazy("no answer"),
    "minimal_content": gettext_lazy("hardly any content"),
    "comment_on_question": gettext_lazy("a remark on the question"),
    "comment_on_model": gettext_lazy("a remark on the model"),
}
RULE_NAMES: Mapping[str, Text] = {
    "nobody": gettext_lazy("Nobody left out"),
    "verdicts": gettext_lazy("Verdicts of reviewers (as published)"),
    "flags": gettext_lazy("All whom the screening proposes"),
    "off_task": gettext_lazy("Off-task answers only"),
    "answered": gettext_lazy("Few answers only"),
    "words": gettext_lazy("Few words"),
    "hurried": gettext_lazy("Little time"),
    "strict": gettext_lazy("Strict on content"),
    "lowest_scores": gettext_lazy("Lowest scores (score-based: biased upwards)"),
}
MISSING_NAMES: Mapping[str, Text] = {
    "as_missing": gettext_lazy("as missing"),
    "as_zero": gettext_lazy("as zero"),
}
AGGREGATION_NAMES: Mapping[str, Text] = {
    "pooled": gettext_lazy("pooled"),
    "by_prompt": gettext_lazy("by question"),
}
CHOICE_NAMES: Mapping[str, Text] = {
    "exclusion": gettext_lazy("Exclusion rule"),
    "missing": gettext_lazy("Missing answers"),
    "aggregation": gettext_lazy("Pooled or by question"),
    "interactions": gettext_lazy("Interactions of these"),
}


def leaving_text(reason: str) -> str:
    """A reason not to go on; of the excluded, with what had been flagged."""
    if not reason.startswith("excluded:"):
        return _(LEAVING_NAMES[reason]) if reason in LEAVING_NAMES else reason
    flags = reason.removeprefix("excluded:").split("+")
    return _("not counted: %(flags)s") % {
        "flags": ", ".join(str(FLAG_NAMES.get(flag, flag)) for flag in flags)
    }


def people_text(people: int) -> str:
    return numbered(ngettext("%(number)d person", "%(number)d people", people), {"number": people})


def rule_text(rule: Mapping[str, object]) -> str:
    """The conditions of a stored rule in words; one of them is enough."""
    texts = {
        "off_task_from": _("at least %(value)s %% of the answers off-task"),
        "answered_below": _("fewer than %(value)s %% of the questions answered"),
        "words_below": _("median below %(value)s words"),
        "seconds_below": _("less than %(value)s seconds per answer"),
        "lowest_share": _("the lowest %(value)s %% by mean score"),
    }
    rules = [_("exclusion confirmed by a reviewer")] if rule.get("verdicts") else []
    for name, text in texts.items():
        value = rule.get(name)
        if isinstance(value, int | float):
            percent = name in {"off_task_from", "answered_below", "lowest_share"}
            limit = decimals(100 * value, 0) if percent else decimals(value, 0)
            rules.append(text % {"value": limit})
    return "; ".join(rules) or _("none")


def rule_name(key: str) -> str:
    return str(RULE_NAMES.get(key, key))
