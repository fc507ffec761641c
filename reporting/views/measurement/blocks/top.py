"""Top beside its null reference, with estimators that allow for the choice."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from django.utils.functional import lazy
from django.utils.translation import gettext_lazy as _, ngettext

from presentation.catalogue import ABILITY, label_of, meaning_of
from presentation.drawings.charts import Axis, Place, Series, chart
from presentation.drawings.intervals import Behind
from presentation.drawings.shapes import Drawing, Key
from presentation.figures import Point, Style, keys_of, with_ends
from presentation.first_intervals import top_sentence
from presentation.measures import interval_or_reason, value_cell, value_cells
from presentation.numbers import Text, counted, decimals, percent, span
from presentation.tables import Term, led
from presentation.top import luck_sentence
from reporting.views.measurement import parts
from reporting.views.measurement.blocks.cohort import REASONS
from scoring.models import MeasureRow
from scoring.selectors.measures import BlockMeasures

NAMES = ("top.paper", "top.paper.ql", "top.null", "top.crossfit5", "top.eb")
lazy_label = lazy(label_of, str)
# In the order of the figures: each can be told from the others without colour.
STYLES: Mapping[str, Style] = {
    "top.paper": Style(lazy_label("top.paper"), "square", "topmark"),
    "top.crossfit5": Style(lazy_label("top.crossfit5"), "circle", "average"),
    "top.eb": Style(lazy_label("top.eb"), "triangle", "third"),
}


def finding(block: BlockMeasures) -> Text:
    """What the best reach free of the choice, and whether picking them was more than luck."""
    crossed, share = block.get("top.crossfit5", "top"), block.get("top.null_share", "top")
    if crossed is None or crossed.value is None or crossed.low is None:
        return ""
    reached = parts.bold(
        _(
            "The best {size} reach <strong>{value}</strong> ({low} to {high}) on answers that did not choose "
            "them."
        ),
        size=counted(crossed.people), value=value_cell(crossed),
        low=decimals(crossed.low), high=decimals(crossed.high),
    )  # fmt: skip
    if share is None or share.value is None:
        return reached
    luck = luck_sentence(share.value, share.details["draws"])
    return parts.bold("{} {}", reached, luck)


def summary(block: BlockMeasures) -> Iterator[Text]:
    crossed = block.get("top.crossfit5", "top")
    if crossed is not None and crossed.value is not None:
        yield ngettext(
            "Measured on answers that did not choose them, the best %(size)s person reaches %(theta)s "
            "logits (95 %% interval %(interval)s; Top free of the choice (top.crossfit5)).",
            "Measured on answers that did not choose them, the best %(size)s people reach %(theta)s "
            "logits (95 %% interval %(interval)s; Top free of the choice (top.crossfit5)).",
            crossed.people or 0,
        ) % {
            "size": counted(crossed.people), "theta": value_cell(crossed),
            "interval": interval_or_reason(crossed, here=REASONS),
        }  # fmt: skip
    yield from _null_sentences(block)
    shrunken = block.get("top.eb", "top")
    if shrunken is not None and shrunken.value is not None:
        yield _(
            "Shrunk towards the mean by how much people differ (SD %(tau)s), the best reach %(theta)s "
            "(top.eb). This takes ability as normal: where it is skewed the number falls short, and it may "
            "where some people paste a model's answers."
        ) % {"tau": decimals(shrunken.details["tau"]), "theta": value_cell(shrunken)}
    if crossed is not None and (short := crossed.details["short"]):
        yield ngettext(
            "%(short)s person has fewer than five scored answers: in some folds nothing of theirs is left "
            "to measure, or nothing to choose them by.",
            "%(short)s people have fewer than five scored answers: in some folds nothing of theirs is left "
            "to measure, or nothing to choose them by.",
            short,
        ) % {"short": counted(short)}
    yield top_sentence()


def _null_sentences(block: BlockMeasures) -> Iterator[Text]:
    paper, null, over, share = (
        block.get(name, "top") for name in ("top.paper", "top.null", "top.over_null", "top.null_share")
    )
    if paper is None or null is None or over is None or share is None:
        return
    yield _(
        "The published rule gives %(paper)s (picked by these same scores). If all people were equally "
        "able it would give %(null)s by luck alone, where their average is %(average)s; the difference is "
        "%(over)s."
    ) % {
        **value_cells(paper=paper, null=null, over=over),
        "average": decimals(null.details["average"]),
    }
    if share.value is not None:
        yield luck_sentence(share.value, share.details["draws"])


estimators = parts.in_order(*NAMES, groups=("top",))


def _estimator_interval(_block: BlockMeasures, row: MeasureRow) -> str:
    if row.name == "top.paper" and row.low is not None:
        ends = span(row.low, row.high)
        return led(_("%(interval)s (as published, ignores the choice)") % {"interval": ends}, ends)
    return interval_or_reason(row, here=REASONS)


def points(block: BlockMeasures) -> Iterator[Point]:
    """One line per estimator with its interval."""
    rows = (block.get(name, "top") for name in STYLES)
    return (Point(label_of(row.name), replace(STYLES[row.name], label=""), row) for row in rows if row)


def _null_behind(block: BlockMeasures) -> tuple[Behind, Sequence[Key]]:
    """The band of the null reference, and the average of all people."""
    null = block.get("top.null", "top")
    if null is None or null.low is None or null.high is None or null.value is None:
        return Behind(), ()
    keys = (
        Key(str(_("Top as published if all were equally able (95 %)")), "band", "band"),
        Key(str(_("average of all people")), "ink line", "line"),
    )
    guides = ((null.value, "dashed"), (null.details["average"], "ink line"))
    return Behind(bands=((null.low, null.high, "band"),), guides=guides), keys


def _draw_fractions(block: BlockMeasures, width: float) -> Drawing | None:
    """Theta by the size of Top in percent of people; none where there is one size, which is no curve."""
    curves = {
        name: [row for row in block.named(name) if row.subset and row.value is not None] for name in STYLES
    }
    if len({row.details["fraction"] for rows in curves.values() for row in rows}) < 2:
        return None
    series = []
    for name, rows in curves.items():
        places = []
        for row in rows:
            share = 100 * row.details["fraction"]
            text = with_ends(f"{label_of(name)}, {decimals(share, 0)} %", row)
            places.append(Place(share, row.value or 0.0, text, row.low, row.high))
        if places:
            series.append(Series("curve", places, STYLES[name].look, STYLES[name].shape))
    return chart(
        series,
        Axis(str(_("size of Top in % of the people with a score"))),
        Axis(str(_("ability in logits"))),
        decimals,
        width=width,
        keys=keys_of(STYLES.values()),
    )


PAGE = parts.BlockPage(
    _("Top"),
    finding,
    summary,
    (
        parts.Plot(
            name="estimators",
            title=_("Top beside what luck alone gives"),
            alt=_("Top by each estimator beside what luck alone gives; the table has the numbers."),
            caption=_(
                "Top by each estimator. The band is where 95 % of Top as published (top.paper) would lie "
                "if all people were equally able: compare Top as published with it, and the others with "
                "the line, the average of all people."
            ),
            draw=parts.intervals(points, _("ability in logits with its 95 % interval"), behind=_null_behind),
            view="estimators",
        ),
        parts.Plot(
            name="fractions",
            title=_("Top by how many people it is"),
            alt=_("Top by its size for three estimators; the table has the numbers."),
            caption=_(
                "Top by its size: the published rule (picked by these same scores), and both estimators "
                "that allow for the choice, with 95 % intervals."
            ),
            draw=_draw_fractions,
            view="sizes",
        ),
        parts.MeasureTable(
            _("Top by each estimator, in logits"),
            estimators,
            (
                (_("Estimator"), parts.label),
                (_("people"), parts.count("people")),
                (ABILITY, parts.value(here=REASONS)),
                (_("SE"), parts.se()),
                (_("95 % interval"), _estimator_interval),
            ),
            lambda block: [meaning_of(row.name) for row in estimators(block)],
            view="estimators",
        ),
        # The published rule beside both estimators that allow for the choice.
        parts.MeasureTable(
            _("Top by its size, as a part of the people with a score"),
            lambda block: (row for row in block.named("top.paper") if row.subset),
            (
                (_("Part"), lambda _block, row: percent(row.details["fraction"], 0)),
                (_("people"), parts.count("people")),
                (lazy_label("top.paper"), parts.value(here=REASONS)),
                (
                    Term(
                        _("ability on the QL scale (picked by these same scores)"), _("theta_QL (in-sample)")
                    ),
                    parts.beside("top.paper.ql", parts.value(here=REASONS)),
                ),
                (lazy_label("top.crossfit5"), parts.beside("top.crossfit5", parts.value(here=REASONS))),
                (_("95 % interval"), parts.beside("top.crossfit5", parts.interval())),
                (lazy_label("top.eb"), parts.beside("top.eb", parts.value(here=REASONS))),
                (_("95 % interval"), parts.beside("top.eb", parts.interval())),
            ),
            view="sizes",
        ),
    ),
    {"estimators": _("Top and luck"), "sizes": _("By size")},
)
