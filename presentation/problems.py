"""What is wrong with a file or a setting, in the reader's language.

Readers of files know no framework, and what they find is stored and printed in English. A page recognises the
sentence by its template, and says it by the translated template with the same values. What is not recognised
stays as it is.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from django.utils.translation import gettext as _

from formats.problems import Problem
from formats.wording import gettext_noop
from presentation.numbers import counted
from presentation.problem_sentences import TEMPLATES, WORDS

MOST_CHARACTERS = 1_000  # a longer line holds a whole text of somebody, which is not searched
GROUPED = re.compile(r"\d{1,3}(,\d{3})+")
PLACEHOLDER = re.compile(r"\{(\w+)[^}]*\}|%\((\w+)\)[ds]")
LINES = {"line": gettext_noop("line {number}"), "row": gettext_noop("row {number}")}
MORE = re.compile(r"^(.*) and ([\d,]+) more\b")
HERE = re.compile(r"\(here (line|row) (\d+)\)")
# "bank.jsonl, line 3, q1, text: is missing", or a setting's name alone.
PLACE = r"(?P<_place>.*?: ||[\w.\[\]]+ )"
VALUE = r"(?P<{}>'[^']*'|.*?)"


class Known(NamedTuple):
    """A template, the longest of its pieces that has no value in it, and what a whole sentence matches."""

    template: str
    piece: str
    pattern: re.Pattern[str]


@dataclass(frozen=True)
class ToldProblem(Problem):
    """A problem whose message is in the reader's language, as its place is when it is shown."""

    def __str__(self) -> str:
        return f"{_place(self.place)}: {self.message}" if self.place else self.message


def told(line: int | None, field: str, message: str) -> ToldProblem:
    """A problem of a line, or of the file as a whole."""
    return ToldProblem(line, None, field, message)


def in_words(problems: Iterable[Problem]) -> list[ToldProblem]:
    """What a reader of files found, in the reader's language."""
    return [told(problem.line, problem.field, problem_in_words(problem.message)) for problem in problems]


def problem_in_words(text: str) -> str:
    """One problem or several, one a line, each with its place."""
    return "\n".join(map(_sentence, text.split("\n")))


def _sentence(text: str) -> str:
    for known in _known() if len(text) <= MOST_CHARACTERS else ():
        if known.piece in text and (match := known.pattern.fullmatch(text)):
            values = match.groupdict()
            place, end = values.pop("_place"), values.pop("_end")
            return f"{_place(place)}{_filled(_(known.template).removesuffix('.'), values)}{end}"
    return text


def _filled(template: str, values: Mapping[str, str]) -> str:
    def said(placeholder: re.Match[str]) -> str:
        name = placeholder[1] or placeholder[2]
        return SAID.get(name, str)(values[name])

    return PLACEHOLDER.sub(said, template)


def _place(place: str) -> str:
    """`line 3`, or of several problems: `line 3, 5 and 798 more (here line 3)`."""

    def line(match: re.Match[str]) -> str:
        return _(LINES[match[1]]).format(number=match[2])

    if more := MORE.match(place):
        number = counted(int(more[2].replace(",", "")))
        place = _("{places} and {number} more").format(places=more[1], number=number) + place[more.end() :]
    place = HERE.sub(lambda match: _("(here {place})").format(place=line(match)), place)
    return re.sub(r"(?<![^ ])(line|row) (\d+)(?=[,:]|$)", line, place)


def _word(value: str) -> str:
    return _(value) if value in WORDS else value


def _number(value: str) -> str:
    return counted(int(value.replace(",", ""))) if GROUPED.fullmatch(value) else value


def _choice(value: str) -> str:
    """'a', 'b' or 'c'."""
    return value.replace("' or '", _("' or '"))


SAID: Mapping[str, Callable[[str], str]] = {
    **dict.fromkeys(("kind", "kinds", "shown", "wanted"), _word),
    **dict.fromkeys(("fault", "remedy"), _sentence),
    "expected": _choice,
    "number": _number,
    "first": _place,
}


@cache
def _known() -> tuple[Known, ...]:
    """Every template: first where another sentence follows a colon, then the longest."""

    def weight(known: Known) -> tuple[bool, int]:
        return ": {fault}" in known.template, len(PLACEHOLDER.sub("", known.template))

    return tuple(sorted(map(_as_known, dict.fromkeys(TEMPLATES)), key=weight, reverse=True))


def _as_known(template: str) -> Known:
    pieces = PLACEHOLDER.split(template.removesuffix("."))
    literals, names = (
        pieces[::3],
        [named or other for named, other in zip(pieces[1::3], pieces[2::3], strict=True)],
    )
    pattern = re.escape(literals[0])
    for place, name in enumerate(names):
        value = f"(?P={name})" if name in names[:place] else VALUE.format(name)
        pattern += value + re.escape(literals[place + 1])
    return Known(template, max(literals, key=len), re.compile(f"{PLACE}{pattern}(?P<_end>\\.?)"))
