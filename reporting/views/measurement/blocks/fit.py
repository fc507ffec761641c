"""Person fit as a page: who is to be looked at again, and why this alone says nothing about anybody."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from django.utils.translation import gettext as _, gettext_lazy

from presentation.absence import why_absent
from presentation.columns import ABSENT
from presentation.measures import interval_cell, percent_cell, value_cell
from presentation.numbers import counted, decimals
from presentation.tables import Table
from reporting.views.agreement.figure import LIMITS, POINTS, empty_figure
from reporting.views.figures import INK
from reporting.views.measurement.shown import BlockPage, FigureSpec
from scoring.models import MeasureRow
from scoring.selectors.measures import BlockMeasures

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MAX_SHOWN = 100  # people in the table
MIN_AREA, MAX_AREA = 28.0, 200.0  # areas of marks; they grow with the root of the number of people
FLAGS = ("correlation", "outfit", "any")


def summary(found: BlockMeasures) -> Sequence[str]:
    return (
        _(
            "The personal correlation says whether somebody does better on easy prompts than on hard ones. "
            "The outfit says how far the answers lie from what is expected of a person of that ability."
        ),
        _(
            "Both are compared with answers simulated for the same person on the same prompts; the lowest "
            "or highest 5 % are flagged, so that 5 % of the people whose answers fit are flagged, too. If "
            "many more than that are, it is the assumed way of responding that does not fit."
        ),
        _(
            "For review only. In simulations with 20 prompts a person about half of those who gave up "
            "halfway, or knew half of the answers beforehand, were not flagged; with fewer prompts it is "
            "more. Nobody is excluded by these numbers, because they are computed from scores; read the "
            "answers."
        ),
    )


def tables(found: BlockMeasures) -> Sequence[Table]:
    people = people_table(found)
    return (flag_table(found), people) if people.rows else (flag_table(found),)


def flag_table(found: BlockMeasures) -> Table:
    names = {
        "correlation": _("Low personal correlation"),
        "outfit": _("High outfit"),
        "any": _("Either of them"),
    }
    rows = [found.get("fit.flagged", subset=f"statistic:{name}") for name in FLAGS]
    residual = found.get("fit.residual_sd")
    return Table(
        caption=_("People flagged for review"),
        head=(_("Statistic"), _("Flagged"), _("People"), _("Share"), _("Expected of fitting people")),
        rows=[
            (
                names[name],
                counted(row.details["flagged"] if row else None),
                counted(row.people if row else None),
                percent_cell(row),
                _("about 8 to 10 %") if name == "any" else _("5 %"),
            )
            for name, row in zip(FLAGS, rows, strict=True)
        ],
        notes=(
            _("Residual SD of single answers in this cohort: %(sd)s logits. The item bank's own is of means.")
            % {"sd": value_cell(residual)},
        ),
    )


def people_table(found: BlockMeasures) -> Table:
    """The flagged people, with both parts of their distance from the cohort; the smallest p first."""
    correlations = {row.participant: row for row in found.named("fit.correlation")}
    people = [(correlations[row.participant], row) for row in found.named("fit.outfit")]
    people.sort(key=lambda both: (smallest_p(*both), both[0].participant))
    return Table(
        caption=_("For review: people whose answers do not follow the difficulty of the prompts"),
        head=(
            _("Person"),
            _("Pairs"),
            _("Correlation"),
            _("p"),
            _("Outfit"),
            _("p"),
            _("Misfit"),
            _("Extremity"),
        ),
        rows=[person_cells(*both) for both in people[:MAX_SHOWN]],
        notes=people_notes(len(people)),
        about_people=True,
    )


def people_notes(flagged: int) -> Sequence[str]:
    parts = _(
        "Misfit and extremity are the two parts of the Mahalanobis distance: misfit is near the number of "
        "pairs for fitting people; extremity is large for the very able and the very weak, who are no "
        "misfits by that. p is from simulated answers."
    )
    if flagged <= MAX_SHOWN:
        return (parts,)
    shown = {"shown": counted(MAX_SHOWN), "flagged": counted(flagged)}
    return (
        parts,
        _("These are the %(shown)s with the smallest p of %(flagged)s flagged people; exports hold all.")
        % shown,
    )


def smallest_p(correlation: MeasureRow, outfit: MeasureRow) -> float:
    return float(min(correlation.details["p"], outfit.details["p"]))


def person_cells(correlation: MeasureRow, outfit: MeasureRow) -> tuple[str, ...]:
    return (
        outfit.participant,
        counted(outfit.n),
        value_cell(correlation),
        detail_cell(correlation, "p", 3),
        value_cell(outfit, 1),
        detail_cell(outfit, "p", 3),
        detail_cell(outfit, "misfit", 1),
        detail_cell(outfit, "extremity", 1),
    )


def detail_cell(row: MeasureRow, name: str, places: int) -> str:
    value = row.details[name]
    return ABSENT if value is None else decimals(value, places)


def interval_or_why(row: MeasureRow | None) -> str:
    """The interval, or in words why there is none."""
    return interval_cell(row) if row is None or row.low is not None else str(why_absent(row.reason)) or ABSENT


def fit_figure(found: BlockMeasures) -> "Figure | None":
    """How many people are in each cell of correlation and outfit per pair; nobody is named in it."""
    row = found.get("fit.grid")
    cells = row.details["cells"] if row else []
    if not cells:
        return None
    figure, axes = empty_figure((8.0, 4.6))
    styles = ((2, "o", POINTS, _("not flagged")), (3, "^", LIMITS, _("flagged for review")))
    for column, marker, colour, label in styles:
        own = [cell for cell in cells if cell[column]]
        axes.scatter(
            [cell[0] for cell in own], [cell[1] for cell in own], marker=marker, color=colour, alpha=0.65,
            s=[min(MIN_AREA * cell[column] ** 0.5, MAX_AREA) for cell in own], linewidths=0,
            label=f"{label} ({counted(sum(cell[column] for cell in own))})",
        )  # fmt: skip
    axes.axhline(1, color=INK, linewidth=0.6)
    axes.set_yscale("log")
    plain_numbers(axes)
    axes.set_xlabel(_("personal correlation of answers with easiness"))
    axes.set_ylabel(_("outfit per pair (1 is expected)"))
    axes.grid(color="#d9d6cf", linewidth=0.8)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    figure.legend(loc="outside upper left", ncols=2, frameon=False)
    return figure


def plain_numbers(axes: "Axes") -> None:
    """0.5, 1, 2 and 5 of every decade, instead of powers of ten."""
    from matplotlib.ticker import LogLocator

    axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axes.yaxis.set_major_formatter("{x:g}")
    axes.yaxis.set_minor_formatter("")


PAGE = BlockPage(
    title=gettext_lazy("Person fit"),
    summary=summary,
    tables=tables,
    figures={
        "people": FigureSpec(
            draw=fit_figure,
            alt=gettext_lazy(
                "Scatter of outfit per pair over personal correlation, without names; larger marks are more "
                "people. Flagged people lie to the left and at the top."
            ),
            caption=gettext_lazy(
                "Personal correlation and outfit of everybody, counted in cells; "
                "larger marks are more people, triangles are for review."
            ),
        )
    },
)
