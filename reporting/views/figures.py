"""Figures of pages: a drawing for wide and one for narrow sheets, the ways to take it away, and its table."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from django.http import Http404, HttpResponse
from django.urls import reverse

from presentation.drawings.shapes import FULL, NARROW, WIDE, Drawing
from presentation.drawn import drawing_file
from presentation.numbers import Text
from presentation.tables import Table

Draw = Callable[[float], Drawing | None]
TYPES = {"svg": "image/svg+xml", "png": "image/png", "pdf": "application/pdf"}
# Opened by itself, a figure is a document whose drawing is styled inline; it runs and loads nothing.
POLICY = "default-src 'none'; style-src 'unsafe-inline'"


@dataclass(frozen=True)
class FigureShown:
    """One figure. `drawings` are by the room that each is for; `files` are addresses by what is written on
    them; `table` holds the same numbers.
    """

    title: Text
    about: Text
    caption: Text
    drawings: Mapping[str, Drawing]
    files: Mapping[str, str]
    table: Table | None = None


def figure_shown(
    draw: Draw,
    *,
    title: Text = "",
    about: Text,
    caption: Text,
    files: Mapping[str, str],
    table: Table | None = None,
    full: bool = False,
) -> FigureShown | None:
    """The figure, where there is anything to compare in it; `full` is drawn as wide as a page, too."""
    widths = {"full-only": FULL, "wide-only": WIDE, "narrow-only": NARROW}
    drawn = {room: draw(width) for room, width in widths.items() if full or width != FULL}
    drawings = {room: drawing for room, drawing in drawn.items() if drawing and drawing.says_something}
    return FigureShown(title, about, caption, drawings, files, table) if drawings else None


def figure_files(page: str, query: str, **place: object) -> dict[str, str]:
    """The addresses of a figure's files; `place` are the parts of the address but the extension."""
    return {
        extension.upper(): reverse(page, kwargs={**place, "extension": extension}) + query
        for extension in TYPES
    }


def drawing_response(drawing: Drawing | None, extension: str, words: str = "") -> HttpResponse:
    """The drawing as a file, with the prompts it rests on in `words`; 404 where there is nothing to draw."""
    if drawing is None or extension not in TYPES:
        raise Http404
    return HttpResponse(
        drawing_file(drawing, extension, words),
        content_type=TYPES[extension],
        headers={"Content-Security-Policy": POLICY},
    )
