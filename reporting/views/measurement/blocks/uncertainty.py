"""How sure theta is, in sentences, tables and a figure of its intervals."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from django.utils.translation import gettext as _, gettext_lazy

from presentation.absence import why_absent
from presentation.columns import ABSENT
from presentation.measures import estimator_name, few_clusters_sentences, interval_cell, se_cell, value_cell
from presentation.numbers import Text, counted, decimals
from presentation.tables import Table
from psychometrics.inference.estimates import Reason
from psychometrics.inference.standard_errors_table import FEW_BATCHES
from reporting.views.agreement.figure import empty_figure
from reporting.views.figures import STYLES
from reporting.views.measurement.shown import BlockPage, FigureSpec
from scoring.models import MeasureRow, ResultGroup
from scoring.selectors.measures import BlockMeasures

if TYPE_CHECKING:
    from matplotlib.figure import Figure

THETAS = ("uncertainty.theta.pool", "uncertainty.theta.prompt", "uncertainty.theta.ql")
COMPONENTS: Mapping[str, Text] = {
    "mixed.sd_people": gettext_lazy("Between people (SD of theta, t)"),
    "mixed.sd_prompts": gettext_lazy("Between prompts (SD of y, d)"),
    "mixed.sd_answers": gettext_lazy("Between answers (SD of y, s)"),
}
TARGETS: Mapping[str, Text] = {
    "paper": gettext_lazy("as published: answers independent"),
    "T1": gettext_lazy("T1: other people, these prompts"),
    "T2": gettext_lazy("T2: other people, prompts like these"),
}
SENTENCES: Mapping[str, Text] = {
    "se.analytic": gettext_lazy(
        "se.analytic: the published error. It takes all answers as independent and its residual SD from "
        "models with five epochs. For people it is too small: it serves comparison with published intervals."
    ),
    "se.participant": gettext_lazy(
        "se.participant: answers of one person belong together. It serves T1: this bank, other people."
    ),
    "se.participant_boot": gettext_lazy(
        "se.participant_boot: the same by drawing people again, as a check of se.participant (T1)."
    ),
    "se.batch": gettext_lazy(
        "se.batch: people and prompts of one batch belong together. It serves T2, prompts like these, where "
        "every prompt is in one batch only."
    ),
    "se.twoway": gettext_lazy(
        "se.twoway: answers of one person and answers to one prompt belong together. It serves T2 where "
        "prompts occur in several batches; else it stands beside se.batch."
    ),
    "se.mixed": gettext_lazy(
        "se.mixed: what the variance components below imply (T2). Components that came out negative are put "
        "to zero, and the table says so."
    ),
    "se.jackknife_participant": gettext_lazy(
        "se.jackknife_participant: each person left out in turn (T1). For theta.prompt it is too wide where "
        "a prompt has few answers, as the logit jumps near 0 and 1; nested studies use se.jackknife_batch."
    ),
    "se.jackknife_batch": gettext_lazy(
        "se.jackknife_batch: each batch left out in turn (T2, nested studies). For theta.prompt it is also "
        "the one to use for T1, where it can only be too wide."
    ),
    "se.jackknife_twoway": gettext_lazy(
        "se.jackknife_twoway: prompts left out in turn, and what people add to it (T2, crossed studies)."
    ),
}
WHY_HERE: Mapping[str, Text] = {
    Reason.ONE_CLUSTER.value: gettext_lazy("refused: it needs two or more people, prompts and batches"),
    Reason.OTHER_DESIGN.value: gettext_lazy("refused: prompts occur in several batches"),
    Reason.NO_SPREAD.value: gettext_lazy("no interval: the groups do not differ at all"),
    Reason.NO_VARIATION.value: gettext_lazy("no interval: the bank does not determine it"),
    Reason.TOO_FEW_PAIRS.value: gettext_lazy("no person or no prompt has two answers"),
    Reason.NO_FINITE_SOLUTION.value: gettext_lazy("all scores are 0, or all are 1"),
    Reason.TOO_FEW_PEOPLE.value: gettext_lazy("fewer people than Top needs"),
}


def summary(found: BlockMeasures) -> list[str]:
    sentences = [design_sentence(found), widths_sentence(found)]
    sentences += few_clusters_sentences(row for row in found.rows if row.details.get("few_clusters"))
    return list(filter(None, sentences))


def design_sentence(found: BlockMeasures) -> str:
    design = found.get("design.batches")
    if design is not None and design.details["nested"] and (design.value or 0) < FEW_BATCHES:
        return _(
            "Every prompt occurs in one batch only, but there are few batches (%(batches)s): se.batch serves "
            "conclusions about prompts like these, and its interval is wide; se.twoway, by people and "
            "prompts at once, is right only where batches do not differ otherwise."
        ) % {"batches": counted(round(design.value or 0))}
    if design is not None and design.details["nested"]:
        return _(
            "Every prompt occurs in one batch only (%(batches)s batches): people and prompts both lie within "
            "batches, and se.batch serves conclusions about prompts like these."
        ) % {"batches": counted(round(design.value or 0))}
    return _(
        "Prompts occur in several batches: se.twoway, by people and prompts at once, serves conclusions "
        "about prompts like these; batches are not independent of each other, so se.batch is refused."
    )


def widths_sentence(found: BlockMeasures) -> str:
    """The three errors of theta.pool that matter, side by side."""
    rows = [
        row for row in found.named("uncertainty.theta.pool", group="average") if row.details.get("serves")
    ]
    errors = {row.details["target"]: row for row in rows if row.se is not None}
    if not {"paper", "T1", "T2"} <= errors.keys():
        return ""
    sentence = _(
        "Average, theta.pool = %(theta)s: standard error %(t2)s for other people and prompts like these "
        "(T2), %(t1)s for other people on these prompts (T1), %(paper)s as published."
    ) % {
        "theta": decimals(errors["T1"].value, 2),
        "paper": decimals(errors["paper"].se, 3), "t1": decimals(errors["T1"].se, 3),
        "t2": decimals(errors["T2"].se, 3),
    }  # fmt: skip
    if (errors["T2"].se or 0) < (errors["T1"].se or 0):
        sentence += " " + _("Here T2 came out smaller than T1, which only chance can do: use the larger one.")
    return sentence


def tables(found: BlockMeasures) -> list[Table]:
    return [table for table in (errors_table(found), components_table(found)) if table.rows]


def errors_table(found: BlockMeasures) -> Table:
    rows = list(found.named(*THETAS, group="average"))
    used = dict.fromkeys(row.subset for row in rows)
    return Table(
        caption=_("Average: theta in logits with each standard error"),
        head=(
            _("Estimate and error"), _("theta"), _("SE"), _("95 % interval"), _("groups"), _("df"),
            _("serves"),
        ),
        rows=[error_cells(row) for row in rows],
        notes=[str(SENTENCES[name]) for name in used],
    )  # fmt: skip


def error_cells(row: MeasureRow) -> list[str]:
    target = str(TARGETS.get(row.details.get("target", ""), ABSENT))
    if row.details.get("serves") and row.details["target"] != "paper":
        target = _("%(target)s (use this)") % {"target": target}
    return [
        f"{estimator_name(row.name)}, {row.subset}", value_cell(row), se_cell(row, 3),
        interval_cell(row) if row.low is not None else reason_text(row.reason),
        counted(row.clusters), counted(row.details.get("df")), target,
    ]  # fmt: skip


def reason_text(reason: str) -> str:
    return str(WHY_HERE.get(reason) or why_absent(reason)) or ABSENT


def components_table(found: BlockMeasures) -> Table:
    rows = [
        [str(COMPONENTS[row.name]), value_cell(row) if row.value is not None
         else reason_text(row.reason), _("yes") if row.details.get("truncated") else _("no")]
        for row in found.named(*COMPONENTS, group="average")
    ]  # fmt: skip
    return Table(
        caption=_("Variance components by moments, in logits"),
        head=(_("Component"), _("SD"), _("negative, put to 0")),
        rows=rows,
    )


def intervals_figure(found: BlockMeasures) -> "Figure | None":
    """One line per estimate and error: its 95 % interval."""
    rows = [row for row in found.named(*THETAS, group="average") if row.low is not None]
    if not rows:
        return None
    figure, axes = empty_figure((8.0, 1.3 + 0.42 * len(rows)))
    label, marker, colour, _shift = STYLES[ResultGroup.AVERAGE]
    value, low, high = np.array([(row.value, row.low, row.high) for row in rows], dtype=np.float64).T
    places = range(len(rows))
    # A percentile interval may lie to one side of the value: each is drawn where it is.
    axes.errorbar((low + high) / 2, places, xerr=(high - low) / 2, fmt="none", ecolor=colour, capsize=3)
    axes.plot(value, places, marker, color=colour, markersize=5, label=str(label))
    axes.set_yticks(places, [f"{estimator_name(row.name)}, {row.subset}" for row in rows], parse_math=False)
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.set_xlabel(_("theta in logits with its 95 % interval"))
    axes.grid(axis="x", color="#d9d6cf", linewidth=0.8)
    axes.set_axisbelow(True)
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.tick_params(left=False)
    figure.legend(loc="outside upper left", frameon=False)
    return figure


FIGURES: Mapping[str, FigureSpec] = {
    "intervals": FigureSpec(
        draw=intervals_figure,
        alt=gettext_lazy("Intervals of theta by estimator and standard error; the table has the numbers."),
        caption=gettext_lazy("The same theta with each standard error: T2, T1 and as published."),
    )
}


def shown_tables(found: BlockMeasures) -> Sequence[Table]:
    return tables(found) if found.state == "computed" else ()


PAGE = BlockPage(title=gettext_lazy("Uncertainty"), summary=summary, tables=shown_tables, figures=FIGURES)
