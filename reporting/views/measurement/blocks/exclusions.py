"""Who was left out and what it matters: flow, intention to treat, rules, multiverse, ledger, raters."""

from collections.abc import Callable, Iterator, Mapping

from django.utils.translation import gettext_lazy as _

from presentation.catalogue import ABILITY, QL_ABILITY, SCORED_ANSWERS, label_of
from presentation.drawings.charts import Axis, Place, Series, chart
from presentation.drawings.flows import Step, flow as flow_drawing
from presentation.drawings.shapes import Drawing, Key
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
from presentation.figures import STYLES, keys_of
from presentation.measures import (
    COMMON,
    estimator_name,
    group_name,
    percent_cell,
    value_cell,
    value_cells,
    value_or_reason,
)
from presentation.numbers import Text, counted, decimals, numbered, percent
from presentation.tables import ABSENT, Term
from reporting.views.measurement import parts
from scoring.models import MeasureRow
from scoring.selectors.measures import BlockMeasures

MAX_LEDGER = 100
INTERVAL_IN_SE = 2 * 1.96  # how wide a 95 % interval is, in standard errors
VIEWS: Mapping[str, Text] = {
    "choices": _("Choices"),
    "way": _("From recruited to Top"),
    "rules": _("Rules"),
    "reviewers": _("Reviewers"),
}
CHOICES_CAPTIONS: Mapping[str, Text] = {
    "multiverse": _("What the choices are worth"),
    "multiverse.ql": _("What the choices are worth, by ability on the QL scale"),
}
RATERS = ("screening.rated_twice", "screening.kappa", "screening.ac1")


def finding(block: BlockMeasures) -> Text:
    """How far the choice of whom to leave out moves Average, beside how far other people would."""
    low, high, ratio = (
        block.get(f"multiverse.{name}", "average", "not_score_based")
        for name in ("low", "high", "range_in_se")
    )
    if low is None or low.value is None or high is None or high.value is None:
        recruited, counted_people = block.get("flow.recruited"), block.get("flow.retained")
        if recruited is None or counted_people is None:
            return ""
        return parts.bold(
            _("<strong>{counted} of {recruited} people</strong> who were recruited are counted."),
            counted=_people_count(counted_people), recruited=_people_count(recruited),
        )  # fmt: skip
    moved = parts.bold(
        _("Whoever is left out, Average stays between <strong>{low} and {high}</strong>"),
        low=decimals(low.value), high=decimals(high.value),
    )  # fmt: skip
    if ratio is None or ratio.value is None:
        return parts.bold("{}.", moved)
    text = (
        _("{moved}: no further than it would move with other people.")
        if ratio.value <= INTERVAL_IN_SE
        else _("{moved}: further than it would move with other people, so say which rule you chose.")
    )
    return parts.bold(text, moved=moved)


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
            "The answers of %(people)s who were not counted were never judged. Numbers that need them are "
            "not given; for the number with nobody left out there are bounds, with these answers at 0 and "
            "at 1."
        ) % {"people": people_text(people)}


def _range_sentences(block: BlockMeasures) -> Iterator[Text]:
    for group in parts.GROUPS:
        low, high, median = (
            block.get(f"multiverse.{name}", group, "not_score_based") for name in ("low", "high", "median")
        )
        paper = next((row for row in block.named("multiverse", group=group) if row.details["paper"]), None)
        if low is not None and low.value is not None:
            yield numbered(
                _(
                    "%(group)s: %(low)s to %(high)s over the analysis choices that look at no score "
                    "(%(number)d), median %(median)s; as published %(paper)s."
                ),
                {
                    "group": group_name(group),
                    "number": low.n or 0,
                    **value_cells(low=low, high=high, median=median, paper=paper),
                },
            )
    ratio = block.get("multiverse.range_in_se", "average", "not_score_based")
    if ratio is not None and ratio.value is not None:
        yield _(
            "For Average this range is %(ratio)s times as wide as its 95 %% interval for other people on "
            "these questions."
        ) % {"ratio": decimals(ratio.value / INTERVAL_IN_SE, 1)}
    for group in parts.GROUPS:
        low, high = (block.get(f"multiverse.ql.{end}", group, "not_score_based") for end in ("low", "high"))
        if low is not None and low.value is not None:
            facts = {"group": group_name(group), "number": low.n or 0, **value_cells(low=low, high=high)}
            sentence = _(
                "%(group)s by ability on the QL scale (theta_QL): %(low)s to %(high)s over these "
                "analysis choices (%(number)d)."
            )
            yield numbered(sentence, facts)


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


