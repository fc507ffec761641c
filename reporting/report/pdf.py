"""A report as a PDF: its parts as data for `templates/print/report.typ`, which lays them out.

Equal documents give equal bytes: the only date in the file is the document's own. It says the words of the
pages, as the file in HTML does. Letters that no installed font has are told by what they are, in brackets.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import singledispatchmethod
from string import ascii_lowercase
from typing import Any

from presentation.looks import drawing_data, look_of
from presentation.tables import NUMBER, UNBROKEN, Sourced, Table
from presentation.typesetting import typeset
from presentation.undrawn import with_undrawn_named
from reporting.report import parts

LETTERS = (94, 106, 118)  # that a table's row has room for at each size of letters, the largest first
GAP = 2  # letters between two columns
LONGEST_WORD = 24  # letters; a longer one is broken anywhere
LONG_WORDS, OFTEN = 20, 3  # letters of a cell, and how many cells say the same, for a letter to stand for it
LONGEST_ROW = 600  # characters of a row that must not be broken over two pages
NO_BREAK = "\u00a0"
Data = Mapping[str, Any]
# A text, the words of the footnote after it and its name. A footnote has words where it stands first.
Run = tuple[str, str, str]


def document_pdf(document: parts.Document) -> bytes:
    """The whole file. Raises presentation.typesetting.NotSet."""
    return typeset("report.typ", document_data(document), "pdf", dated=document.written_at)


def document_data(document: parts.Document) -> Data:
    """What the template is given."""
    setter = Setter()
    data = {
        "name": document.name,
        "language": document.words.language,
        "contents": document.words.contents,
        "kicker": document.kicker,
        "title": document.title,
        "warning": document.warning,
        "foot": document.foot,
        "software": document.software,
        "date": [document.written_at.year, document.written_at.month, document.written_at.day],
        "first_page": len(document.first_page),
        "parts": [setter.data(part) | {"kind": type(part).__name__} for part in document.parts],
    }
    drawn: Data = with_undrawn_named(data)
    return {**drawn, "undrawn": document.words.undrawn if drawn != data else ""}


class Setter:
    """Parts as the template takes them."""

    def __init__(self) -> None:
        self.noted: dict[str, str] = {}

    def runs(self, text: str, footnote: str = "") -> list[Run]:
        """Running text."""
        return [self.noting(text, footnote)]

    def noting(self, text: str, footnote: str) -> Run:
        if not footnote:
            return text, "", ""
        if footnote in self.noted:
            return text, "", self.noted[footnote]
        self.noted[footnote] = f"note-{len(self.noted)}"
        return text, footnote, self.noted[footnote]

    @singledispatchmethod
    def data(self, part: parts.Part) -> Any:
        raise TypeError(f"no data for {type(part).__name__}")

    @data.register
    def _heading(self, part: parts.Heading) -> Data:
        return {
            "text": part.text, "level": part.level, "kicker": part.kicker,
            "new_page": part.new_page,
        }  # fmt: skip

    @data.register
    def _paragraph(self, part: parts.Paragraph) -> Data:
        return {"runs": self.runs(part.text, part.footnote), "tone": part.tone}

    @data.register
    def _bullets(self, part: parts.Bullets) -> Data:
        return {"items": [self.runs(item) for item in part.items]}

    @data.register
    def _numbers(self, part: parts.Numbers) -> Data:
        return {
            "numbers": [
                {
                    "label": number.label, "value": number.value, "colour": look_of(number.look).fill,
                    "ends": number.ends, "note": number.note,
                }
                for number in part.numbers
            ]
        }  # fmt: skip

    @data.register
    def _beside(self, part: parts.Beside) -> Data:
        return {
            "columns": [
                [self.data(nested) | {"kind": type(nested).__name__} for nested in column]
                for column in part.columns
            ]
        }

    @data.register
    def _facts(self, part: parts.Facts) -> Data:
        return {
            "caption": part.caption,
            "rows": [[name, value] for name, value in part.rows],
        }

    @data.register
    def _figure(self, part: parts.Figure) -> Data:
        return {
            "drawing": drawing_data(part.drawing),
            "alt": part.alt,
            "caption": self.runs(part.caption, part.footnote),
        }

    @data.register
    def _table(self, part: Table) -> Data:
        numbers = part.number_columns
        cells = [
            [self._cell(cell, number=number) for cell, number in zip(row, numbers, strict=True)]
            for row in part.rows
        ]
        head = list(part.head)
        words = [[text for text, *_note in row] for row in cells]
        # Every cell has its room at the largest size of letters: no word needs a letter in its place.
        fits = sum(GAP + max(map(len, column)) for column in zip(head, *words, strict=True)) <= LETTERS[0]
        keys = {} if fits else keys_of([row[1:] for row in words])
        cells = [
            [row[0], *((keys.get(text, text), words, name) for text, words, name in row[1:])] for row in cells
        ]
        step, widths = columns_of(head, [[text for text, *_note in row] for row in cells])
        return {
            "caption": part.caption,
            "head": head,
            "numbers": numbers,
            "rows": cells,
            "keys": [[key, text] for text, key in keys.items()],
            "notes": [self.runs(note) for note in part.notes],
            "step": step,
            "widths": widths,
            "may_break": any(sum(map(len, row)) > LONGEST_ROW for row in part.rows),
        }

    def _cell(self, cell: str, *, number: bool) -> Run:
        text = str(cell)
        if number and len(text) <= UNBROKEN and NUMBER.match(text):
            text = text.replace(" ", NO_BREAK)
        return self.noting(text, cell.source if isinstance(cell, Sourced) else "")

    @data.register
    def _checklist(self, part: parts.Checklist) -> Data:
        return {
            "caption": part.caption,
            "head": list(part.head),
            "entries": [
                {
                    "number": entry.number, "question": entry.question,
                    "record": entry.record, "answer": entry.answer,
                    "state": entry.state_name, "is_missing": entry.state == parts.ItemState.MISSING,
                }
                for entry in part.entries
            ],
        }  # fmt: skip


def keys_of(rows: Sequence[Sequence[str]]) -> dict[str, str]:
    """Long words that many cells of a table repeat, with the letters that stand for them there."""
    counted = Counter(
        text for row in rows for text in row if len(text) > LONG_WORDS and not NUMBER.match(text)
    )
    repeated = [text for text, number in counted.items() if number >= OFTEN][: len(ascii_lowercase)]
    return {text: f"({letter})" for text, letter in zip(repeated, ascii_lowercase, strict=False)}


def columns_of(head: Sequence[str], rows: Sequence[Sequence[str]]) -> tuple[int, list[float]]:
    """The first size of letters (0: the largest) at which no word and no number of a table is broken, and the
    widths of its columns in letters: what each needs at least, and a share of the rest by its longest text.
    """
    columns = list(zip(head, *rows, strict=True))
    least = [
        GAP + max(min(len(word), LONGEST_WORD) for text in column for word in text.split(" ") or [""])
        for column in columns
    ]
    most = [GAP + max(map(len, column)) for column in columns]
    step = next((place for place, room in enumerate(LETTERS) if sum(least) <= room), len(LETTERS) - 1)
    more = sum(most) - sum(least)
    rest = max(LETTERS[step] - sum(least), 0)
    if rest >= more:  # everything on one line: the first column takes what is left
        return step, [most[0] + rest - more, *map(float, most[1:])]
    return step, [low + rest * (high - low) / more for low, high in zip(least, most, strict=True)]
