"""Figures of two judges: their differences, and what both call met."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _, ngettext

from presentation.drawings.charts import Across, Axis, Place, Series, chart
from presentation.drawings.grids import Cell, heat_grid
from presentation.drawings.shapes import Drawing, Key
from presentation.numbers import counted, decimals, percent

Values = Mapping[str, Any]
MIN_RADIUS, MAX_RADIUS = 2.0, 12.0  # of points, in pixels


def differences_drawing(values: Values, x: str, y: str, width: float) -> Drawing | None:
    """Bland and Altman's figure: difference y - x over the mean of both; larger points are more pairs."""
    most = max((pairs for _mean, _difference, pairs in values["cells"]), default=1)
    places = [
        Place(
            mean,
            difference,
            ngettext(
                "mean %(mean)s, difference %(difference)s: %(pairs)s scored answer",
                "mean %(mean)s, difference %(difference)s: %(pairs)s scored answers",
                round(pairs),
            )
            % {"mean": decimals(mean), "difference": decimals(difference), "pairs": counted(round(pairs))},
            r=max(MAX_RADIUS * (pairs / most) ** 0.5, MIN_RADIUS),
        )
        for mean, difference, pairs in values["cells"]
    ]
    across, keys = [Across(0.0, "zero")], []
    lines = (
        ("upper_limit", _("offset + 1.96 SD:"), "topmark dashed"),
        ("offset", _("offset:"), "topmark line"),
        ("lower_limit", _("offset − 1.96 SD:"), "topmark dashed"),
    )
    for name, label, look in lines:
        if (value := values["statistics"][name]["value"]) is not None:
            across.append(Across(value, look))
            keys.append(Key(f"{label} {decimals(value, 3)}", look, "line"))
    return chart(
        [Series("dots", places, "average many")],
        Axis(_("mean of both scores"), -0.05, 1.05),
        Axis(_("difference, y − x"), -1.08, 1.08),
        decimals,
        width=width,
        keys=keys,
        across=across,
    )


def confusion_drawing(values: Values, x: str, y: str, width: float) -> Drawing | None:
    """How many pairs each of the judges calls met (at least 0.5) or not."""
    cells = values["confusion"]
    table = ((cells["both"], cells["only_x"]), (cells["only_y"], cells["neither"]))
    whole = sum(map(sum, table)) or 1
    rows = [_("x: met"), _("x: not met")]
    columns = [_("y: met"), _("y: not met")]
    grid = [
        [
            Cell(
                number / whole,
                (counted(number), percent(number / whole)),
                f"{row}, {column}: {counted(number)}",
            )
            for number, column in zip(line, columns, strict=True)
        ]
        for line, row in zip(table, rows, strict=True)
    ]
    return heat_grid(grid, rows, columns, width=width, limits=(0, 1), across=f"x: {x}; y: {y}")


FIGURES = {"differences": differences_drawing, "confusion": confusion_drawing}
