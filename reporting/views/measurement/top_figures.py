"""Figures of Top, drawn from stored rows."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from django.utils.translation import gettext as _, gettext_lazy

from presentation.numbers import Text
from psychometrics.irt.transform import Array
from reporting.views.agreement.figure import empty_figure
from reporting.views.figures import INK
from scoring.models import MeasureRow
from scoring.selectors.measures import BlockMeasures

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

AVERAGE, TOP, THIRD, BAND = "#0b5a6b", "#b3541e", "#5b4a8a", "#e4dfd3"
# Name, marker, colour: each can be told from the others without colour.
STYLES: Mapping[str, tuple[Text, str, str]] = {
    "top.paper": (gettext_lazy("top.paper (in-sample)"), "s", TOP),
    "top.crossfit5": (gettext_lazy("top.crossfit5"), "o", AVERAGE),
    "top.eb": (gettext_lazy("top.eb"), "^", THIRD),
}


def estimators_figure(found: BlockMeasures) -> "Figure | None":
    """One line per estimator with its interval, before the band of the null reference."""
    rows = [row for name in STYLES if (row := found.get(name, "top")) and row.value is not None]
    if not rows:
        return None
    figure, axes = empty_figure((8.0, 1.7 + 0.45 * len(rows)))
    draw_null(axes, found.get("top.null", "top"))
    for place, (row, (value, low, high)) in enumerate(zip(rows, intervals_of(rows).T, strict=True)):
        _name, marker, colour = STYLES[row.name]
        # A percentile interval may lie to one side of the value: each is drawn where it is.
        axes.errorbar(
            [(low + high) / 2], [place], xerr=[(high - low) / 2], fmt="none", ecolor=colour, capsize=3
        )
        axes.plot([value], [place], marker, color=colour, markersize=7)
    axes.set_yticks(range(len(rows)), [str(STYLES[row.name][0]) for row in rows], parse_math=False)
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.set_xlabel(_("theta in logits with its 95 % interval"))
    tidy(axes)
    axes.spines["left"].set_visible(False)
    axes.tick_params(left=False)
    if axes.get_legend_handles_labels()[0]:
        figure.legend(loc="outside upper left", ncols=2, frameon=False)
    return figure


def draw_null(axes: "Axes", null: MeasureRow | None) -> None:
    if null is None or null.low is None:
        return
    value, low, high = intervals_of([null])[:, 0]
    axes.axvspan(low, high, color=BAND, label=_("top.paper if all were equally able (95 %)"))
    axes.axvline(value, color=INK, linewidth=1, linestyle="--")
    axes.axvline(null.details["average"], color=INK, linewidth=1, label=_("average of all people"))


def fractions_figure(found: BlockMeasures) -> "Figure | None":
    """Theta by the size of Top in percent of people; none where there is one size, which is no curve."""
    curves = {name: drawn_curve(found, name) for name in STYLES}
    if len({row.details["fraction"] for rows in curves.values() for row in rows}) < 2:
        return None
    figure, axes = empty_figure((8.0, 4.4))
    for name, rows in curves.items():
        if not rows:
            continue
        label, marker, colour = STYLES[name]
        size = np.array([100 * row.details["fraction"] for row in rows], dtype=np.float64)
        value, low, high = intervals_of(rows)
        axes.fill_between(size, low, high, color=colour, alpha=0.14, linewidth=0)
        axes.plot(size, value, marker=marker, color=colour, linewidth=1.4, label=str(label))
    axes.set_xlabel(_("size of Top in % of the people with a score"))
    axes.set_ylabel(_("theta in logits"))
    tidy(axes)
    figure.legend(loc="outside upper left", ncols=len(STYLES), frameon=False)
    return figure


def drawn_curve(found: BlockMeasures, name: str) -> list[MeasureRow]:
    return [row for row in found.named(name) if row.subset and row.value is not None]


def intervals_of(rows: Sequence[MeasureRow]) -> Array:
    """Value, low and high (3, rows); an interval of no width where there is none."""
    columns = [
        (row.value, row.value, row.value) if row.low is None else (row.value, row.low, row.high)
        for row in rows
    ]
    return np.array(columns, dtype=np.float64).T


def tidy(axes: "Axes") -> None:
    axes.grid(color="#d9d6cf", linewidth=0.8)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