def with_values(block: BlockMeasures, *names: str) -> bool:
    """Whether anything of these names has a number: without an ability no specification has one."""
    return any(row.value is not None for row in block.named(*names))


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
        lambda block: titles if with_values(block, f"{of}.median") else (),
        (
            (_("What"), lambda _block, end: titles[end]),
            (_("Average"), cell("average", "")),
            (_("Average, no scores"), cell("average", "not_score_based")),
            (Term(_("Top as picked"), _("Top (in-sample)")), cell("top", "")),
            (
                Term(_("Top as picked, no scores"), _("Top (in-sample), no scores")),
                cell("top", "not_score_based"),
            ),
        ),
        _(
            "Percentages: the share of each choice in the variance over analysis choices (eta squared of "
            "its main effect). No scores: without the score-based rule."
        ),
        view="choices",
    )


def ledger(block: BlockMeasures) -> list[MeasureRow]:
    return sorted(block.named("exclusion.rules"), key=lambda row: (-(row.value or 0), row.participant))


def _ledger_notes(block: BlockMeasures) -> Iterator[Text]:
    yield _("Words are counted in the first 200 characters of an answer: no rule asks for more.")
    rest = len(ledger(block)) - MAX_LEDGER
    if rest > 0:
        yield numbered(_("More in the export: %(number)d."), {"number": rest})


def _of_facts(name: str, number_text: Callable[[float | None, int], str]) -> parts.Column:
    """What is known of how a person worked, without decimals."""
    return lambda _block, row: number_text(row.details["facts"][name], 0)


def _rater_cell(_block: BlockMeasures, row: MeasureRow) -> str:
    share = row.name == "screening.rated_twice" and row.value is not None
    return percent_cell(row, 0) if share else value_or_reason(row)


def _draw_flow(block: BlockMeasures, width: float) -> Drawing | None:
    """Boxes from top to bottom; beside the way, who leaves and why."""
    rows = [(name, block.get(f"flow.{name}")) for name in STEPS]
    steps = [
        Step(
            label_of(row.name),
            _people_count(row),
            tuple(
                f"{_people_count(leaving)} {leaving_text(leaving.subset)}"
                for leaving in block.named(f"flow.{name}.leaving")
            ),
        )
        for name, row in rows
        if row is not None and row.value is not None
    ]
    return flow_drawing(steps, width=width)


def _draw_multiverse(block: BlockMeasures, width: float) -> Drawing | None:
    """Theta under every specification in ascending order; the published one is ringed."""
    series: list[Series] = []
    for group, style in STYLES.items():
        rows = [row for row in block.named("multiverse", group=group) if row.value is not None]
        rows.sort(key=lambda row: row.value or 0)
        # Score-based specifications are hollow: they are shown for what they do, not as an estimate.
        for look, score_based in ((style.look, False), (f"{style.look} hollow", True)):
            places = []
            for number, row in enumerate(rows):
                if row.details["score_based"] is not score_based:
                    continue
                rule, missing = rule_name(row.details["rule"]), MISSING_NAMES[row.details["missing"]]
                choices = f"{rule}, {missing}, {AGGREGATION_NAMES[row.details['aggregation']]}"
                text = f"{style.label}, {choices}: {decimals(row.value)}"
                places.append(Place(number, row.value or 0.0, text))
            series.append(Series("dots", places, look, style.shape))
        paper = [Place(n, row.value or 0.0, r=9.0) for n, row in enumerate(rows) if row.details["paper"]]
        series.append(Series("dots", paper, "published"))
    keys = [*keys_of(STYLES.values()), Key(str(_("as published")), "published")]
    across = _("analysis choices, in ascending order within each group")
    return chart(
        series,
        Axis(str(across), named=()),
        Axis(str(_("ability in logits"))),
        decimals,
        width=width,
        keys=keys,
    )


