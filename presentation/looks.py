"""What each look of a drawing is where no style sheet of the page reaches it: in files, for paper.

On pages `static/css/console.css` and `static/console/results.css` draw the same looks in the reader's theme.
"""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from presentation.drawings.shapes import Dot, Drawing

INK, MUTED, LINE, GRID, PAPER = "#14181d", "#57606c", "#b9c1ca", "#e3e6ea", "#ffffff"
PEOPLE, TOP, THIRD, MODEL, MODEL_NEAR = "#0d6a72", "#b8501a", "#5b4a8a", "#98a2ae", "#57606c"


@dataclass(frozen=True)
class Look:
    """Colours ("none": not drawn) and the width of lines in pixels."""

    fill: str = "none"
    stroke: str = "none"
    width: float = 1.0
    opacity: float = 1.0
    dashes: str = ""
    bold: bool = False


COLOURS: Mapping[str, str] = {"average": PEOPLE, "topmark": TOP, "third": THIRD, "model": MODEL, "ink": INK}
FIXED: Mapping[str, Look] = {
    "": Look(fill=MUTED),
    "name": Look(fill=INK),
    "cell-name": Look(fill=INK, bold=True),
    "axis": Look(stroke=GRID),
    "zero": Look(stroke=LINE),
    "dashed": Look(stroke=MUTED, dashes="5 4"),
    "band": Look(fill=TOP, opacity=0.14),
    "cell": Look(fill=PEOPLE),
    "cell-frame": Look(stroke=GRID),
    "step": Look(fill="#eef7f7", stroke=LINE),
    "bar-1": Look(fill=PEOPLE),
    "bar-2": Look(fill=TOP),
    "bar-3": Look(fill=LINE),
    "published": Look(stroke=INK, width=1.4),
}


# How a colour is drawn, by the word beside it; without one it fills.
DRAWN: Mapping[str, Callable[[str], Look]] = {
    "hollow": lambda colour: Look(fill=PAPER, stroke=colour, width=1.8),
    "modelled": lambda colour: Look(fill=PAPER, stroke=colour, width=1.8),
    "near": lambda colour: Look(fill=colour, stroke=MODEL_NEAR, width=1.8),
    "guide": lambda colour: Look(stroke=colour, opacity=0.4, dashes="3 4"),
    "area": lambda colour: Look(fill=colour, opacity=0.13),
    "dashed": lambda colour: Look(stroke=colour, width=1.8, dashes="6 4"),
    "curve": lambda colour: Look(stroke=colour, width=2.0),
    "ci": lambda colour: Look(stroke=colour, width=2.0),
    "line": lambda colour: Look(stroke=colour, width=1.5),
    "many": lambda colour: Look(fill=colour, opacity=0.6),
}


def look_of(names: str) -> Look:
    """The look of these names: a colour and how it is drawn, or one of those that are fixed."""
    if names in FIXED:
        return FIXED[names]
    if names.endswith("-name"):
        return Look(fill=COLOURS[names.removesuffix("-name")], bold=True)
    words = names.split(" ")
    colour = next((COLOURS[word] for word in words if word in COLOURS), MUTED)
    drawn = next((way for word, way in DRAWN.items() if word in words), None)
    return drawn(colour) if drawn else Look(fill=colour)


def drawing_data(drawing: Drawing) -> dict[str, Any]:
    """The drawing's marks with their looks, as `templates/print/drawing.typ` draws them."""
    marks = [
        asdict(mark)
        | {"kind": mark.kind, "look": asdict(look_of(mark.look))}
        | ({"corners": mark.corners} if isinstance(mark, Dot) else {})
        for mark in drawing.marks
    ]
    return {"width": drawing.width, "height": drawing.height, "marks": marks}
