"""What a drawing is made of: marks at places in pixels, from which pages, files and reports draw the same.

A mark has a `look`, the name of how it is drawn (`presentation.looks`), and no colour of its own. What is
`told` is what a reader hears or reads of it; marks that are told are the data, all others are the frame.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

Anchor = Literal["start", "middle", "end"]
Shape = Literal["circle", "square", "diamond", "triangle", "bar"]
# Pixels: as wide as a page, beside other things, and on a phone.
FULL, WIDE, NARROW = 1080, 800, 340
LETTER = 6.6  # pixels that a letter takes on average


@dataclass(frozen=True)
class Line:
    """From one place to another."""

    kind: ClassVar[str] = "line"
    x1: float
    y1: float
    x2: float
    y2: float
    look: str
    told: str = ""


@dataclass(frozen=True)
class Dot:
    """A point of data: a circle, or another shape that is told from it without colour."""

    kind: ClassVar[str] = "dot"
    x: float
    y: float
    r: float
    look: str
    shape: Shape = "circle"
    told: str = ""

    @property
    def corners(self) -> tuple[tuple[float, float], ...]:
        """Where the shape has corners; a circle has none."""
        r = self.r
        offsets: dict[Shape, tuple[tuple[float, float], ...]] = {
            "circle": (),
            "square": ((-r, -r), (r, -r), (r, r), (-r, r)),
            "diamond": ((0, -1.3 * r), (1.3 * r, 0), (0, 1.3 * r), (-1.3 * r, 0)),
            "bar": ((-0.3 * r, -1.6 * r), (0.3 * r, -1.6 * r), (0.3 * r, 1.6 * r), (-0.3 * r, 1.6 * r)),
            "triangle": ((0, -1.2 * r), (1.1 * r, 0.9 * r), (-1.1 * r, 0.9 * r)),
        }
        return tuple((rounded(self.x + dx), rounded(self.y + dy)) for dx, dy in offsets[self.shape])


@dataclass(frozen=True)
class Box:
    """A rectangle. `strength`, from 0 to 1, says how full its colour is."""

    kind: ClassVar[str] = "box"
    x: float
    y: float
    width: float
    height: float
    look: str
    told: str = ""
    strength: float = 1.0
    corner: float = 0.0


@dataclass(frozen=True)
class Text:
    """One line of text; `y` is where its letters stand."""

    kind: ClassVar[str] = "text"
    x: float
    y: float
    text: str
    look: str = ""
    anchor: Anchor = "start"


@dataclass(frozen=True)
class Path:
    """A line through several places; a closed one is an area."""

    kind: ClassVar[str] = "path"
    places: tuple[tuple[float, float], ...]
    look: str
    closed: bool = False
    told: str = ""


Mark = Line | Dot | Box | Text | Path


@dataclass(frozen=True)
class Drawing:
    """Marks on a sheet of this size, those that lie behind first."""

    width: float
    height: float
    marks: tuple[Mark, ...]

    @property
    def told(self) -> tuple[str, ...]:
        """What is told of each point of data."""
        return tuple(mark.told for mark in self.marks if not isinstance(mark, Text) and mark.told)

    @property
    def says_something(self) -> bool:
        """Whether there is anything to compare: a single point says no more than its number."""
        return len(self.told) > 1


@dataclass(frozen=True)
class Key:
    """What a look and a shape mean, in the line below a drawing."""

    text: str
    look: str
    shape: Shape | Literal["line", "band"] = "circle"


def rounded(value: float) -> float:
    """To a tenth of a pixel; nobody sees less."""
    return round(value, 1)


def text_width(text: str) -> float:
    return LETTER * len(text)


def fitting(text: str, width: float) -> str:
    """The text, or as much of its beginning as fits in so many pixels."""
    letters = max(int(width / LETTER), 2)
    return text if len(text) <= letters else text[: letters - 1].rstrip() + "…"


def folded(text: str, width: float) -> list[str]:
    """The text on one line or, where it has no room there, on two, of which the second is `fitting`."""
    breaks = [match.start() for match in re.finditer(" ", text)]
    if LETTER * len(text) <= width or not breaks:
        return [fitting(text, width)]
    end = max((place for place in breaks if LETTER * place <= width), default=breaks[0])
    return [fitting(text[:end], width), fitting(text[end + 1 :], width)]


def axis_name(name: str, width: float) -> str:
    """The name, or as many of its parts as fit: what follows a comma or stands in brackets explains it."""
    ends = [len(name), *(match.start() for match in reversed([*re.finditer(r", | \(", name)]))]
    return next((name[:end] for end in ends if end * LETTER <= width), fitting(name, width))


def kept_inside(x: float, text: str, width: float) -> float:
    """Where the middle of a text stands so that the text does not leave the sheet."""
    half = text_width(text) / 2
    return rounded(min(max(x, half), max(width - half, half)))


def keys_below(keys: Iterable[Key], width: float, y: float) -> tuple[list[Mark], float]:
    """The marks of one or several lines of keys from `y` downwards, and where they end."""
    marks: list[Mark] = []
    x, y, row = 0.0, y + 16, 20.0
    for key in keys:
        room = text_width(key.text) + 34
        if x and x + room > width:
            x, y = 0.0, y + row
        middle = y - 4
        if key.shape == "line":
            marks.append(Line(rounded(x), middle, rounded(x + 14), middle, key.look))
        elif key.shape == "band":
            marks.append(Box(rounded(x), middle - 5, 14, 10, key.look))
        else:
            marks.append(Dot(rounded(x + 7), middle, 4.5, key.look, key.shape))
        marks.append(Text(rounded(x + 20), y, key.text))
        x += room
    return marks, y + 8 if marks else y - 16


def with_foot(drawing: Drawing, words: str) -> Drawing:
    """The drawing with a line at its foot; itself where there are no words."""
    if not words:
        return drawing
    foot = Text(drawing.width, drawing.height + 14, words, anchor="end")
    return replace(drawing, height=drawing.height + 20, marks=(*drawing.marks, foot))
