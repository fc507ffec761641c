"""Figures of the exclusions page: the way from recruited to Top, and all specifications in order."""

from typing import TYPE_CHECKING

from django.utils.translation import gettext as _

from presentation.exclusions import STEP_NAMES, leaving_text
from presentation.numbers import counted
from reporting.views.agreement.figure import empty_figure
from reporting.views.figures import INK, STYLES
from scoring.models import MeasureRow, ResultGroup
from scoring.selectors.measures import BlockMeasures

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

BOX, LEAVING = "#eef3f4", "#f7efe9"
CENTRE, BESIDE = 0.25, 0.48  # middle of the boxes and left edge of those beside, in parts of the width


def flow_figure(found: BlockMeasures) -> "Figure | None":
    """Boxes from top to bottom; beside the way, who leaves and why."""
    steps = [(name, found.get(f"flow.{name}")) for name in STEP_NAMES]
    present = [(name, row) for name, row in steps if row is not None and row.value is not None]
    if not present:
        return None
    figure, axes = empty_figure((8.0, 0.95 * len(present) + 0.3))
    axes.set_xlim(0, 1)
    axes.set_ylim(-len(present) + 0.45, 0.55)
    axes.axis("off")
    for place, (name, row) in enumerate(present):
        text_box(axes, CENTRE, -place, f"{STEP_NAMES[name]}\n{number_of(row)}", BOX)
        if place + 1 < len(present):
            arrow(axes, (CENTRE, -place - 0.27), (CENTRE, -place - 0.73))
        draw_leaving(axes, -place - 0.5, list(found.named(f"flow.{name}.leaving")))
    return figure


def draw_leaving(axes: "Axes", height: float, rows: list[MeasureRow]) -> None:
    if rows:
        lines = [f"{number_of(row)} {leaving_text(row.subset)}" for row in rows]
        arrow(axes, (CENTRE, height), (BESIDE - 0.015, height))
        text_box(axes, BESIDE, height, "\n".join(lines), LEAVING, align="left")


def text_box(axes: "Axes", x: float, y: float, text: str, colour: str, align: str = "center") -> None:
    axes.text(
        x, y, text, ha=align, va="center", fontsize=9.5, color=INK, parse_math=False,
        bbox={"boxstyle": "round,pad=0.35", "facecolor": colour, "edgecolor": INK, "linewidth": 0.8},
    )  # fmt: skip


def arrow(axes: "Axes", start: tuple[float, float], end: tuple[float, float]) -> None:
    axes.annotate("", xy=end, xytext=start, arrowprops={"arrowstyle": "-|>", "color": INK, "linewidth": 0.9})


def number_of(row: MeasureRow) -> str:
    return counted(round(row.value or 0))


def multiverse_figure(found: BlockMeasures) -> "Figure | None":
    """Theta under every specification in ascending order; the published one is ringed."""
    groups = {group: sorted_cells(found, group) for group in STYLES}
    if not any(groups.values()):
        return None
    figure, axes = empty_figure((8.0, 4.4))
    for group, rows in groups.items():
        draw_specifications(axes, group, rows)
    axes.set_xlabel(_("specifications, in ascending order within each group"))
    axes.set_ylabel(_("theta in logits"))
    axes.grid(axis="y", color="#d9d6cf", linewidth=0.8)
    axes.set_axisbelow(True)
    axes.set_xticks([])
    axes.spines[["top", "right"]].set_visible(False)
    figure.legend(loc="outside upper left", ncols=3, frameon=False)
    return figure


def sorted_cells(found: BlockMeasures, group: str) -> list[MeasureRow]:
    rows = [row for row in found.named("multiverse", group=group) if row.value is not None]
    return sorted(rows, key=lambda row: row.value or 0)


def draw_specifications(axes: "Axes", group: ResultGroup, rows: list[MeasureRow]) -> None:
    """Score-based specifications are hollow: they are shown for what they do, not as an estimate."""
    name, marker, colour, _shift = STYLES[group]
    for score_based, label in ((False, str(name)), (True, None)):
        chosen = [place for place, row in enumerate(rows) if row.details["score_based"] is score_based]
        axes.scatter(
            chosen, [rows[place].value or 0 for place in chosen], marker=marker, s=34, edgecolors=colour,
            facecolors="white" if score_based else colour, label=label,
        )  # fmt: skip
    paper = [place for place, row in enumerate(rows) if row.details["paper"]]
    axes.scatter(
        paper, [rows[place].value or 0 for place in paper], marker="o", s=190, facecolors="none",
        edgecolors=INK, linewidths=1.4, label=_("as published") if group == ResultGroup.AVERAGE else None,
    )  # fmt: skip
