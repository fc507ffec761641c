"""How sure a number is: a dot on its interval, the ends in words, and what they mean."""

from dataclasses import dataclass

from presentation.drawings.scales import Scale
from presentation.drawings.shapes import Drawing
from presentation.drawings.sure import Reach, sure
from presentation.numbers import span
from presentation.tables import ABSENT


@dataclass(frozen=True)
class HowSure:
    """`ends` is the interval that serves the design, or why there is none; `words` say what it means."""

    ends: str
    words: str = ""
    drawing: Drawing | None = None


def how_sure(reach: Reach | None, scale: Scale | None, words: str = "", why_none: str = ABSENT) -> HowSure:
    """Of a number; without a scale to share nothing is drawn."""
    if reach is None:
        return HowSure(why_none, words)
    return HowSure(span(reach.low, reach.high), words, sure(reach, scale) if scale else None)
