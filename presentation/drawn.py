"""Drawings as files to take away: SVG from the template of the pages, PNG and PDF from the same marks."""

from typing import Literal, cast

from django.template.loader import render_to_string

from presentation.drawings.shapes import Drawing, with_foot
from presentation.looks import PAPER, drawing_data, look_of
from presentation.typesetting import typeset

MARGIN = 8  # pixels around a drawing


def drawing_file(drawing: Drawing, extension: str, words: str = "") -> bytes:
    """The file of a drawing, with `words` at its foot. It carries no date: equal numbers give equal files."""
    drawing = with_foot(drawing, words)
    if extension != "svg":
        data = drawing_data(drawing) | {"margin": MARGIN, "paper": PAPER}
        return typeset("figure.typ", data, cast(Literal["pdf", "png"], extension))
    # The looks of its marks by the selector that finds their classes.
    names = sorted({mark.look for mark in drawing.marks if mark.look})
    looks = [("." + ".".join(name.split(" ")), look_of(name)) for name in names]
    sheet = f"-{MARGIN} -{MARGIN} {drawing.width + 2 * MARGIN} {drawing.height + 2 * MARGIN}"
    context = {
        "drawing": drawing, "sheet": sheet, "margin": MARGIN, "looks": looks,
        "letters": look_of(""), "paper": PAPER,
    }  # fmt: skip
    return render_to_string("presentation/drawing.svg", context).encode()
