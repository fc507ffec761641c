"""A report as a PDF: contents, page numbers, bookmarks, table heads on every page they go on.

The fonts are the DejaVu family that matplotlib ships. What they cannot draw is replaced, and the last
sentence says so. Equal documents give equal bytes: the only date in the file is the document's own. It says
the words of the pages, as the file in HTML does.
"""

import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial, singledispatch, singledispatchmethod
from io import BytesIO
from math import ceil
from pathlib import Path
from typing import cast

from fpdf import FPDF, FontFace
from fpdf.enums import Align, TableBordersLayout, XPos, YPos
from fpdf.fonts import TextStyle, TTFFont
from fpdf.outline import TableOfContents
from PIL import Image

from presentation.loading import matplotlib_loaded
from presentation.tables import UNBROKEN, Table
from reporting.report import parts

FAMILY = "dejavu"
FACES = {"": "DejaVuSans.ttf", "B": "DejaVuSans-Bold.ttf", "I": "DejaVuSans-Oblique.ttf"}
INK, SOFT, WARN, GOOD, LINE = (29, 34, 38), (90, 98, 104), (138, 59, 16), (28, 107, 60), (200, 198, 192)
HEADING_SIZES = {1: 15, 2: 11.5, 3: 10}
BODY, SMALL = 9.5, 8
TABLE_SIZES = (8, 7.25, 6.5)  # the first at which no number has to be broken
CONTENTS_LINES = 38  # entries on one page of contents
MAX_CELL = 400  # characters; a longer cell could make a row higher than a page
CELL_PADDING = (0.6, 1.5)
CELL_ROOM = 4.2  # millimetres beside a text in a cell; heads are bold and a little wider
COLUMN_GAP = 8  # millimetres that a column may be wider than its longest text
HIGHEST_FIGURE = 0.45  # of a page
FACT_NAME = 48  # millimetres
# Millimetres that must be left for a part to begin on a page, and for a heading besides.
CAPTION_ROOM, TABLE_ROOM, TEXT_ROOM, FACT_ROOM, HEADING_ROOM = 12, 45, 22, 14, 12
STATE_ROOM = 44  # millimetres beside the question of a checklist
REPLACEMENT = "□"
STATE_COLOURS = {parts.ItemState.MISSING: WARN}


def document_pdf(document: parts.Document) -> bytes:
    """The whole file."""
    said = partial(parts.words_of, split=document.split)
    document = replace(document, parts=[part_said(part, said) for part in document.parts])
    pages = ReportPages(document)
    for place, part in enumerate(document.parts):
        # A new page where the part, with what belongs to it, would not begin well.
        if pages.get_y() + pages.room_of(document.parts[place:]) > pages.page_break_trigger:
            pages.add_page()
        pages.add(part)
    if pages.undrawable:
        pages.say(document.words.undrawable.format(mark=REPLACEMENT), size=SMALL, colour=SOFT)
    return bytes(pages.output())


@singledispatch
def part_said(part: parts.Part, said: Callable[[str], str]) -> parts.Part:
    """The part with its texts as `said` says them; a record word for word stays as it is."""
    raise TypeError(f"no words for {type(part).__name__}")


@part_said.register
def _(part: parts.Heading | parts.Paragraph, said: Callable[[str], str]) -> parts.Part:
    return replace(part, text=said(part.text))


@part_said.register
def _(part: parts.Facts, said: Callable[[str], str]) -> parts.Part:
    return replace(part, caption=said(part.caption), rows=[(said(name), value) for name, value in part.rows])


@part_said.register
def _(part: parts.Figure, said: Callable[[str], str]) -> parts.Part:
    return replace(part, alt=said(part.alt), caption=said(part.caption))


@part_said.register
def _(part: Table, said: Callable[[str], str]) -> parts.Part:
    return replace(
        part,
        caption=said(part.caption),
        head=[*map(said, part.head)],
        rows=[[*map(said, row)] for row in part.rows],
        notes=[*map(said, part.notes)],
    )


@part_said.register
def _(part: parts.Checklist, said: Callable[[str], str]) -> parts.Part:
    entries = [replace(one, question=said(one.question), record=said(one.record)) for one in part.entries]
    return replace(part, entries=entries)


