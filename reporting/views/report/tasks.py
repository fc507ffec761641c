"""By task: what people got right beside the best published model."""

import math
from collections.abc import Iterator, Sequence
from html import unescape

from django.utils.html import strip_tags
from django.utils.translation import gettext as _

from presentation.drawings.shapes import Drawing
from presentation.drawn import drawing_file
from presentation.measures import interval_cell, value_cell
from presentation.numbers import Text, decimals
from presentation.tables import ABSENT, Table
from reporting.report.parts import Figure, Heading, Part
from reporting.views.measurement.blocks.benchmark import PAGE, best_published, task_of, tasks_by_average
from scoring.selectors.measures import BlockMeasures

PAPER = 616  # pixels: a figure as wide as the text of a page, with letters as large as below it


def figure_parts(drawing: Drawing | None, alt: Text, caption: Text, footnote: str = "") -> Iterator[Figure]:
    """The figure, where there is anything to compare in it."""
    if drawing is not None and drawing.says_something:
        yield Figure(drawing, drawing_file(drawing, "svg"), str(alt), str(caption), footnote)


def task_finding(block: BlockMeasures) -> str:
    """What the pages say of it first; "" where there is nothing to compare."""
    return unescape(strip_tags(str(PAGE.finding(block))))


def task_figure(block: BlockMeasures, highest: float = math.inf, of: Text = "") -> Iterator[Figure]:
    """`of` says which questions it is of. One of many tasks is drawn wider, to be set smaller: no higher than
    `highest` on the page.
    """
    plot = PAGE.figures["tasks"]
    drawing = plot.draw(block, PAPER)
    if drawing is not None and drawing.height > highest:
        drawing = plot.draw(block, PAPER * drawing.height / highest)
    yield from figure_parts(drawing, plot.alt, f"{of}. {plot.caption}" if of else plot.caption)


def task_parts(block: BlockMeasures, above: Sequence[Part]) -> Iterator[Part]:
    """The table of tasks, below what is to be said before it. Nothing where no task has a number."""
    rows = tasks_by_average(block)
    if all(row.value is None for row in rows):
        return
    yield Heading(_("By task"), 1, _("Results"))
    yield from above
    head = [
        _("Task"), _("Average %"), _("95 % interval"), _("Best published model %"), _("Which model that is"),
    ]  # fmt: skip
    best = {row.subset: best_published(block, row) for row in rows}
    yield Table(
        _("Per task, the highest first"),
        head if any(best.values()) else head[:3],
        [
            [
                task_of(block, row), value_cell(row, 1), interval_cell(row, 1),
                *((decimals(own[1], 1), own[0]) if (own := best[row.subset])
                  else (ABSENT, ABSENT) if any(best.values()) else ()),
            ]
            for row in rows
        ],
    )  # fmt: skip
