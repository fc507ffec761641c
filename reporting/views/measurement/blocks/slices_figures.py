"""A radar of categories, arms with intervals, and a heat map of category by profile."""

from typing import TYPE_CHECKING, Any

import numpy as np
from django.utils.translation import gettext as _

from presentation.numbers import decimals
from reporting.views.agreement.figure import empty_figure
from reporting.views.figures import INK, STYLES
from scoring.models import MeasureRow, ResultGroup
from scoring.selectors.measures import BlockMeasures

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FEW_PAIRS = 30  # cells with fewer are hatched
SHOWN = "slices.theta.pool"
COLOURS = "cividis"  # from dark to light in every rendering, grey included


def known_rows(found: BlockMeasures, kind: str, group: str) -> dict[str, MeasureRow]:
    """theta.pool of each part of a kind in a group, where it has a value."""
    rows = found.named(SHOWN, group=group)
    return {
        row.details["value"]: row
        for row in rows
        if row.value is not None and row.details["kind"] == kind and row.details["error"] == "se.participant"
    }


def radar_figure(found: BlockMeasures) -> "Figure | None":
    """Average and Top by category; a category that is not measured leaves a gap, never a zero."""
    by_group = {group: known_rows(found, "category", group) for group in STYLES}
    names = sorted(set().union(*by_group.values()))
    if len(names) < 3:
        return None
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.0, 5.6), layout="constrained", facecolor="white")
    axes: Any = figure.add_subplot(projection="polar")  # polar axes have methods that Axes have not
    angles = np.linspace(0, 2 * np.pi, len(names), endpoint=False)
    values = {
        group: np.array([rows[name].value if name in rows else np.nan for name in names], dtype=np.float64)
        for group, rows in by_group.items()
    }
    for group, (label, marker, colour, _shift) in STYLES.items():
        if not np.isnan(values[group]).all():
            closed = np.append(values[group], values[group][0])
            axes.plot(np.append(angles, angles[0]), closed, color=colour, marker=marker, label=str(label))
    everything = np.concatenate(list(values.values()))
    low, high = float(np.nanmin(everything)), float(np.nanmax(everything))
    margin = 0.15 * max(high - low, 1.0)
    axes.set_rlim(low - margin, high + margin)
    axes.set_theta_zero_location("N")
    axes.set_theta_direction(-1)
    axes.set_xticks(angles, names, parse_math=False)
    axes.tick_params(labelsize=10)
    figure.legend(loc="outside upper left", ncols=2, frameon=False)
    return figure


def arms_figure(found: BlockMeasures) -> "Figure | None":
    """Theta of Average in each arm with its interval; an arm without an interval is a point alone."""
    rows = known_rows(found, "arm", "average")
    if not rows:
        return None
    _label, marker, colour, _shift = STYLES[ResultGroup.AVERAGE]
    figure, axes = empty_figure((8.0, 1.2 + 0.5 * len(rows)))
    for place, row in enumerate(rows.values()):
        axes.plot([value_of(row)], [place], color=colour, marker=marker)
        if row.low is not None and row.high is not None:
            axes.plot([row.low, row.high], [place, place], color=colour)
    axes.set_yticks(range(len(rows)), list(rows), parse_math=False)
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.set_xlabel(_("theta.pool in logits"))
    axes.grid(axis="x", color="#d9d6cf", linewidth=0.8)
    axes.set_axisbelow(True)
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.tick_params(left=False)
    return figure


def cell_rows(found: BlockMeasures) -> dict[tuple[str, str], MeasureRow]:
    """theta.pool of Average for each category and profile, known or not."""
    return {
        (category, profile): row
        for row in found.named(SHOWN, group="average")
        if row.details["kind"] == "cell" and row.details["error"] == "se.participant"
        for category, _, profile in [row.details["value"].rpartition("/")]
    }


def heat_figure(found: BlockMeasures) -> "Figure | None":
    """Category by profile with theta and the number of pairs in each cell; few pairs are hatched."""
    cells = cell_rows(found)
    if all(row.value is None for row in cells.values()):
        return None
    categories = sorted({category for category, _ in cells})
    profiles = sorted({profile for _, profile in cells})
    table = np.array(
        [[value_of(cells.get((category, profile))) for profile in profiles] for category in categories]
    )
    figure, axes = empty_figure((2.6 + 1.6 * len(profiles), 1.6 + 0.55 * len(categories)))
    # Cells as shapes: a picture inside the file is not drawn where the file is opened by itself.
    places = range(len(profiles)), range(len(categories))
    image = axes.pcolormesh(*places, np.ma.masked_invalid(table), cmap=COLOURS, shading="nearest")
    axes.invert_yaxis()
    for row, category in enumerate(categories):
        for column, profile in enumerate(profiles):
            draw_cell(axes, (column, row), cells.get((category, profile)))
    axes.set_xticks(range(len(profiles)), profiles, parse_math=False)
    axes.set_yticks(range(len(categories)), categories, parse_math=False)
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    scale = figure.colorbar(image, label=_("theta.pool in logits"))
    if scale.solids is not None:
        scale.solids.set_rasterized(False)  # as shapes, too
    return figure


def draw_cell(axes: "Axes", place: tuple[int, int], row: MeasureRow | None) -> None:
    """Theta and the number of pairs on white, so that they can be read on any colour."""
    from matplotlib.patches import Rectangle

    pairs = 0 if row is None else row.n or 0
    if pairs < FEW_PAIRS:
        corner = place[0] - 0.5, place[1] - 0.5
        axes.add_patch(Rectangle(corner, 1, 1, fill=False, hatch="////", edgecolor="#8a8f94", linewidth=0))
    value = decimals(None if row is None else row.value, 2)
    text = _("%(theta)s\nn %(pairs)d") % {"theta": value, "pairs": pairs}
    box = {"boxstyle": "round,pad=0.25", "facecolor": "white", "edgecolor": "none"}
    axes.text(*place, text, ha="center", va="center", fontsize=9, color=INK, bbox=box)


def value_of(row: MeasureRow | None) -> float:
    return np.nan if row is None or row.value is None else row.value
