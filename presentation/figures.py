"""Drawers of figures, in one look. Whoever shows a figure shows the same numbers in a table.

Importing matplotlib takes half a second, which no command and no page without a figure should pay: whoever
begins a figure loads it by `matplotlib_loaded`.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
from django.utils.formats import get_format
from django.utils.translation import gettext_lazy as _

from presentation.loading import matplotlib_loaded
from presentation.measures import Ends
from presentation.numbers import Text

if TYPE_CHECKING:
    import matplotlib.axes
    import matplotlib.figure
    from matplotlib.transforms import Transform

# Names for annotations, read by type checkers alone.
Axes: TypeAlias = "matplotlib.axes.Axes"
Figure: TypeAlias = "matplotlib.figure.Figure"

INK, GREY, GRID, BAND = "#1d2226", "#8a8f94", "#d9d6cf", "#e4dfd3"
BLUE, ORANGE, VIOLET, SLATE = "#0b5a6b", "#b3541e", "#5b4a8a", "#5a6068"
WIDTH, LINE_HEIGHT, MARGIN = 8.0, 0.4, 1.4  # inches
BAND_HEIGHT = 0.36  # of a line
LEGEND_WIDTH, HANDLE_WIDTH = 110, 6  # in characters
ENDS_OF_BARS = ("|", "_")  # markers at the ends of error bars, which are no points
METADATA: Mapping[str, dict[str, None]] = {
    "svg": {"Date": None, "Creator": None},
    "pdf": {"CreationDate": None},
    "png": {"Software": None},
}


@dataclass(frozen=True)
class Style:
    """How measures of one kind are drawn: markers and lightness tell them apart without colour, too.

    A style without a label is not in the legend: its lines are named. `shift` moves marks, in lines, where
    several share a line. A `band` is a range without a point's weight.
    """

    label: Text = ""
    marker: str = "o"
    colour: str = BLUE
    shift: float = 0.0
    hollow: bool = False
    band: bool = False


STYLES: Mapping[str, Style] = {
    "average": Style(_("Average"), "o", BLUE, -0.16),
    "top": Style(_("Top (in-sample)"), "s", ORANGE, 0.16),
}


@dataclass(frozen=True)
class Point:
    """A measure on the line of this name."""

    line: str
    style: Style
    row: Ends

    @property
    def ends(self) -> tuple[float, float, float]:
        """Value, low and high; an interval of no width where there is none."""
        value = self.row.value or 0.0
        low, high = self.row.low, self.row.high
        return (value, value, value) if low is None or high is None else (value, low, high)


def interval_plot(
    points: Sequence[Point], across: Text, marks: "Callable[[Axes], object] | None" = None
) -> "Figure | None":
    """Values with their intervals, one line per name from top to bottom; None where there are none.

    Rows without a value are left out. `marks` draws what lies behind them.
    """
    points = [point for point in points if point.row.value is not None]
    if not points:
        return None
    names = list(dict.fromkeys(point.line for point in points))
    figure, axes = chart((WIDTH, MARGIN + LINE_HEIGHT * len(names)), across, grid="x")
    if marks:
        marks(axes)
    shared = len(points) > len(names)
    for style in dict.fromkeys(point.style for point in points):
        own = [point for point in points if point.style == style]
        places = np.array([names.index(point.line) + shared * style.shift for point in own])
        _draw_points(axes, style, places, np.array([point.ends for point in own]).T)
    axes.set_yticks(range(len(names)), names, parse_math=False)
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.spines["left"].set_visible(False)
    axes.tick_params(left=False)
    return with_legend(figure)


def _draw_points(axes: "Axes", style: Style, places: Any, ends: Any) -> None:
    value, low, high = ends
    wide = high > low
    # A percentile interval may lie to one side of the value: each is drawn where it is.
    if style.band:
        axes.barh(
            places[wide], (high - low)[wide], left=low[wide], height=BAND_HEIGHT, facecolor="white",
            edgecolor=INK, linestyle="--",
        )  # fmt: skip
    else:
        axes.errorbar(
            ((low + high) / 2)[wide], places[wide], xerr=((high - low) / 2)[wide], fmt="none",
            ecolor=style.colour, capsize=3,
        )  # fmt: skip
    axes.plot(
        value, places, linestyle="none", marker=style.marker, markersize=6, color=style.colour,
        markerfacecolor="white" if style.hollow else style.colour, label=str(style.label),
    )  # fmt: skip


def curve(axes: "Axes", x: Any, points: Sequence[Point], style: Style) -> None:
    """A line through the values of `points` at `x`, in the band of their intervals."""
    value, low, high = np.array([point.ends for point in points]).T
    axes.fill_between(x, low, high, color=style.colour, alpha=0.14, linewidth=0)
    axes.plot(x, value, marker=style.marker, color=style.colour, linewidth=1.4, label=str(style.label))


def heat_grid(
    values: Any, texts: Sequence[Sequence[str]], rows: Sequence[str], columns: Sequence[str], *,
    inches: tuple[float, float], colours: str, scale: Text = "", hatched: Any = None, **limits: float,
) -> "tuple[Figure, Axes]":  # fmt: skip
    """Cells coloured by `values` (rows, columns), with their texts on white; NaN is no colour.

    `scale` names the colour bar, if there is to be one; `hatched` are the cells to be hatched.
    """
    figure, axes = empty_figure(inches)
    # Cells as shapes: a picture inside the file is not drawn where the file is opened by itself.
    places = range(len(columns)), range(len(rows))
    cells = np.ma.masked_invalid(values)
    image = axes.pcolormesh(*places, cells, cmap=colours, shading="nearest", **limits)
    axes.invert_yaxis()
    box = {"boxstyle": "round,pad=0.25", "facecolor": "white", "edgecolor": "none"}
    for (row, column), _value in np.ndenumerate(values):
        if hatched is not None and hatched[row, column]:
            corner = column - 0.5, row - 0.5
            axes.add_patch(
                matplotlib_loaded().patches.Rectangle(
                    corner, 1, 1, fill=False, hatch="////", edgecolor=GREY, linewidth=0
                )
            )
        axes.text(column, row, texts[row][column], ha="center", va="center", fontsize=9, color=INK, bbox=box)
    axes.set_xticks(range(len(columns)), columns, parse_math=False)
    axes.set_yticks(range(len(rows)), rows, parse_math=False)
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    if scale:
        bar = figure.colorbar(image, label=str(scale))
        if bar.solids is not None:
            bar.solids.set_rasterized(False)  # as shapes, too
    return figure, axes


def empty_figure(inches: tuple[float, float], **axes: Any) -> "tuple[Figure, Any]":
    figure = matplotlib_loaded().figure.Figure(figsize=inches, layout="constrained", facecolor="white")
    return figure, figure.add_subplot(**axes)


def chart(
    inches: tuple[float, float],
    across: Text = "",
    up: Text = "",
    grid: Literal["both", "x", "y"] = "both",
) -> "tuple[Figure, Axes]":
    """A figure with named axes and the lines of a grid behind what will be drawn."""
    figure, axes = empty_figure(inches)
    axes.set_xlabel(str(across))
    axes.set_ylabel(str(up))
    axes.grid(axis=grid, color=GRID, linewidth=0.8)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    return figure, axes


def with_legend(figure: "Figure") -> "Figure":
    """The figure with what its marks mean above it, in as many columns as fit; none where none has a name."""
    handles, labels = figure.axes[0].get_legend_handles_labels()
    if labels:
        columns = max(LEGEND_WIDTH // (HANDLE_WIDTH + max(map(len, labels))), 1)
        figure.legend(handles, labels, loc="outside upper left", ncols=columns, frameon=False)
    return figure


def with_scope(figure: "Figure", words: str) -> "Figure":
    """The figure with the prompts it rests on at its foot."""
    if words:
        figure.supxlabel(words, x=0.99, horizontalalignment="right", fontsize="small", color=INK)
    return figure


def figure_file(figure: "Figure", extension: str, dots_per_inch: int = 200) -> bytes:
    """The file of a figure. It carries no date and no chance ids: equal numbers give equal files."""
    image = BytesIO()
    with matplotlib_loaded().rc_context({"svg.hashsalt": "chiron"}):
        in_readers_numbers(figure).savefig(
            image, format=extension, dpi=dots_per_inch, metadata=METADATA[extension]
        )
    return image.getvalue()


def in_readers_numbers(figure: "Figure") -> "Figure":
    """The figure with the decimal mark of the reader's language on its axes."""
    from matplotlib.ticker import ScalarFormatter, StrMethodFormatter

    mark = get_format("DECIMAL_SEPARATOR")

    class Formatter(ScalarFormatter):
        def __call__(self, x: float, pos: int | None = None) -> str:
            return str(super().__call__(x, pos)).replace(".", mark)

    class Patterned(StrMethodFormatter):
        def __call__(self, x: float, pos: int | None = None) -> str:
            return str(super().__call__(x, pos)).replace(".", mark)

    for axes in figure.axes:
        for axis in (axes.xaxis, axes.yaxis):
            formatter = axis.get_major_formatter()
            if isinstance(formatter, StrMethodFormatter):
                axis.set_major_formatter(Patterned(formatter.fmt))
            elif isinstance(formatter, ScalarFormatter):
                axis.set_major_formatter(Formatter())
    return figure


def shows_several_points(figure: "Figure | None") -> bool:
    """Whether there is anything to compare: a single point says no more than its number."""
    return figure is not None and sum(map(_points_in, figure.axes)) > 1


def _points_in(axes: "Axes") -> int:
    """Points of lines and clouds, bars, cells of a grid; ends of error bars and lines across are none."""
    from matplotlib.collections import PathCollection
    from matplotlib.patches import Rectangle

    def lies_in_data(transform: "Transform") -> bool:
        return all(transform.contains_branch_seperately(axes.transData))

    bars = [patch for patch in axes.patches if isinstance(patch, Rectangle)]
    number = sum(
        bool(bar.get_width() and bar.get_height()) and lies_in_data(bar.get_data_transform()) for bar in bars
    )
    for line in axes.lines:
        if lies_in_data(line.get_transform()) and line.get_marker() not in ENDS_OF_BARS:
            places = np.asarray(line.get_xydata(), dtype=np.float64)
            number += int(np.isfinite(places).all(axis=1).sum())
    for one in axes.collections:
        grid = one.get_array()
        if grid is not None:
            number += int(np.ma.count(grid))
        elif isinstance(one, PathCollection):
            number += len(np.asarray(one.get_offsets()))
    return number
