"""What a report is made of: typed parts in reading order, from which every format is written.

A part holds finished texts. Nothing here computes, translates or reads a clock: the texts come in the
reader's language, and equal parts give equal files.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from functools import cached_property
from typing import Literal

from presentation.tables import Table


class Tone(StrEnum):
    """How a paragraph is set."""

    PLAIN = "plain"
    NOTE = "note"  # smaller: a remark on what stands above
    WARNING = "warning"  # nobody may quote a number without having read it


@dataclass(frozen=True)
class Heading:
    """A section of level 1, a part of one of level 2, or 3. All but level 3 stand in the contents."""

    text: str
    level: Literal[1, 2, 3] = 1


@dataclass(frozen=True)
class Paragraph:
    """One paragraph. Line breaks in the text stay."""

    text: str
    tone: Tone = Tone.PLAIN


@dataclass(frozen=True)
class Facts:
    """Names with their values, such as hashes; `caption` says what of."""

    caption: str
    rows: Sequence[tuple[str, str]]


@dataclass(frozen=True)
class Figure:
    """A picture: lines for screens, dots for the printed file. `alt` says what it shows.

    `file` draws it as the format it is called with, "svg" or "png"; each is drawn at most once.
    """

    file: Callable[[str], bytes]
    alt: str
    caption: str

    @cached_property
    def svg(self) -> bytes:
        return self.file("svg")

    @cached_property
    def png(self) -> bytes:
        return self.file("png")


class ItemState(StrEnum):
    """Who answered an item of a checklist."""

    AUTOMATIC = "automatic"  # the records do, in full
    ANSWERED = "answered"  # the study lead did; the records may say something beside it
    MISSING = "missing"  # nobody yet


@dataclass(frozen=True)
class ChecklistEntry:
    """One item. `record` is what the records say, `answer` what the lead wrote; both may be empty.

    `state_name` is the state in the reader's language.
    """

    number: str
    question: str
    record: str
    answer: str
    state: ItemState
    state_name: str


@dataclass(frozen=True)
class Checklist:
    """One section of a checklist; `head` names its columns: item, question, answer, state."""

    caption: str
    head: tuple[str, str, str, str]
    entries: Sequence[ChecklistEntry]

    @property
    def missing(self) -> int:
        """How many of its items still want an answer."""
        return sum(1 for entry in self.entries if entry.state == ItemState.MISSING)


# A text in pieces, each with the exact term that it stands for, or "" (`presentation.plain`).
Split = Callable[[str], Iterable[tuple[str, str]]]


def whole(text: str) -> Iterable[tuple[str, str]]:
    """The text as it is."""
    return ((text, ""),)


def words_of(text: str, split: Split) -> str:
    return "".join(word for word, _term in split(text))


Part = Heading | Paragraph | Facts | Table | Figure | Checklist


@dataclass(frozen=True)
class Words:
    """What the formats themselves say, in the reader's language.

    `page` has {number} and {of}; `undrawable`, of letters that the printed file cannot show, has {mark}.
    """

    language: str
    contents: str
    page: str
    undrawable: str


@dataclass(frozen=True)
class Document:
    """A whole report. `written_at` stands for the file's date, so that equal contents give equal files.

    `warning` stands above everything else, the title too; empty where there is nothing to warn of. `split`
    gives the plain words in which both files say a text.
    """

    title: str
    subtitle: str
    written_at: datetime
    software: str
    words: Words
    parts: Sequence[Part]
    warning: str = ""
    split: Split = whole
