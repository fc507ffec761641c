"""What analysis choices change Average by: each alone, then all that look at no score together."""

import operator
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _

from presentation.exclusions import AGGREGATION_NAMES, CHOICE_NAMES, MISSING_NAMES, rule_name
from presentation.numbers import counted, decimals, percent
from presentation.tables import Table
from psychometrics.exclusions.rules import PAPER_RULE
from psychometrics.inference.measure import Block
from reporting.report.parts import Heading, Paragraph, Part
from reporting.selectors.headline import AVERAGE, NO_SCORES, Headline
from reporting.selectors.report_records import StudyRecords
from scoring.models import MeasureRow

REPORTED = (PAPER_RULE.key, "as_missing", "pooled")  # the first page's: whom, missing answers, put together
NAMES = {"pool": "multiverse", "ql": "multiverse.ql"}


def choice_parts(records: StudyRecords, headline: Headline) -> Iterator[Part]:
    """Nothing where the choices were not computed, or only the reported one has a number."""
    block, name = records.blocks.get(Block.EXCLUSIONS), NAMES[headline.scale]
    if block is None:
        return
    stored = block.named(name, group=AVERAGE)
    rows = [row for row in stored if row.value is not None and row.pk in records.leaving]
    reported = next((row for row in rows if _of(row.details) == REPORTED), None)
    # Those that differ in one choice, and do not select on scores, which biases upwards.
    others = [
        row
        for row in rows
        if sum(map(operator.ne, _of(row.details), REPORTED)) == 1 and not row.details["score_based"]
    ]
    if reported is None or not others:
        return
    yield Heading(_("What other analysis choices would have given"), 2)
    sentences = []
    low, high = (block.get(f"{name}.{end}", AVERAGE, NO_SCORES) for end in ("low", "high"))
    if low and high and low.value is not None and high.value is not None:
        sentences.append(
            _("Over all {number} combinations of them Average lies between {low} and {high}.").format(
                number=counted(low.n), low=decimals(low.value), high=decimals(high.value)
            )
        )
    shares = [
        f"{title}: {percent(row.value, 0)}"
        for choice, title in CHOICE_NAMES.items()
        if (row := block.get(f"{name}.share.{choice}", AVERAGE, NO_SCORES)) and row.value is not None
    ]
    if shares:
        sentences.append(_("Of the variance over them: {shares}.").format(shares=", ".join(shares)))
    if sentences:
        yield Paragraph(" ".join(sentences))
    yield _table(reported, others)


def _table(reported: MeasureRow, others: Sequence[MeasureRow]) -> Table:
    """What changes nothing that two decimals show is named below it."""
    base = reported.value or 0.0
    lines = sorted((((row.value or 0.0) - base, row) for row in others), key=lambda line: -abs(line[0]))
    none = decimals(0.0)
    same = [_choice_text(row) for change, row in lines if decimals(change) == none]
    changed = [
        [_choice_text(row), decimals(row.value), decimals(change), counted(row.people)]
        for change, row in lines
        if decimals(change) != none
    ]
    return Table(
        _("Each choice alone, the one that changes Average most first"),
        [_("In place of what is reported"), _("Average"), _("Change"), _("People")],
        [[_("as reported"), decimals(base), "", counted(reported.people)], *changed],
        [_("No change: {choices}.").format(choices="; ".join(same))] if same else [],
    )


def _of(details: Mapping[str, Any]) -> tuple[str, str, str]:
    return details["rule"], details["missing"], details["aggregation"]


def _choice_text(row: MeasureRow) -> str:
    rule, missing, aggregation = _of(row.details)
    if rule != REPORTED[0]:
        return f"{CHOICE_NAMES['exclusion']}: {rule_name(rule)}"
    if missing != REPORTED[1]:
        return f"{CHOICE_NAMES['missing']}: {MISSING_NAMES[missing]}"
    return f"{CHOICE_NAMES['aggregation']}: {AGGREGATION_NAMES[aggregation]}"