class ReportPages(FPDF):
    """Pages that grow part by part, on A4."""

    def __init__(self, document: parts.Document) -> None:
        super().__init__(format="A4")
        self.document = document
        self.undrawable = False
        fonts = Path(matplotlib_loaded().get_data_path()) / "fonts" / "ttf"
        for style, name in FACES.items():
            self.add_font(FAMILY, style, fonts / name)
        self.drawn = {*cast(TTFFont, self.fonts[FAMILY]).cmap, *map(ord, "\n\t")}
        self.set_creation_date(document.written_at)
        self.set_title(document.title)
        self.set_lang(document.words.language)
        self.set_producer(document.software)
        self.set_margins(18, 18)
        self.set_auto_page_break(True, margin=20)
        self.open_first_page()

    def open_first_page(self) -> None:
        """The warning, title and contents."""
        self.add_page()
        if self.document.warning:
            self.say(self.document.warning, size=BODY, style="B", colour=WARN, gap=3)
        self.say(self.document.title, size=20, style="B")
        self.say(self.document.subtitle, size=BODY, colour=SOFT)
        self.ln(4)
        listed = sum(isinstance(part, parts.Heading) and part.level < 3 for part in self.document.parts)
        if listed:
            self.say(self.document.words.contents, size=HEADING_SIZES[1], style="B")
            contents = TableOfContents(
                TextStyle(FAMILY, "", SMALL + 0.5, INK), level_indent=6, line_spacing=1.6
            )
            pages = ceil(listed / CONTENTS_LINES)
            self.insert_toc_placeholder(contents.render_toc, pages=pages, reset_page_indices=False)

    def footer(self) -> None:
        self.set_y(-14)
        self.set_font(FAMILY, "", SMALL - 1)
        self.set_text_color(*SOFT)
        words = self.document.words.page.format(number=self.page_no(), of="{nb}")
        self.cell(self.epw - 20, 5, self.drawable(self.document.title[:90]))
        self.cell(20, 5, words, align=Align.R)

    def room_of(self, following: Sequence[parts.Part]) -> float:
        """Millimetres that the first part needs; a heading never stands without what comes after it."""
        match following[0]:
            case parts.Heading():
                return HEADING_ROOM + (self.room_of(following[1:]) if following[1:] else 0)
            case parts.Figure() as figure:
                return self.figure_size(figure)[1] + CAPTION_ROOM
            case Table():
                return TABLE_ROOM
            case _:
                return TEXT_ROOM

    @singledispatchmethod
    def add(self, part: object) -> None:
        raise TypeError(f"no PDF for {type(part).__name__}")

    @add.register
    def _(self, part: parts.Heading) -> None:
        self.ln(5 if part.level == 1 else 3)
        if part.level < 3:
            self.start_section(self.drawable(part.text), level=part.level - 1)
        self.say(part.text, size=HEADING_SIZES[part.level], style="B")

    @add.register
    def _(self, part: parts.Paragraph) -> None:
        size = SMALL if part.tone is parts.Tone.NOTE else BODY
        colour = {parts.Tone.PLAIN: INK, parts.Tone.NOTE: SOFT, parts.Tone.WARNING: WARN}[part.tone]
        self.say(part.text, size=size, style="B" if part.tone is parts.Tone.WARNING else "", colour=colour)

    @add.register
    def _(self, part: parts.Facts) -> None:
        self.say(part.caption, size=BODY, style="B")
        for name, value in part.rows:
            self.fact(name, value.strip())
        self.ln(2)

    def fact(self, name: str, value: str) -> None:
        """The name beside its value, which may go on over pages."""
        if self.get_y() + FACT_ROOM > self.page_break_trigger:
            self.add_page()
        top = self.get_y()
        self.say(name, size=SMALL, colour=SOFT, gap=0, width=FACT_NAME - 2)
        page, below = self.page, self.get_y()
        self.set_xy(self.l_margin + FACT_NAME, top)
        self.say(value, size=SMALL + 0.5, gap=0, width=self.epw - FACT_NAME)
        if self.page == page:
            self.set_y(max(self.get_y(), below))
        self.ln(1)

    @add.register
    def _(self, part: Table) -> None:
        self.say(part.caption, size=BODY, style="B")
        if any(len(cell) > MAX_CELL for row in part.rows for cell in row):
            for row in part.rows:
                self.say(row[0], size=BODY, style="B", gap=0)
                for name, cell in zip(part.head[1:], row[1:], strict=True):
                    self.say(f"{name}: {cell}", size=SMALL + 0.5, gap=0.5)
        elif part.rows:
            self.rows_as_table(part)
        for note in part.notes:
            self.say(note, size=SMALL, colour=SOFT)

    @add.register
    def _(self, part: parts.Figure) -> None:
        width, _ = self.figure_size(part)
        self.image(BytesIO(part.png), w=width, x=Align.L, alt_text=part.alt)
        self.say(part.caption, size=SMALL, colour=SOFT)

    def figure_size(self, part: parts.Figure) -> tuple[float, float]:
        """Width and height in millimetres."""
        with Image.open(BytesIO(part.png)) as image:
            width, height = image.size
        shown = min(self.epw, self.eph * HIGHEST_FIGURE * width / height)
        return shown, shown * height / width

    @add.register
    def _(self, part: parts.Checklist) -> None:
        self.say(part.caption, size=BODY, style="B")
        for entry in part.entries:
            self.checklist_entry(entry)

    def checklist_entry(self, entry: parts.ChecklistEntry) -> None:
        """A block instead of a row: an answer may be longer than a page."""
        if self.get_y() + TEXT_ROOM > self.page_break_trigger:
            self.add_page()
        top = self.get_y()
        self.set_x(self.l_margin + self.epw - STATE_ROOM)
        self.say(entry.state_name, size=SMALL, colour=STATE_COLOURS.get(entry.state, GOOD), width=STATE_ROOM)
        self.set_y(top)
        question = f"{entry.number}  {entry.question}"
        self.say(question, size=SMALL + 0.5, style="B", gap=0.5, width=self.epw - STATE_ROOM - 4)
        for text in (entry.record, entry.answer):
            if text:
                self.say(text.strip(), size=SMALL + 0.5, gap=0.5)
        self.ln(1)

    def rows_as_table(self, part: Table) -> None:
        cells = [[self.drawable(cell) for cell in row] for row in (part.head, *part.rows)]
        size, widths = self.column_widths(part)
        self.set_font(FAMILY, "", size)
        self.set_text_color(*INK)
        self.set_draw_color(*LINE)
        aligned = [Align.R if number else Align.L for number in part.number_columns]
        with self.table(
            cells, col_widths=widths, text_align=aligned, width=min(sum(widths), self.epw), align=Align.L,
            line_height=size * 0.5, borders_layout=TableBordersLayout.HORIZONTAL_LINES, padding=CELL_PADDING,
            headings_style=FontFace(emphasis="BOLD", color=INK),
        ):  # fmt: skip
            pass
        self.ln(2)

    def column_widths(self, part: Table) -> tuple[float, tuple[float, ...]]:
        """The size of the letters and a width in millimetres for each column.

        A column has room for its longest word, one of numbers for its longest number; its longest text
        decides on the rest. Where even the smallest letters leave no room for that, numbers are broken, too.
        """
        for whole, size in (*((True, size) for size in TABLE_SIZES), (False, TABLE_SIZES[-1])):
            self.set_font(FAMILY, "B", size)
            least, longest = self.bounds(part, whole=whole)
            if sum(least) <= self.epw:
                break
        more = [text - word for text, word in zip(longest, least, strict=True)]
        left = max(self.epw - sum(least), 0.0)
        factor = min(left / sum(more), 1.0) if any(more) else 0.0
        gap = min((left - factor * sum(more)) / len(least), COLUMN_GAP)
        return size, tuple(word + factor * extra + gap for word, extra in zip(least, more, strict=True))

    def bounds(self, part: Table, *, whole: bool) -> tuple[list[float], list[float]]:
        """Of each column the least width, and that of its longest text; both with the room beside it."""
        least, longest = [], []
        for name, cells, numeric in zip(
            part.head, zip(*part.rows, strict=True), part.number_columns, strict=True
        ):
            unbroken = [
                word
                for cell in cells
                for word in ([cell] if whole and numeric and len(cell) <= UNBROKEN else cell.split())
            ]
            least.append(self.widest([*name.split(), *unbroken]))
            longest.append(max(least[-1], self.widest([name, *cells])))
        return least, longest

    def widest(self, texts: Sequence[str]) -> float:
        return max((self.get_string_width(self.drawable(text)) for text in texts), default=0) + CELL_ROOM

    def say(
        self,
        text: str,
        *,
        size: float,
        style: str = "",
        colour: Sequence[int] = INK,
        gap: float = 1.5,
        width: float | None = None,
    ) -> None:
        """A block of text, over the whole width unless told, `gap` millimetres before the next."""
        self.set_font(FAMILY, style, size)
        self.set_text_color(*colour)
        width = self.epw if width is None else width
        text = self.drawable(text)
        self.multi_cell(width, size * 0.5, text, align=Align.L, new_x=XPos.LMARGIN, new_y=YPos.NEXT)
        self.ln(gap)

    def drawable(self, text: str) -> str:
        """The text with a mark for each character that the font lacks, or that is written to the left.

        Letters of such scripts would be drawn apart and in the wrong order.
        """
        shown = "".join(
            letter
            if ord(letter) in self.drawn and unicodedata.bidirectional(letter) not in ("R", "AL")
            else REPLACEMENT
            for letter in text
        )
        self.undrawable |= shown != text
        return shown
