"""What a report is made of: typed parts in reading order, from which every format is written.

A part holds finished texts. Nothing here computes, translates or reads a clock: the texts come in the
reader's language, and equal parts give equal files.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Literal

from presentation.drawings.shapes import Drawing
from presentation.tables import Table


class Tone(StrEnum):
    """How a paragraph is set."""

    PLAIN = "plain"
    LEAD = "lead"  # larger: what the whole says
    NOTE = "note"  # smaller: a remark on what stands above
    WARNING = "warning"  # nobody may quote a number without having read it


@dataclass(frozen=True)
class Heading:
    """A section of level 1, a part of one of level 2, or 3. All but level 3 stand in the contents.

    `kicker` is the small line above it; `new_page`: on paper it begins one.
    """

    text: str
    level: Literal[1, 2, 3] = 1
    kicker: str = ""
    new_page: bool = False


@dataclass(frozen=True)
class Paragraph:
    """One paragraph. Line breaks in the text stay. `footnote` is its source, or a rule that it rests on."""

    text: str
    tone: Tone = Tone.PLAIN
    footnote: str = ""


@dataclass(frozen=True)
class Bullets:
    """Short sentences, each of which stands for itself."""

    items: Sequence[str]


@dataclass(frozen=True)
class BigNumber:
    """A number that stands first; `look` is whose it is (`presentation.looks`), `ends` its interval."""

    label: str
    value: str
    look: str
    ends: str
    note: str


@dataclass(frozen=True)
class Numbers:
    """The numbers that stand first, side by side."""

    numbers: Sequence[BigNumber]


@dataclass(frozen=True)
class Facts:
    """Names with their values, such as hashes; `caption` says what of."""

    caption: str
    rows: Sequence[tuple[str, str]]


@dataclass(frozen=True)
class Figure:
    """A drawing, and the same as SVG. `alt` says what it shows."""

    drawing: Drawing
    svg: bytes
    alt: str
    caption: str
    footnote: str = ""


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


@dataclass(frozen=True)
class Beside:
    """Two columns of parts; one below the other where the sheet is narrow."""

    columns: tuple[Sequence["Part"], Sequence["Part"]]


Part = Heading | Paragraph | Bullets | Numbers | Facts | Table | Figure | Checklist | Beside


@dataclass(frozen=True)
class Words:
    """What the formats themselves say, in the reader's language; `undrawn` of letters without a font."""

    language: str
    contents: str
    undrawn: str


@dataclass(frozen=True)
class Document:
    """A whole report. Its title is what was found; what comes before the first section stands below it.

    `name` is what it is called elsewhere, `kicker` stands above the title and `foot` on every page.
    `written_at` stands for the file's date, so that equal contents give equal files. `warning` stands above
    everything else, the title too; empty where there is nothing to warn of.
    """

    name: str
    title: str
    kicker: str
    foot: str
    written_at: datetime
    software: str
    words: Words
    parts: Sequence[Part]
    warning: str = ""

    @property
    def first_page(self) -> Sequence[Part]:
        """What stands before the first section."""
        for place, part in enumerate(self.parts):
            if isinstance(part, Heading) and part.level == 1:
                return self.parts[:place]
        return self.parts
