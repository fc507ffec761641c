"""Two judges' differences and agreements as figures; the page shows the same numbers in tables."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from django.utils.formats import number_format
from django.utils.translation import gettext as _

from presentation.numbers import decimals
from reporting.views.figures import INK

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Values = Mapping[str, Any]
POINTS, LIMITS = "#0b5a6b", "#b3541e"
MIN_AREA, MAX_AREA = 12.0, 420.0  # areas of points


def differences_figure(values: Values, x: str, y: str) -> "Figure":
    """Bland and Altman's figure: difference y - x over the mean of both; larger points are more pairs."""
    figure, axes = empty_figure((8.0, 4.6))
    cells = np.array(values["cells"], dtype=np.float64)
    mean, difference, pairs = cells.T
    axes.scatter(
        mean, difference, s=np.maximum(MAX_AREA * pairs / pairs.max(), MIN_AREA), color=POINTS, alpha=0.6,
        linewidths=0,
    )  # fmt: skip
    for name, label, style in limit_lines():
        if (value := values["statistics"][name]["value"]) is not None:
            axes.axhline(
                value, color=LIMITS, linestyle=style, linewidth=1.4, label=f"{label} {decimals(value, 3)}"
            )
    axes.axhline(0, color=INK, linewidth=0.6)
    axes.set_xlim(-0.05, 1.05)
    axes.set_ylim(-1.08, 1.08)
    axes.set_xlabel(_("mean of both scores"))
    axes.set_ylabel(_("difference, y − x"))
    axes.grid(color="#d9d6cf", linewidth=0.8)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    if axes.get_legend_handles_labels()[0]:
        figure.legend(loc="outside upper left", ncols=3, frameon=False)
    return figure


def limit_lines() -> tuple[tuple[str, str, str], ...]:
    return (
        ("upper_limit", _("offset + 1.96 SD:"), "--"),
        ("offset", _("offset:"), "-"),
        ("lower_limit", _("offset − 1.96 SD:"), "--"),
    )


def confusion_figure(values: Values, x: str, y: str) -> "Figure":
    """How many pairs each of the judges calls met (at least 0.5) or not."""
    figure, axes = empty_figure((4.6, 4.2))
    found = values["confusion"]
    table = np.array(
        [[found["both"], found["only_x"]], [found["only_y"], found["neither"]]], dtype=np.float64
    )
    total = table.sum()
    # Cells as shapes: a picture inside the file is not drawn where the file is opened by itself.
    axes.pcolormesh([0, 1], [0, 1], table / total, cmap="Blues", vmin=0, vmax=1, shading="nearest")
    axes.invert_yaxis()
    for (row, column), count in np.ndenumerate(table):
        share = count / total
        counted = number_format(int(count), use_l10n=True, force_grouping=True)
        colour = "white" if share > 0.75 else INK
        text = f"{counted}\n{decimals(100 * share, 1)} %"
        axes.text(column, row, text, ha="center", va="center", color=colour, fontsize=13)
    axes.set_xticks([0, 1], [_("met"), _("not met")])
    axes.set_yticks([0, 1], [_("met"), _("not met")], rotation=90, va="center")
    axes.set_xlabel(f"y: {y}", parse_math=False)
    axes.set_ylabel(f"x: {x}", parse_math=False)
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    return figure


def empty_figure(inches: tuple[float, float]) -> "tuple[Figure, Axes]":
    # Importing matplotlib takes half a second, which no command and no other page should pay.
    from matplotlib.figure import Figure

    figure = Figure(figsize=inches, layout="constrained", facecolor="white")
    return figure, figure.add_subplot()
