"""Figures of a benchmark with tasks, from stored numbers."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from django.utils.translation import gettext as _

from reporting.views.agreement.figure import empty_figure
from reporting.views.figures import INK, STYLES
from scoring.models import MeasureRow, ResultGroup
from scoring.selectors.measures import BlockMeasures

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LINE_HEIGHT, MARGIN, WIDTH = 0.34, 1.5, 8.0
MODEL = "#5d6670"


def draw_tasks(found: BlockMeasures) -> "Figure | None":
    """Accuracy per task, Average and Top side by side."""
    rows = [row for row in found.named("task.accuracy") if row.value is not None]
    names = sorted({row.subset for row in rows}, reverse=True)
    if not names:
        return None
    figure, axes = _lines([name.partition(":")[2] for name in names])
    for group, (label, marker, colour, shift) in STYLES.items():
        own = [row for row in rows if row.group == group]
        places = [names.index(row.subset) - shift for row in own]
        _intervals(axes, own, places, marker, colour, str(label))
    axes.set_xlim(-2, 102)
    axes.set_xlabel(_("accuracy in percent, with 95 % interval"))
    figure.legend(loc="outside upper left", ncols=len(STYLES), frameon=False)
    return figure


def draw_thetas(found: BlockMeasures) -> "Figure | None":
    """Average and Top beside the models, ordered by theta at the cohort's number of answers."""
    models = [row for row in found.named("theta.task.model") if row.value is not None]
    groups = [row for row in found.named("theta.task") if row.value is not None]
    if not models or not groups:
        return None
    ordered = sorted([*models, *groups], key=lambda row: row.value or 0)
    figure, axes = _lines([row.subset.partition(":")[2] or _group(row) for row in ordered])
    places = {row.pk: place for place, row in enumerate(ordered)}
    _intervals(
        axes, models, [places[row.pk] for row in models], "D", MODEL, _("Models, same number of answers")
    )
    for group, (label, marker, colour, _shift) in STYLES.items():
        own = [row for row in groups if row.group == group]
        _intervals(axes, own, [places[row.pk] for row in own], marker, colour, str(label))
    axes.set_xlabel(_("theta in logits on the bank of tasks"))
    figure.legend(loc="outside upper left", ncols=3, frameon=False)
    return figure


def _group(row: MeasureRow) -> str:
    return str(STYLES[ResultGroup(row.group)][0])


def _lines(names: Sequence[str]) -> "tuple[Figure, Axes]":
    figure, axes = empty_figure((WIDTH, MARGIN + LINE_HEIGHT * len(names)))
    axes.set_yticks(range(len(names)), names, parse_math=False)
    axes.set_ylim(-0.6, len(names) - 0.4)
    axes.grid(axis="x", color="#d9d6cf", linewidth=0.8)
    axes.set_axisbelow(True)
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.tick_params(left=False, colors=INK)
    return figure, axes


def _intervals(
    axes: "Axes",
    rows: Sequence[MeasureRow],
    places: Sequence[float],
    marker: str,
    colour: str,
    label: str,
) -> None:
    """Points with their intervals; a row without one is a point alone."""
    values = [row.value or 0 for row in rows]
    below = [value - (value if row.low is None else row.low) for value, row in zip(values, rows, strict=True)]
    above = [
        (value if row.high is None else row.high) - value for value, row in zip(values, rows, strict=True)
    ]
    bars = [[max(width, 0) for width in widths] for widths in (below, above)]
    axes.errorbar(values, places, xerr=bars, fmt=marker, color=colour, markersize=5, capsize=3, label=label)
