"""Who was left out and what it matters: flow, intention to treat, rules, multiverse, ledger, raters."""

from collections.abc import Iterator, Mapping, Sequence

from django.utils.translation import gettext as _, gettext_lazy

from presentation.exclusions import (
    AGGREGATION_NAMES,
    CHOICE_NAMES,
    MISSING_NAMES,
    STEP_NAMES,
    leaving_text,
    people_text,
    rule_name,
    rule_text,
)
from presentation.measures import (
    estimator_name,
    group_name,
    interval_cell,
    percent_cell,
    se_cell,
    value_cell,
    value_or_reason,
)
from presentation.numbers import Text, counted, decimals
from presentation.tables import Table
from reporting.views.measurement.blocks.exclusions_figures import flow_figure, multiverse_figure, number_of
from reporting.views.measurement.blocks.exclusions_people import ledger_table, raters_table
from reporting.views.measurement.shown import BlockPage, FigureSpec
from scoring.selectors.measures import BlockMeasures

GROUPS = ("average", "top")


def summary(found: BlockMeasures) -> Sequence[str]:
    """What the block is about, and the two numbers that matter most."""
    return [
        _(
            "Whoever leaves people out decides what is measured. Below: the way from recruited to Top, the "
            "number with nobody left out, and the result under every declared rule. Rules look at what "
            "people wrote and how they worked; one looks at scores, to show what such a rule does."
        ),
        *range_sentences(found),
        *judged_sentences(found),
    ]


def range_sentences(found: BlockMeasures) -> Iterator[str]:
    for group in GROUPS:
        low, high, median = (
            found.get(f"multiverse.{name}", group, "not_score_based") for name in ("low", "high", "median")
        )
        paper = next((row for row in found.named("multiverse", group=group) if row.details["paper"]), None)
        if low is not None and low.value is not None:
            yield _(
                "%(group)s: %(low)s to %(high)s over the %(number)d specifications that look at no score, "
                "median %(median)s; as published %(paper)s."
            ) % {
                "group": group_name(group), "low": value_cell(low), "high": value_cell(high),
                "number": low.n or 0, "median": value_cell(median), "paper": value_cell(paper),
            }  # fmt: skip
    ratio = found.get("multiverse.range_in_se", "average", "not_score_based")
    if ratio is not None and ratio.value is not None:
        yield _(
            "For Average this range is %(ratio)s times the standard error that other people alone would give."
        ) % {"ratio": decimals(ratio.value, 1)}
    yield from quasi_sentences(found)


def quasi_sentences(found: BlockMeasures) -> Iterator[str]:
    for group in GROUPS:
        low, high = (found.get(f"multiverse.ql.{end}", group, "not_score_based") for end in ("low", "high"))
        if low is not None and low.value is not None:
            yield _("%(group)s by theta_QL: %(low)s to %(high)s over %(number)d specifications.") % {
                "group": group_name(group), "low": value_cell(low), "high": value_cell(high),
                "number": low.n or 0,
            }  # fmt: skip


def judged_sentences(found: BlockMeasures) -> Iterator[str]:
    row = found.get("itt.theta.prompt", "average")
    if row is not None and (people := row.details.get("people_not_judged", 0)):
        yield _(
            "The answers of %(people)s who were excluded were never judged. Numbers that need them are not "
            "given; for the number with nobody left out there are bounds, with these answers at 0 and at 1."
        ) % {"people": people_text(people)}


def tables(found: BlockMeasures) -> Sequence[Table]:
    """Flow, intention to treat, rules, specifications, choices, ledger and raters, where there are rows."""
    if not found.rows:
        return []
    made = (
        flow_table(found), itt_table(found), rules_table(found), cells_table(found),
        *(choices_table(found, of) for of in CHOICES_CAPTIONS if found.get(f"{of}.median", "average")),
        ledger_table(found), raters_table(found),
    )  # fmt: skip
    return [table for table in made if table.rows]


def flow_table(found: BlockMeasures) -> Table:
    rows = []
    for name, title in STEP_NAMES.items():
        if (row := found.get(f"flow.{name}")) is not None:
            rows.append([str(title), number_of(row), ""])
            leaving = _("%(step)s, not going on") % {"step": title}
            rows += [
                [leaving, number_of(one), leaving_text(one.subset)]
                for one in found.named(f"flow.{name}.leaving")
            ]
    return Table(_("From recruited to Top"), (_("Step"), _("People"), _("Not going on, why")), rows)


