"""Who was left out and what it matters: flow, intention to treat, rules, multiverse, ledger, raters."""

from collections.abc import Callable, Iterator, Mapping

from django.utils.translation import gettext_lazy as _

from presentation.catalogue import label_of
from presentation.exclusions import (
    AGGREGATION_NAMES,
    CHOICE_NAMES,
    MISSING_NAMES,
    STEPS,
    leaving_text,
    people_text,
    rule_name,
    rule_text,
)
from presentation.figures import INK, STYLES, WIDTH, Axes, Figure, Style, chart, empty_figure, with_legend
from presentation.measures import (
    COMMON,
    estimator_name,
    group_name,
    percent_cell,
    value_cell,
    value_cells,
    value_or_reason,
)
from presentation.numbers import Text, counted, decimals, percent
from presentation.tables import ABSENT
from reporting.views.measurement import parts
from scoring.models import MeasureRow
from scoring.selectors.measures import BlockMeasures

BOX, LEAVING = "#eef3f4", "#f7efe9"
CENTRE, BESIDE = 0.25, 0.48  # middle of the boxes and left edge of those beside, in parts of the width
MAX_LEDGER = 100
CHOICES_CAPTIONS: Mapping[str, Text] = {
    "multiverse": _("What the choices are worth"),
    "multiverse.ql": _("What the choices are worth, by theta_QL"),
}
RATERS = ("screening.rated_twice", "screening.kappa", "screening.ac1")


def summary(block: BlockMeasures) -> Iterator[Text]:
    """What the block is about, and the two numbers that matter most."""
    yield _(
        "Whoever leaves people out decides what is measured. Below: the way from recruited to Top, the "
        "number with nobody left out, and the result under every declared rule. Rules look at what "
        "people wrote and how they worked; one looks at scores, to show what such a rule does."
    )
    yield from _range_sentences(block)
    row = block.get("itt.theta.prompt", "average")
    if row is not None and (people := row.details.get("people_not_judged", 0)):
        yield _(
            "The answers of %(people)s who were excluded were never judged. Numbers that need them are not "
            "given; for the number with nobody left out there are bounds, with these answers at 0 and at 1."
        ) % {"people": people_text(people)}


def _range_sentences(block: BlockMeasures) -> Iterator[Text]:
    for group in parts.GROUPS:
        low, high, median = (
            block.get(f"multiverse.{name}", group, "not_score_based") for name in ("low", "high", "median")
        )
        paper = next((row for row in block.named("multiverse", group=group) if row.details["paper"]), None)
        if low is not None and low.value is not None:
            yield _(
                "%(group)s: %(low)s to %(high)s over the %(number)d specifications that look at no score, "
                "median %(median)s; as published %(paper)s."
            ) % {
                "group": group_name(group),
                "number": low.n or 0,
                **value_cells(low=low, high=high, median=median, paper=paper),
            }
    ratio = block.get("multiverse.range_in_se", "average", "not_score_based")
    if ratio is not None and ratio.value is not None:
        yield _(
            "For Average this range is %(ratio)s times the standard error that other people alone would give."
        ) % {"ratio": decimals(ratio.value, 1)}
    yield from _quasi_sentences(block)


def _quasi_sentences(block: BlockMeasures) -> Iterator[Text]:
    for group in parts.GROUPS:
        low, high = (block.get(f"multiverse.ql.{end}", group, "not_score_based") for end in ("low", "high"))
        if low is not None and low.value is not None:
            facts = {"group": group_name(group), "number": low.n or 0, **value_cells(low=low, high=high)}
            yield _("%(group)s by theta_QL: %(low)s to %(high)s over %(number)d specifications.") % facts


def flow(block: BlockMeasures) -> Iterator[tuple[Text, MeasureRow, str]]:
    """Every step with its people, and below it who did not go on, by reason."""
    for name in STEPS:
        if (row := block.get(f"flow.{name}")) is not None:
            yield label_of(row.name), row, ""
            for leaving in block.named(f"flow.{name}.leaving"):
                yield label_of(leaving.name), leaving, leaving_text(leaving.subset)


def _people_count(row: MeasureRow) -> str:
    return counted(round(row.value or 0))


def _rule_notes(block: BlockMeasures) -> Iterator[Text]:
    for row in list(block.named("rule.removed"))[:1]:
        yield _("Declared rules %(version)s, sha256 %(sha)s.") % {
            "version": row.details["rules_version"], "sha": row.details["rules_sha256"][:12],
        }  # fmt: skip


def _of_specification(name: str, group: str) -> Callable[[BlockMeasures, MeasureRow], str]:
    return lambda block, row: value_or_reason(block.get(name, group, row.subset))


