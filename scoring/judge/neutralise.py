"""Make an answer safe to place inside a judge's prompt: still readable, but unable to pose as the prompt.

The value is changed only where it imitates the text around it or hides something. Any other answer reaches
the judge as it is. What is changed:

* invisible characters are removed, and all kinds of line break become one kind;
* lines that repeat a heading or label of the template, or name the speaker of a turn, are quoted with "> ";
* tags of the template, and marks that chat models use to separate turns, get round brackets;
* fences of the template are spaced out.

Imitations are found in the folded text (`scoring.judge.folding`), whatever their case, script or spacing.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache

from scoring.judge.delimiters import delimiters_of
from scoring.judge.folding import folded
from scoring.judge.visible import visible

# Goes into the record of a run: raise it with every change of what the judge gets to see.
VERSION = 3

_SIGN = re.compile(r"&(?:amp;)*[#\w]*;?|.", re.DOTALL)


def neutralise(text: str, *, template: str) -> str:
    """Return `text` fit for a slot of `template`, whose slots are written `{name}`."""
    delimiters = _cached_delimiters(template)
    text = _rewritten(visible(text), delimiters.lines, _quoted)
    text = _rewritten(text, delimiters.brackets, _rounded)
    return _rewritten(text, delimiters.fences, _spaced) if delimiters.fences else text


_cached_delimiters = cache(delimiters_of)


# A change of the part of the text that is folded to what lies between two places.
_Edit = tuple[int, int, Callable[[str], str]]


def _rewritten(
    text: str, pattern: re.Pattern[str], edits_of: Callable[[re.Match[str]], Iterable[_Edit]]
) -> str:
    """`text` with the edits for every match of `pattern` in its folded form."""
    reading = folded(text)
    pieces, done = [], 0
    for match in pattern.finditer(reading.text):
        for start, end, change in edits_of(match):
            first, last = reading.span(start, end)
            first = max(first, done)
            pieces += [text[done:first], change(text[first:last])]
            done = last
    return "".join([*pieces, text[done:]])


def _quoted(line: re.Match[str]) -> Iterator[_Edit]:
    yield line.start(), line.start() + 1, "> {}".format


def _rounded(brackets: re.Match[str]) -> Iterator[_Edit]:
    for group, place in brackets.re.groupindex.items():
        if brackets[place]:
            yield *brackets.span(place), _opening if group.startswith("open") else _closing


def _opening(_: str) -> str:
    return "("


def _closing(_: str) -> str:
    return ")"


def _spaced(fence: re.Match[str]) -> Iterator[_Edit]:
    yield *fence.span(), lambda signs: " ".join(_SIGN.findall(signs))