def itt_table(found: BlockMeasures) -> Table:
    rows = [
        [
            f"{group_name(row.group)}, {estimator_name(row.name)}",
            value_or_reason(row), se_cell(row), interval_cell(row), counted(row.people), counted(row.n),
        ]
        for row in found.rows
        if row.name.startswith("itt.")
    ]  # fmt: skip
    head = (_("Number"), _("theta"), _("SE"), _("95 % interval"), _("People"), _("Pairs"))
    note = _("Nobody is left out; errors take people as independent. Top is selected among everybody.")
    return Table(_("Intention to treat"), head, rows, (note,))


def rules_table(found: BlockMeasures) -> Table:
    rows = [
        [
            rule_name(row.details["rule"]["key"]), rule_text(row.details["rule"]), number_of(row),
            counted(row.details["also_by_verdict"]),
        ]
        for row in found.named("rule.removed")
    ]  # fmt: skip
    head = (_("Rule"), _("Leaves out whoever meets one of"), _("People"), _("Of these by verdict"))
    notes = [
        _("Declared rules %(version)s, sha256 %(sha)s.")
        % {"version": row.details["rules_version"], "sha": row.details["rules_sha256"][:12]}
        for row in list(found.named("rule.removed"))[:1]
    ]
    return Table(_("Declared exclusion rules"), head, rows, notes)


def cells_table(found: BlockMeasures) -> Table:
    rows = [
        [
            rule_name(row.details["rule"]), str(MISSING_NAMES[row.details["missing"]]),
            str(AGGREGATION_NAMES[row.details["aggregation"]]), counted(row.people),
            *(
                value_or_reason(found.get(of, group, row.subset))
                for group in GROUPS
                for of in CHOICES_CAPTIONS
            ),
            _("as published") if row.details["paper"] else "",
        ]
        for row in found.named("multiverse", group="average")
    ]  # fmt: skip
    head = (
        _("Left out"), _("Missing answers"), _("Put together"), _("People"), _("Average"),
        _("theta_QL"), _("Top (in-sample)"), _("theta_QL"), _("Marked"),
    )  # fmt: skip
    notes = (
        _(
            "As zero: prompts that were skipped or not reached count as 0. Top is selected again in each "
            "line."
        ),
        _("theta_QL weighs a prompt by its answers where pooled, and every prompt alike by prompt."),
    )
    return Table(_("Every specification"), head, rows, notes)


CHOICES_CAPTIONS: Mapping[str, Text] = {
    "multiverse": gettext_lazy("What the choices are worth"),
    "multiverse.ql": gettext_lazy("What the choices are worth, by theta_QL"),
}


def choices_table(found: BlockMeasures, of: str) -> Table:
    """`of`: the name of the specifications' rows, of theta or of theta_QL."""
    kinds = [(group, subset) for group in GROUPS for subset in ("", "not_score_based")]
    numbers = {
        f"{of}.median": _("Median"),
        f"{of}.low": _("Lowest"),
        f"{of}.high": _("Highest"),
        f"{of}.range": _("Range"),
    }
    rows = [
        [title, *(value_cell(found.get(name, *kind)) for kind in kinds)] for name, title in numbers.items()
    ]
    rows += [
        [str(title), *(percent_cell(found.get(f"{of}.share.{choice}", *kind), 0) for kind in kinds)]
        for choice, title in CHOICE_NAMES.items()
    ]
    head = (
        _("What"), _("Average"), _("Average, no scores"), _("Top (in-sample)"),
        _("Top (in-sample), no scores"),
    )  # fmt: skip
    note = _(
        "Percentages: the share of each choice in the variance over specifications (eta squared of its main "
        "effect). No scores: without the score-based rule."
    )
    return Table(str(CHOICES_CAPTIONS[of]), head, rows, (note,))


PAGE = BlockPage(
    title=gettext_lazy("Exclusions"),
    summary=summary,
    tables=tables,
    figures={
        "flow": FigureSpec(
            flow_figure,
            gettext_lazy("Boxes from recruited to Top with the people in each; the table has the numbers."),
            gettext_lazy("The way of the study's people."),
        ),
        "multiverse": FigureSpec(
            multiverse_figure,
            gettext_lazy("Theta of Average and Top under every specification in ascending order."),
            gettext_lazy("Every specification. Ringed: as published. Hollow: selects on scores."),
        ),
    },
)