def _choices_table(of: str) -> parts.MeasureTable[str]:
    """`of`: the name of the specifications' rows, of theta or of theta_QL. A line has a name's end."""
    titles = {
        "median": _("Median"), "low": _("Lowest"), "high": _("Highest"), "range": _("Range"),
        **{f"share.{choice}": title for choice, title in CHOICE_NAMES.items()},
    }  # fmt: skip

    def cell(group: str, subset: str) -> Callable[[BlockMeasures, str], str]:
        def text(block: BlockMeasures, end: str) -> str:
            row = block.get(f"{of}.{end}", group, subset)
            return percent_cell(row, 0) if end.startswith("share.") else value_cell(row)

        return text

    return parts.MeasureTable(
        CHOICES_CAPTIONS[of],
        lambda block: titles if block.get(f"{of}.median", "average") else (),
        (
            (_("What"), lambda _block, end: titles[end]),
            (_("Average"), cell("average", "")),
            (_("Average, no scores"), cell("average", "not_score_based")),
            (_("Top (in-sample)"), cell("top", "")),
            (_("Top (in-sample), no scores"), cell("top", "not_score_based")),
        ),
        _(
            "Percentages: the share of each choice in the variance over specifications (eta squared of "
            "its main effect). No scores: without the score-based rule."
        ),
    )


def ledger(block: BlockMeasures) -> list[MeasureRow]:
    return sorted(block.named("exclusion.rules"), key=lambda row: (-(row.value or 0), row.participant))


def _ledger_notes(block: BlockMeasures) -> Iterator[Text]:
    yield _("Words are counted in the first 200 characters of an answer: no rule asks for more.")
    rest = len(ledger(block)) - MAX_LEDGER
    if rest > 0:
        yield _("%(number)d more are in the export.") % {"number": rest}


def _of_facts(name: str, shown: Callable[[float | None, int], str]) -> parts.Column:
    """What is known of how a person worked, without decimals."""
    return lambda _block, row: shown(row.details["facts"][name], 0)


def _rater_cell(_block: BlockMeasures, row: MeasureRow) -> str:
    share = row.name == "screening.rated_twice" and row.value is not None
    return percent_cell(row, 0) if share else value_or_reason(row)


def _draw_flow(block: BlockMeasures) -> "Figure | None":
    """Boxes from top to bottom; beside the way, who leaves and why."""
    steps = [(name, block.get(f"flow.{name}")) for name in STEPS]
    present = [(name, row) for name, row in steps if row is not None and row.value is not None]
    if not present:
        return None
    figure, axes = empty_figure((8.0, 0.95 * len(present) + 0.3))
    axes.set_xlim(0, 1)
    axes.set_ylim(-len(present) + 0.45, 0.55)
    axes.axis("off")
    for place, (name, row) in enumerate(present):
        _text_box(axes, CENTRE, -place, f"{label_of(row.name)}\n{_people_count(row)}", BOX)
        if place + 1 < len(present):
            arrow(axes, (CENTRE, -place - 0.27), (CENTRE, -place - 0.73))
        if leaving := list(block.named(f"flow.{name}.leaving")):
            lines = [f"{_people_count(row)} {leaving_text(row.subset)}" for row in leaving]
            arrow(axes, (CENTRE, -place - 0.5), (BESIDE - 0.015, -place - 0.5))
            _text_box(axes, BESIDE, -place - 0.5, "\n".join(lines), LEAVING, align="left")
    return figure


def _text_box(axes: "Axes", x: float, y: float, text: str, colour: str, align: str = "center") -> None:
    axes.text(
        x, y, text, ha=align, va="center", fontsize=9.5, color=INK, parse_math=False,
        bbox={"boxstyle": "round,pad=0.35", "facecolor": colour, "edgecolor": INK, "linewidth": 0.8},
    )  # fmt: skip


def arrow(axes: "Axes", start: tuple[float, float], end: tuple[float, float]) -> None:
    axes.annotate("", xy=end, xytext=start, arrowprops={"arrowstyle": "-|>", "color": INK, "linewidth": 0.9})


def _draw_multiverse(block: BlockMeasures) -> "Figure | None":
    """Theta under every specification in ascending order; the published one is ringed."""
    groups = {group: _sorted_cells(block, group) for group in STYLES}
    if not any(groups.values()):
        return None
    across = _("specifications, in ascending order within each group")
    figure, axes = chart((WIDTH, 4.4), across, _("theta in logits"), grid="y")
    for group, rows in groups.items():
        _draw_specifications(axes, STYLES[group], rows, _("as published") if group == "average" else "")
    axes.set_xticks([])
    return with_legend(figure)


def _sorted_cells(block: BlockMeasures, group: str) -> list[MeasureRow]:
    rows = [row for row in block.named("multiverse", group=group) if row.value is not None]
    return sorted(rows, key=lambda row: row.value or 0)


