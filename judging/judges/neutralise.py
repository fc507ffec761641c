"""Make an answer safe to place inside a judge's prompt: still readable, but unable to pose as the prompt.

The value is changed only where it imitates the text around it, has the shape of a mark between turns, or
hides something. Any other answer reaches the judge as it is. What is changed:

* invisible characters are removed, and all kinds of line break become one kind;
* lines that repeat a heading or label of the template, or name the speaker of a turn, are quoted with "> ";
* tags of the template, and what has the shape of a mark (`judging.judges.markup`), get round brackets;
* fences of the template are spaced out.

All is found in the text's skeleton (`confusables`), whatever its case, script, spacing or spelling.
"""

from collections.abc import Iterator
from functools import cache

from judging.judges.confusables import Skeleton, skeleton
from judging.judges.delimiters import Delimiters, delimiters_of
from judging.judges.markup import marks
from judging.judges.visible import visible

# Goes into the record of a run: raise it with every change of what the judge gets to see.
VERSION = 5

_cached_delimiters = cache(delimiters_of)

# From where to where in the original, and what stands there instead.
_Edit = tuple[int, int, str]


def neutralise(text: str, *, template: str) -> str:
    """Return `text` fit for a slot of `template`, whose slots are written `{name}`."""
    text = visible(text)
    pieces, done = [], 0
    for start, end, instead in sorted(set(_edits(text, skeleton(text), _cached_delimiters(template)))):
        if start >= done:
            pieces += [text[done:start], instead]
            done = end
    return "".join([*pieces, text[done:]])


def _edits(text: str, reading: Skeleton, delimiters: Delimiters) -> Iterator[_Edit]:
    for place in delimiters.posing(reading.text):
        start, _ = reading.span(place, place + 1)
        if not text.startswith(">", start):
            yield start, start, "> "
    for place, bracket in [*_tags(reading, delimiters), *marks(text, reading)]:
        yield *reading.span(place, place + 1), bracket
    for fence in delimiters.fences.finditer(reading.text) if delimiters.fences else ():
        for place in range(fence.start() + 1, fence.end()):
            start, _ = reading.span(place, place + 1)
            yield start, start, " "


def _tags(reading: Skeleton, delimiters: Delimiters) -> Iterator[tuple[int, str]]:
    for tag in delimiters.tags.finditer(reading.text):
        for group in delimiters.tags.groupindex:
            if tag[group]:
                yield tag.start(group), "(" if group.startswith("open") else ")"
