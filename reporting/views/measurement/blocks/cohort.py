"""Average and Top by each estimator of theta, and how much people differ, in sentences, tables, a figure."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from django.utils.translation import gettext as _, gettext_lazy

from presentation.absence import why_absent
from presentation.columns import ABSENT
from presentation.measures import estimator_name, group_name, interval_cell, se_cell, value_cell
from presentation.numbers import Text, counted, decimals
from presentation.tables import Table
from psychometrics.inference.estimates import Reason
from reporting.views.agreement.figure import empty_figure
from reporting.views.figures import STYLES
from reporting.views.measurement.shown import BlockPage, FigureSpec, is_logistic
from reporting.views.measurement.top_figures import intervals_of
from scoring.models import MeasureRow
from scoring.selectors.measures import BlockMeasures

if TYPE_CHECKING:
    from matplotlib.figure import Figure

GROUPS = ("average", "top")
THETAS: Mapping[str, Text] = {
    "theta.pool": gettext_lazy("every answer by itself, as one epoch of a model"),
    "theta.ql": gettext_lazy("quasi-likelihood: the same for any number of answers per prompt; own scale"),
    "theta.prompt": gettext_lazy("mean score of each prompt, then the logit, as models get over epochs"),
}
PEOPLE: Mapping[str, Text] = {
    "tau": gettext_lazy("SD of ability between people (tau)"),
    "residual_sd": gettext_lazy("Residual SD of single answers (s1)"),
    "person.se": gettext_lazy("Standard error of one person's theta"),
    "person.reliability": gettext_lazy("Share of the variance of single thetas that is due to people"),
    "person.effective_length": gettext_lazy("Answers a person's theta effectively rests on"),
    "person.swing": gettext_lazy("Change of a person's theta if one score goes from 0 to 1"),
}
WHY: Mapping[str, Text] = {
    Reason.SELECTED.value: gettext_lazy("none: chosen by these scores"),
    Reason.LESS_THAN_CHANCE.value: gettext_lazy("none: people differ less than chance alone would give"),
    Reason.NO_FINITE_SOLUTION.value: gettext_lazy("all scores are 0, or all are 1"),
    Reason.NO_PAIRS.value: gettext_lazy("nothing is scored here"),
    Reason.TOO_FEW_PAIRS.value: gettext_lazy("too few answers per person"),
}


def why(row: MeasureRow) -> str:
    """Why a value or an interval is missing, in words."""
    return str(WHY.get(row.reason) or why_absent(row.reason)) or ABSENT


def summary(found: BlockMeasures) -> list[str]:
    sentences = [size_sentence(found), theta_sentence(found), spread_sentence(found), people_sentence(found)]
    return [sentence for sentence in sentences if sentence]


def size_sentence(found: BlockMeasures) -> str:
    raw = found.get("raw_mean", "average")
    if raw is None:
        return ""
    return _("%(people)s retained people, %(pairs)s scored answers to %(prompts)s prompts.") % {
        "people": counted(raw.people), "pairs": counted(raw.n), "prompts": counted(raw.prompts),
    }  # fmt: skip


def theta_sentence(found: BlockMeasures) -> str:
    """Both estimators of the paper, why they are not the same number, and which to compare by."""
    averaged, pooled, k = (found.get(name, "average") for name in ("theta.prompt", "theta.pool", "k_bar"))
    if averaged is None or pooled is None or k is None or averaged.value is None:
        return ""
    return _(
        "Average is %(pool)s by single answers and %(prompt)s by prompt means (%(k)s answers per prompt). "
        "Averaging before the logit pulls theta towards the middle, more so over different people than over "
        "epochs of one model: compare with models by theta.pool or theta_QL (%(ql)s)."
    ) % {
        "prompt": value_cell(averaged), "pool": value_cell(pooled), "k": value_cell(k, 1),
        "ql": value_cell(found.get("theta.ql", "average")),
    }  # fmt: skip


def spread_sentence(found: BlockMeasures) -> str:
    tau = found.get("tau")
    if tau is None or tau.value is None:
        return ""
    if tau.low is None:
        return _("People differ by an SD of %(tau)s logits (%(why)s).") % {
            "tau": value_cell(tau), "why": why(tau),
        }  # fmt: skip
    return _("Ability differs between people with an SD of %(tau)s logits (95 %% interval %(interval)s).") % {
        "tau": value_cell(tau), "interval": interval_cell(tau),
    }  # fmt: skip


def people_sentence(found: BlockMeasures) -> str:
    length, swing, error = (found.get(f"person.{name}") for name in ("effective_length", "swing", "se"))
    if length is None or swing is None:
        return ""
    sentence = _(
        "Single people cannot be ranked: information is concentrated in few prompts, so that a person's "
        "theta rests on what equals %(length)s answers, and one score going from 0 to 1 moves it by "
        "%(swing)s logits at the median and by up to %(largest)s."
    ) % {
        "length": value_cell(length, 1), "swing": value_cell(swing),
        "largest": decimals(swing.details["largest"], 2),
    }  # fmt: skip
    if error is not None:
        sentence += " " + _("Its standard error is %(se)s.") % {"se": value_cell(error)}
    return sentence + " " + _("No single person's theta is shown.")


def tables(found: BlockMeasures) -> list[Table]:
    return [table for table in (thetas_table(found), counts_table(found), people_table(found)) if table.rows]


def thetas_table(found: BlockMeasures) -> Table:
    return Table(
        caption=_("Ability of both groups by each estimator, in logits"),
        head=(_("Estimator"), _("Group"), _("theta"), _("SE"), _("95 % interval"), _("error by")),
        rows=[
            [
                estimator_name(row.name), group_name(row.group),
                value_cell(row) if row.value is not None else why(row),
                se_cell(row, 3), interval_cell(row) if row.low is not None else why(row),
                str(row.details.get("error", ABSENT)) if row.low is not None else ABSENT,
            ]
            for row in found.named(*THETAS)
        ],
        notes=thetas_notes(found),
    )  # fmt: skip


def thetas_notes(found: BlockMeasures) -> list[str]:
    chosen = _("Top was chosen by these scores (in-sample): its numbers hold luck that does not come again.")
    if is_logistic(found):
        scale = _("theta_QL: the maximum likelihood of the logistic 2PL, on the scale of the item bank.")
        return [scale, chosen]
    others = _("The block Top has estimates that allow for it, the block Uncertainty every standard error.")
    return [*(f"{estimator_name(name)}: {text}." for name, text in THETAS.items()), f"{chosen} {others}"]


def counts_table(found: BlockMeasures) -> Table:
    rows = []
    for group in GROUPS:
        raw = found.get("raw_mean", group)
        if raw is None:
            continue
        interval = interval_cell(raw, 3) if raw.low is not None else why(raw)
        rows.append([
            group_name(group), counted(raw.people), counted(raw.n), counted(raw.prompts),
            value_cell(found.get("k_bar", group)), value_cell(raw, 3), interval,
        ])  # fmt: skip
    return Table(
        caption=_("What the groups rest on"),
        head=(
            _("Group"), _("people"), _("scored answers"), _("prompts"), _("answers per prompt"),
            _("mean score"), _("95 % interval"),
        ),
        rows=rows,
    )  # fmt: skip


def people_table(found: BlockMeasures) -> Table:
    return Table(
        caption=_("How much people differ, and how little the answers of one person say"),
        head=(_("Measure"), _("value or median"), _("95 % interval"), _("80 % of people or answers")),
        rows=[
            [
                str(PEOPLE[row.name]), value_cell(row) if row.value is not None else why(row),
                interval_cell(row) if row.name == "tau" else ABSENT, tenths_cell(row),
            ]
            for row in found.named(*PEOPLE)
        ],
        notes=[
            _(
                "tau by Paule and Mandel with its Q-profile interval; s1 is of this cohort's own answers. "
                "Among equally able people the interval leaves out 0 in about one study in twenty."
            )
        ],
    )  # fmt: skip


def tenths_cell(row: MeasureRow) -> str:
    if "p10" not in row.details:
        return ABSENT
    low, high = decimals(row.details["p10"], 2), decimals(row.details["p90"], 2)
    return _("%(low)s to %(high)s") % {"low": low, "high": high}


def thetas_figure(found: BlockMeasures) -> "Figure | None":
    """Both groups by each estimator; Top without intervals, as it was chosen by the outcome."""
    names = [name for name in THETAS if any(drawn_rows(found, name))]
    if not names:
        return None
    figure, axes = empty_figure((8.0, 1.5 + 0.5 * len(names)))
    for group, (label, marker, colour, shift) in STYLES.items():
        rows = [row for name in names for row in drawn_rows(found, name) if row.group == group]
        if not rows:
            continue
        value, low, high = intervals_of(rows)
        axes.errorbar(
            value, [names.index(row.name) + shift for row in rows], xerr=[value - low, high - value],
            fmt=marker, color=colour, markersize=6, capsize=3, label=str(label),
        )  # fmt: skip
    axes.set_yticks(range(len(names)), list(map(estimator_name, names)), parse_math=False)
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.set_xlabel(_("theta in logits, Average with its 95 % interval"))
    axes.grid(axis="x", color="#d9d6cf", linewidth=0.8)
    axes.set_axisbelow(True)
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.tick_params(left=False)
    figure.legend(loc="outside upper left", ncols=len(STYLES), frameon=False)
    return figure


def drawn_rows(found: BlockMeasures, name: str) -> Iterator[MeasureRow]:
    return (row for row in found.named(name) if row.value is not None)


def shown_tables(found: BlockMeasures) -> Sequence[Table]:
    return tables(found) if found.state == "computed" else ()


FIGURES: Mapping[str, FigureSpec] = {
    "thetas": FigureSpec(
        draw=thetas_figure,
        alt=gettext_lazy("Theta of Average and Top by each estimator; the table has the numbers."),
        caption=gettext_lazy("Average and Top (in-sample) by each estimator of theta."),
    )
}
PAGE = BlockPage(
    title=gettext_lazy("Average and people"), summary=summary, tables=shown_tables, figures=FIGURES
)
