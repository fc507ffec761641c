"""The models and the cohort on one theta axis."""

from typing import TYPE_CHECKING

from django.utils.translation import gettext as _

from presentation.measures import group_name
from reporting.views.agreement.figure import empty_figure
from reporting.views.figures import INK
from scoring.models import MeasureRow
from scoring.selectors.measures import BlockMeasures

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

AVERAGE, TOP, MODEL, GRID = "#0b5a6b", "#b3541e", "#5a6068", "#d9d6cf"
BAND_HEIGHT = 0.36
MAX_ROWS = 80  # more cannot be read; the table has them all


def models_figure(found: BlockMeasures) -> "Figure | None":
    """Rows in the order of theta: models, Average and Top on the left axis, bands hollow."""
    drawn = sorted(
        (row for row in rows_of(found) if row.value is not None), key=lambda row: row.value or 0, reverse=True
    )[:MAX_ROWS]
    if not drawn:
        return None
    figure, axes = empty_figure((8.0, 1.2 + 0.3 * len(drawn)))
    for place, row in enumerate(drawn):
        draw_row(axes, place, row)
    axes.set_yticks(range(len(drawn)), [label_of(row) for row in drawn], parse_math=False)
    axes.set_ylim(len(drawn) - 0.5, -0.5)
    axes.grid(axis="x", color=GRID, linewidth=0.8)
    axes.set_axisbelow(True)
    axes.set_xlabel(_("theta in logits, single responses, with its 95 % interval"))
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.tick_params(left=False)
    return figure


def rows_of(found: BlockMeasures) -> list[MeasureRow]:
    own = [found.get("models.theta.pool", group) for group in ("average", "top")]
    models = [row for row in found.named("models.theta.pool", group="average") if row.subset]
    return [*(row for row in own if row), *models, *found.named("theta.modelled_k1")]


def draw_row(axes: "Axes", place: int, row: MeasureRow) -> None:
    value = row.value or 0.0
    if row.name == "theta.modelled_k1":
        draw_band(axes, place, row, value)
        return
    colour, marker = MODEL, "D"
    if not row.subset:
        colour, marker = (AVERAGE, "o") if row.group == "average" else (TOP, "s")
    if row.low is not None and row.high is not None:
        axes.plot([row.low, row.high], [place, place], color=colour, linewidth=1.6)
    hollow = "white" if row.group == "top" and not row.subset else colour
    axes.plot([value], [place], marker=marker, color=colour, markerfacecolor=hollow, markersize=6)


def draw_band(axes: "Axes", place: int, row: MeasureRow, value: float) -> None:
    if row.low is not None and row.high is not None:
        axes.barh(
            place, row.high - row.low, left=row.low, height=BAND_HEIGHT, facecolor="white", edgecolor=INK,
            linestyle="--", linewidth=1.0,
        )  # fmt: skip
    axes.plot([value], [place], marker="|", color=INK, markersize=8)


def label_of(row: MeasureRow) -> str:
    if not row.subset:
        return group_name(row.group)
    name = str(row.details.get("model", ""))
    if row.name == "theta.modelled_k1":
        return _("%(model)s (modelled from k = %(k)s)") % {"model": name, "k": row.details.get("k")}
    return name
