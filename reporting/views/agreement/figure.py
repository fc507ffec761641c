"""Two judges' differences and agreements as figures; the page shows the same numbers in tables."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from django.utils.translation import gettext as _

from presentation.figures import BLUE, INK, ORANGE, WIDTH, Figure, chart, heat_grid, with_legend
from presentation.numbers import counted, decimals, percent

Values = Mapping[str, Any]
MIN_AREA, MAX_AREA = 12.0, 420.0  # areas of points


def differences_figure(values: Values, x: str, y: str) -> "Figure":
    """Bland and Altman's figure: difference y - x over the mean of both; larger points are more pairs."""
    figure, axes = chart((WIDTH, 4.6), _("mean of both scores"), _("difference, y − x"))
    cells = np.array(values["cells"], dtype=np.float64)
    mean, difference, pairs = cells.T
    axes.scatter(
        mean, difference, s=np.maximum(MAX_AREA * pairs / pairs.max(), MIN_AREA), color=BLUE, alpha=0.6,
        linewidths=0,
    )  # fmt: skip
    for name, label, style in limit_lines():
        if (value := values["statistics"][name]["value"]) is not None:
            axes.axhline(
                value, color=ORANGE, linestyle=style, linewidth=1.4, label=f"{label} {decimals(value, 3)}"
            )
    axes.axhline(0, color=INK, linewidth=0.6)
    axes.set_xlim(-0.05, 1.05)
    axes.set_ylim(-1.08, 1.08)
    return with_legend(figure)


def limit_lines() -> tuple[tuple[str, str, str], ...]:
    return (
        ("upper_limit", _("offset + 1.96 SD:"), "--"),
        ("offset", _("offset:"), "-"),
        ("lower_limit", _("offset − 1.96 SD:"), "--"),
    )


def confusion_figure(values: Values, x: str, y: str) -> "Figure":
    """How many pairs each of the judges calls met (at least 0.5) or not."""
    cells = values["confusion"]
    table = np.array([[cells["both"], cells["only_x"]], [cells["only_y"], cells["neither"]]])
    shares = table / table.sum()
    texts = [
        [f"{counted(int(number))}\n{percent(share)}" for number, share in zip(*line, strict=True)]
        for line in zip(table, shares, strict=True)
    ]
    names = [_("met"), _("not met")]
    figure, axes = heat_grid(shares, texts, names, names, inches=(4.6, 4.2), colours="Blues", vmin=0, vmax=1)
    axes.tick_params(axis="y", rotation=90)
    axes.set_xlabel(f"y: {y}", parse_math=False)
    axes.set_ylabel(f"x: {x}", parse_math=False)
    return figure
