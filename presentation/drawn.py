"""Drawings as files to take away: SVG from the template of the pages, PNG and PDF from the same marks.

Importing matplotlib takes half a second, which no command and no page should pay: it is loaded for a file.
"""

from collections.abc import Mapping
from io import BytesIO
from typing import TYPE_CHECKING, Any

from django.template.loader import render_to_string

from presentation.drawings.shapes import Box, Dot, Drawing, Line, Mark, Text, with_foot
from presentation.loading import matplotlib_loaded
from presentation.looks import PAPER, Look, look_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PIXELS_PER_INCH = 96
POINTS_PER_PIXEL = 72 / PIXELS_PER_INCH
LETTERS = 9  # points
MARGIN = 8  # pixels around a drawing
METADATA: Mapping[str, dict[str, None]] = {"pdf": {"CreationDate": None}, "png": {"Software": None}}
ALIGNED = {"start": "left", "middle": "center", "end": "right"}


def drawing_file(drawing: Drawing, extension: str, words: str = "", dots_per_inch: int = 200) -> bytes:
    """The file of a drawing, with `words` at its foot. It carries no date: equal numbers give equal files."""
    drawing = with_foot(drawing, words)
    if extension == "svg":
        sheet = f"-{MARGIN} -{MARGIN} {drawing.width + 2 * MARGIN} {drawing.height + 2 * MARGIN}"
        context = {
            "drawing": drawing, "sheet": sheet, "margin": MARGIN, "looks": _looks_in(drawing),
            "letters": look_of(""), "paper": PAPER,
        }  # fmt: skip
        return render_to_string("presentation/drawing.svg", context).encode()
    return _printed(drawing, extension, dots_per_inch)


def _looks_in(drawing: Drawing) -> list[tuple[str, Look]]:
    """The looks of the drawing's marks by the selector that finds their classes."""
    names = sorted({mark.look for mark in drawing.marks if mark.look})
    return [("." + ".".join(name.split(" ")), look_of(name)) for name in names]


def _printed(drawing: Drawing, extension: str, dots_per_inch: int) -> bytes:
    width, height = drawing.width + 2 * MARGIN, drawing.height + 2 * MARGIN
    size = width / PIXELS_PER_INCH, height / PIXELS_PER_INCH
    figure = matplotlib_loaded().figure.Figure(figsize=size, facecolor=PAPER)
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set_xlim(-MARGIN, drawing.width + MARGIN)
    axes.set_ylim(drawing.height + MARGIN, -MARGIN)
    axes.axis("off")
    for order, mark in enumerate(drawing.marks):
        _print_mark(axes, mark, order)
    image = BytesIO()
    figure.savefig(image, format=extension, dpi=dots_per_inch, metadata=METADATA[extension])
    return image.getvalue()


def _print_mark(axes: "Axes", mark: Mark, order: int) -> None:
    look = look_of(mark.look)
    patches = matplotlib_loaded().patches
    painted = _painted(look) | {"zorder": order}
    if isinstance(mark, Text):
        axes.text(
            mark.x, mark.y, mark.text, fontsize=LETTERS, ha=ALIGNED[mark.anchor], va="baseline",
            color=look.fill, fontweight="bold" if look.bold else "normal", parse_math=False, zorder=order,
        )  # fmt: skip
    elif isinstance(mark, Line):
        axes.plot([mark.x1, mark.x2], [mark.y1, mark.y2], **_lined(look), zorder=order)
    elif isinstance(mark, Box):
        painted["alpha"] = look.opacity * mark.strength
        axes.add_patch(patches.Rectangle((mark.x, mark.y), mark.width, mark.height, **painted))
    elif isinstance(mark, Dot):
        round_one = mark.shape == "circle"
        axes.add_patch(
            patches.Circle((mark.x, mark.y), mark.r, **painted)
            if round_one
            else patches.Polygon(mark.corners, closed=True, **painted)
        )
    else:
        axes.add_patch(patches.Polygon(mark.places, closed=mark.closed, **painted))


def _painted(look: Look) -> dict[str, Any]:
    return {
        "facecolor": look.fill,
        "edgecolor": look.stroke,
        "linewidth": look.width * POINTS_PER_PIXEL if look.stroke != "none" else 0,
        "alpha": look.opacity,
        "linestyle": _dashes(look),
    }


def _lined(look: Look) -> dict[str, Any]:
    return {
        "color": look.stroke,
        "linewidth": look.width * POINTS_PER_PIXEL,
        "alpha": look.opacity,
        "linestyle": _dashes(look),
    }


def _dashes(look: Look) -> Any:
    """Lengths of strokes and gaps in widths of the line, as matplotlib counts them."""
    if not look.dashes:
        return "-"
    return (0, tuple(float(part) / look.width for part in look.dashes.split(" ")))
