"""Top beside its null reference, with estimators that allow for the choice, in sentences and tables."""

from collections.abc import Mapping, Sequence

from django.utils.translation import gettext as _, gettext_lazy

from presentation.columns import ABSENT
from presentation.first_intervals import top_sentence
from presentation.measures import interval_cell, percent_cell, se_cell, value_cell
from presentation.numbers import Text, counted, decimals
from presentation.tables import Table
from reporting.views.measurement.blocks.cohort import why
from reporting.views.measurement.shown import BlockPage, FigureSpec
from reporting.views.measurement.top_figures import estimators_figure, fractions_figure
from scoring.models import MeasureRow
from scoring.selectors.measures import BlockMeasures

NAMES: Mapping[str, Text] = {
    "top.paper": gettext_lazy("top.paper (in-sample)"),
    "top.paper.ql": gettext_lazy("the same people, theta_QL (in-sample)"),
    "top.null": gettext_lazy("top.null, all people equally able"),
    "top.crossfit5": gettext_lazy("top.crossfit5"),
    "top.eb": gettext_lazy("top.eb"),
}
SENTENCES: Mapping[str, Text] = {
    "top.paper": gettext_lazy(
        "top.paper: the published rule. People are chosen by their mean score and measured on the same "
        "answers. Its interval is the published one and ignores the choice; it hardly ever holds the ability "
        "of these people."
    ),
    "top.paper.ql": gettext_lazy(
        "theta_QL is that of the people of top.paper, on its own scale. The other estimators average "
        "abilities of single people or of single folds, whose theta_QL is often infinite: they have none."
    ),
    "top.null": gettext_lazy(
        "top.null: what top.paper would be if nobody were abler than anybody else. Scores are exchanged "
        "between answers expected to be equally good, or to the same prompt where it has no item parameters, "
        "and the best are chosen anew. SE and interval are the spread of the draws."
    ),
    "top.crossfit5": gettext_lazy(
        "top.crossfit5: chosen on four fifths of each person's answers, measured on the rest; mean over five "
        "folds and a hundred splits. The interval draws people again and chooses anew in each draw."
    ),
    "top.eb": gettext_lazy(
        "top.eb: the mean of the highest shrunken abilities. It rests on a normal distribution of ability: "
        "where ability is skewed it is 0.3 to 0.4 too low in simulations of 195 people, and its interval "
        "holds the truth in fewer than half of the studies; where some people paste a model's answers it "
        "may be 0.2 too low. Its interval is also too narrow where people hardly differ."
    ),
}


def summary(found: BlockMeasures) -> list[str]:
    sentences = [headline(found), null_sentence(found), shrunken_sentence(found), short_sentence(found)]
    return [*(sentence for sentence in sentences if sentence), top_sentence()]


def headline(found: BlockMeasures) -> str:
    crossed = found.get("top.crossfit5", "top")
    if crossed is None or crossed.value is None:
        return ""
    return _(
        "Measured on answers that did not choose them, the best %(size)s people reach %(theta)s logits "
        "(95 %% interval %(interval)s; top.crossfit5)."
    ) % {
        "size": counted(crossed.people), "theta": value_cell(crossed),
        "interval": interval_cell(crossed) if crossed.low is not None else why(crossed),
    }  # fmt: skip


def null_sentence(found: BlockMeasures) -> str:
    paper, null, over, share = (
        found.get(name, "top") for name in ("top.paper", "top.null", "top.over_null", "top.null_share")
    )
    if paper is None or null is None or over is None or share is None:
        return ""
    return _(
        "The published rule gives %(paper)s (in-sample). If all people were equally able it would give "
        "%(null)s by luck alone, where their average is %(average)s; only the difference of %(over)s says "
        "that people differ. Equally able people came as high in %(share)s of %(draws)s draws, the study "
        "itself counted as one."
    ) % {
        "paper": value_cell(paper), "null": value_cell(null), "over": value_cell(over),
        "average": decimals(null.details["average"], 2), "share": percent_cell(share, 2),
        "draws": counted(share.details["draws"]),
    }  # fmt: skip