def _draw_specifications(axes: "Axes", style: Style, rows: list[MeasureRow], published: Text) -> None:
    """Score-based specifications are hollow: they are shown for what they do, not as an estimate."""
    for score_based, named_as in ((False, str(style.label)), (True, None)):
        chosen = [place for place, row in enumerate(rows) if row.details["score_based"] is score_based]
        axes.scatter(
            chosen, [rows[place].value or 0 for place in chosen], marker=style.marker, s=34,
            edgecolors=style.colour, facecolors="white" if score_based else style.colour, label=named_as,
        )  # fmt: skip
    paper = [place for place, row in enumerate(rows) if row.details["paper"]]
    axes.scatter(
        paper, [rows[place].value or 0 for place in paper], marker="o", s=190, facecolors="none",
        edgecolors=INK, linewidths=1.4, label=str(published) or None,
    )  # fmt: skip


PAGE = parts.BlockPage(
    _("Exclusions"),
    summary,
    (
        parts.Plot(
            "flow",
            _("Boxes from recruited to Top with the people in each; the table has the numbers."),
            _("The way of the study's people."),
            _draw_flow,
        ),
        parts.Plot(
            "multiverse",
            _("Theta of Average and Top under every specification in ascending order."),
            _("Every specification. Ringed: as published. Hollow: selects on scores."),
            _draw_multiverse,
        ),
        parts.MeasureTable(
            _("From recruited to Top"),
            flow,
            (
                (_("Step"), lambda _block, line: line[0]),
                (_("People"), lambda _block, line: _people_count(line[1])),
                (_("Not going on, why"), lambda _block, line: line[2]),
            ),
        ),
        parts.MeasureTable(
            _("Intention to treat"),
            lambda block: (row for row in block.rows if row.name.startswith("itt.")),
            (
                (_("Number"), lambda _block, row: f"{group_name(row.group)}, {estimator_name(row.name)}"),
                (_("theta"), parts.value(here=COMMON)),
                (_("SE"), parts.se()),
                (_("95 % interval"), parts.interval()),
                (_("People"), parts.count("people")),
                (_("Pairs"), parts.count("n")),
            ),
            [_("Nobody is left out; errors take people as independent. Top is selected among everybody.")],
        ),
        parts.MeasureTable(
            _("Declared exclusion rules"),
            parts.named("rule.removed"),
            (
                (_("Rule"), lambda _block, row: rule_name(row.details["rule"]["key"])),
                (_("Leaves out whoever meets one of"), lambda _block, row: rule_text(row.details["rule"])),
                (_("People"), lambda _block, row: _people_count(row)),
                (_("Of these by verdict"), parts.counted_detail("also_by_verdict")),
            ),
            _rule_notes,
        ),
        parts.MeasureTable(
            _("Every specification"),
            parts.named("multiverse", group="average"),
            (
                (_("Left out"), lambda _block, row: rule_name(row.details["rule"])),
                (_("Missing answers"), lambda _block, row: MISSING_NAMES[row.details["missing"]]),
                (_("Put together"), lambda _block, row: AGGREGATION_NAMES[row.details["aggregation"]]),
                (_("People"), parts.count("people")),
                (_("Average"), _of_specification("multiverse", "average")),
                (_("theta_QL"), _of_specification("multiverse.ql", "average")),
                (_("Top (in-sample)"), _of_specification("multiverse", "top")),
                (_("theta_QL"), _of_specification("multiverse.ql", "top")),
                (_("Marked"), lambda _block, row: _("as published") if row.details["paper"] else ""),
            ),
            [
                _(
                    "As zero: prompts that were skipped or not reached count as 0. Top is selected again in "
                    "each line."
                ),
                _("theta_QL weighs a prompt by its answers where pooled, and every prompt alike by prompt."),
            ],
        ),
        *map(_choices_table, CHOICES_CAPTIONS),
        parts.MeasureTable(
            _("Whom rules leave out that look at no score"),
            lambda block: ledger(block)[:MAX_LEDGER],
            (
                (_("Person"), lambda _block, row: row.participant),
                (_("Excluded"), parts.yes_or_no("excluded")),
                (_("Rules"), lambda _block, row: "; ".join(map(rule_name, row.details["rules"])) or ABSENT),
                (_("Off-task"), _of_facts("off_task_share", percent)),
                (_("Answered"), _of_facts("answered_share", percent)),
                (_("Median words"), _of_facts("median_words", decimals)),
                (_("Seconds per answer"), _of_facts("seconds_per_answer", decimals)),
                (_("Reviewers"), parts.counted_detail("raters")),
            ),
            _ledger_notes,
            about_people=True,
        ),
        parts.MeasureTable(
            _("Agreement of reviewers"),
            parts.named(*RATERS),
            (
                (_("Number"), parts.label),
                (_("Value"), _rater_cell),
                (_("95 % interval"), parts.interval()),
                (_("People"), parts.count("n")),
            ),
            _(
                "At least one in five flagged people should have two reviewers. The second could read "
                "what the first decided, so that this agreement is an upper bound of that of reviewers "
                "who decide alone."
            ),
        ),
    ),
)