def with_nobody_left_out(block: BlockMeasures) -> list[MeasureRow]:
    """None of them where nothing is scored on the scale of an item bank."""
    rows = [row for row in block.rows if row.name.startswith("itt.")]
    return rows if any(row.n for row in rows) else []


PAGE = parts.BlockPage(
    _("Exclusions"),
    finding,
    summary,
    (
        parts.Plot(
            "flow",
            _("How many people went on at each step"),
            _("Boxes from recruited to Top with the people in each; the table has the numbers."),
            _("The way of the study's people."),
            _draw_flow,
            view="way",
        ),
        parts.Plot(
            "multiverse",
            _("Average and Top under every choice of whom to leave out"),
            _("Ability of Average and Top under every analysis choice in ascending order."),
            _("Every analysis choice. Ringed: as published. Hollow: selects on scores."),
            _draw_multiverse,
            view="choices",
        ),
        parts.MeasureTable(
            _("From recruited to Top"),
            flow,
            (
                (_("Step"), lambda _block, line: line[0]),
                (_("People"), lambda _block, line: _people_count(line[1])),
                (_("Not going on, why"), lambda _block, line: line[2]),
            ),
            view="way",
        ),
        parts.MeasureTable(
            _("With nobody left out"),
            with_nobody_left_out,
            (
                (_("Number"), lambda _block, row: f"{group_name(row.group)}, {estimator_name(row.name)}"),
                (ABILITY, parts.value(here=COMMON)),
                (_("SE"), parts.se()),
                (_("95 % interval"), parts.interval()),
                (_("People"), parts.count("people")),
                (SCORED_ANSWERS, parts.count("n")),
            ),
            [_("Nobody is left out. Top is selected among everybody.")],
            view="way",
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
            view="rules",
        ),
        parts.MeasureTable(
            _("Every analysis choice"),
            lambda block: (
                block.named("multiverse", group="average") if with_values(block, *CHOICES_CAPTIONS) else ()
            ),
            (
                (_("Left out"), lambda _block, row: rule_name(row.details["rule"])),
                (_("Missing answers"), lambda _block, row: MISSING_NAMES[row.details["missing"]]),
                (_("Put together"), lambda _block, row: AGGREGATION_NAMES[row.details["aggregation"]]),
                (_("People"), parts.count("people")),
                (_("Average"), _of_specification("multiverse", "average")),
                (
                    QL_ABILITY,
                    _of_specification("multiverse.ql", "average"),
                ),
                (Term(_("Top as picked"), _("Top (in-sample)")), _of_specification("multiverse", "top")),
                (
                    QL_ABILITY,
                    _of_specification("multiverse.ql", "top"),
                ),
                (_("Marked"), lambda _block, row: _("as published") if row.details["paper"] else ""),
            ),
            [
                _(
                    "As zero: questions that were skipped or not reached count as 0. Top is selected "
                    "again in each line."
                ),
                _(
                    "Ability on the QL scale (theta_QL) weighs a question by its answers where pooled, and "
                    "every question alike by question."
                ),
            ],
            view="choices",
        ),
        *map(_choices_table, CHOICES_CAPTIONS),
        parts.MeasureTable(
            _("Whom rules leave out that look at no score"),
            lambda block: ledger(block)[:MAX_LEDGER],
            (
                (_("Person"), lambda _block, row: row.participant),
                (Term(_("Not counted"), _("Excluded")), parts.yes_or_no("excluded")),
                (_("Rules"), lambda _block, row: "; ".join(map(rule_name, row.details["rules"])) or ABSENT),
                (_("Off-task"), _of_facts("off_task_share", percent)),
                (_("Answered"), _of_facts("answered_share", percent)),
                (_("Median words"), _of_facts("median_words", decimals)),
                (_("Seconds per answer"), _of_facts("seconds_per_answer", decimals)),
                (_("Reviewers"), parts.counted_detail("raters")),
            ),
            _ledger_notes,
            about_people=True,
            view="rules",
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
            view="reviewers",
        ),
    ),
    VIEWS,
)