def shrunken_sentence(found: BlockMeasures) -> str:
    shrunken = found.get("top.eb", "top")
    if shrunken is None or shrunken.value is None:
        return ""
    return _(
        "Shrunk towards the mean by how much people differ (SD %(tau)s), the best reach %(theta)s (top.eb). "
        "This takes ability as normal: where it is skewed the number falls short, and it may where some "
        "people paste a model's answers."
    ) % {"tau": decimals(shrunken.details["tau"], 2), "theta": value_cell(shrunken)}


def short_sentence(found: BlockMeasures) -> str:
    crossed = found.get("top.crossfit5", "top")
    short = crossed.details["short"] if crossed else 0
    if not short:
        return ""
    return _(
        "%(short)s people have fewer than five scored answers: in some folds nothing of theirs is left to "
        "measure, or nothing to choose them by."
    ) % {"short": counted(short)}


def tables(found: BlockMeasures) -> Sequence[Table]:
    if found.state != "computed":
        return ()
    both = (estimators_table(found), fractions_table(found))
    return [table for table in both if table.rows]


def estimators_table(found: BlockMeasures) -> Table:
    rows = [row for name in NAMES if (row := found.get(name, "top"))]
    return Table(
        caption=_("Top by each estimator, in logits"),
        head=(_("Estimator"), _("people"), _("theta"), _("SE"), _("95 % interval")),
        rows=[
            [
                str(NAMES[row.name]), counted(row.people), theta_cell(row), se_cell(row),
                estimator_interval(row),
            ]
            for row in rows
        ],
        notes=[str(SENTENCES[row.name]) for row in rows],
    )  # fmt: skip


def estimator_interval(row: MeasureRow) -> str:
    if row.low is None:
        return why(row)
    if row.name == "top.paper":
        return _("%(interval)s (as published, ignores the choice)") % {"interval": interval_cell(row)}
    return interval_cell(row)


def fractions_table(found: BlockMeasures) -> Table:
    """One row per fraction: the published rule beside both estimators that allow for the choice."""
    return Table(
        caption=_("Top by its size, as a part of the people with a score"),
        head=(
            _("Part"), _("people"), str(NAMES["top.paper"]), _("theta_QL (in-sample)"),
            str(NAMES["top.crossfit5"]), _("95 % interval"), str(NAMES["top.eb"]), _("95 % interval"),
        ),
        rows=[fraction_cells(found, row) for row in found.named("top.paper") if row.subset],
    )  # fmt: skip


def fraction_cells(found: BlockMeasures, paper: MeasureRow) -> list[str]:
    quasi, crossed, shrunken = (
        found.get(name, "top", paper.subset) for name in ("top.paper.ql", "top.crossfit5", "top.eb")
    )
    return [
        f"{decimals(100 * paper.details['fraction'], 0)} %", counted(paper.people), theta_cell(paper),
        theta_cell(quasi), theta_cell(crossed), interval_cell(crossed), theta_cell(shrunken),
        interval_cell(shrunken),
    ]  # fmt: skip


def theta_cell(row: MeasureRow | None) -> str:
    if row is None:
        return ABSENT
    return value_cell(row) if row.value is not None else why(row)


FIGURES: Mapping[str, FigureSpec] = {
    "estimators": FigureSpec(
        draw=estimators_figure,
        alt=gettext_lazy("Top by each estimator beside what luck alone gives; the table has the numbers."),
        caption=gettext_lazy(
            "Top by each estimator. The band is where 95 % of top.paper would lie if all people were equally "
            "able: compare top.paper with it, and the others with the line, the average of all people."
        ),
    ),
    "fractions": FigureSpec(
        draw=fractions_figure,
        alt=gettext_lazy("Top by its size for three estimators; the table has the numbers."),
        caption=gettext_lazy(
            "Top by its size: the published rule (in-sample), and both estimators that allow for the choice, "
            "with 95 % intervals."
        ),
    ),
}
PAGE = BlockPage(title=gettext_lazy("Top"), summary=summary, tables=tables, figures=FIGURES)
