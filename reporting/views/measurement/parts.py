"""What pages of blocks are made of: sentences, tables of measures, figures, each drawn from stored rows.

A page and the report show the same parts.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Generic, TypeVar

from django.utils.functional import Promise
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from presentation import measures
from presentation.catalogue import label_of
from presentation.drawings.intervals import Behind
from presentation.drawings.shapes import Drawing, Key
from presentation.figures import PLAIN, Point, estimates_plot
from presentation.numbers import Text, counted, decimals
from presentation.tables import ABSENT, Table, Term, table_of
from psychometrics.inference.estimates import Reason
from scoring.models import MeasureRow
from scoring.selectors.measures import BlockMeasures

T = TypeVar("T")
GROUPS = ("average", "top")
Row = MeasureRow | None
Cell = Callable[[BlockMeasures, Row], str]
Column = Callable[[BlockMeasures, MeasureRow], str]
Texts = Text | Sequence[Text] | Callable[[BlockMeasures], Iterable[Text]]


@dataclass(frozen=True)
class MeasureTable(Generic[T]):
    """A table with one line for each of `lines`, which are rows or what else its columns take.

    A column has a head and the text of its cell in a line. Caption and notes are texts, or written of the
    block. `view` is the part of the page that it stands in, where readers choose one (`BlockPage.views`).
    """

    caption: Text | Callable[[BlockMeasures], Text]
    lines: Callable[[BlockMeasures], Iterable[T]]
    columns: Sequence[tuple[Text | Term, Callable[[BlockMeasures, T], Text | Term]]]
    notes: Texts = ()
    about_people: bool = False
    view: str = ""

    def draw(self, block: BlockMeasures) -> Table:
        notes = self.notes(block) if callable(self.notes) else self.notes
        return table_of(
            self.caption(block) if callable(self.caption) else self.caption,
            self.lines(block),
            [(head, partial(cell, block)) for head, cell in self.columns],
            [notes] if isinstance(notes, str | Promise) else notes,
            about_people=self.about_people,
        )


@dataclass(frozen=True)
class Plot:
    """A figure: `name` in its address, what it shows for those who do not see it, the line below it, and
    the `view` that it stands in.

    `draw` draws it so many pixels wide, and returns None where there is nothing to draw. The tables hold the
    same numbers.
    """

    name: str
    title: Text
    alt: Text
    caption: Text
    draw: Callable[[BlockMeasures, float], Drawing | None]
    view: str = ""


@dataclass(frozen=True)
class BlockPage:
    """One block as people read it: what was found, figures and tables, and how to read their numbers.

    `finding` is one sentence by rule, in plain words and honest about chance; "" where there is none. `views`
    are the labels of parts that readers choose from, by their names in the address. Empty sentences are left
    out.
    """

    title: Text
    finding: Callable[[BlockMeasures], Text]
    sentences: Callable[[BlockMeasures], Iterable[Text]]
    parts: Sequence[MeasureTable[Any] | Plot]
    views: Mapping[str, Text] = field(default_factory=dict)

    def summary(self, block: BlockMeasures) -> list[str]:
        """The sentences; none where there are no numbers."""
        texts = self.sentences(block) if block.state == "computed" else ()
        return [text for text in map(str, texts) if text]

    def tables(self, block: BlockMeasures) -> list[Table]:
        """The tables that have a line."""
        return [table for _view, table in self.viewed_tables(block)]

    def viewed_tables(self, block: BlockMeasures) -> list[tuple[str, Table]]:
        """The same, each with the view that it stands in."""
        parts = self.parts if block.rows else ()
        drawn = ((part.view, part.draw(block)) for part in parts if isinstance(part, MeasureTable))
        return [(view, table) for view, table in drawn if table.rows]

    @property
    def figures(self) -> Mapping[str, Plot]:
        return {part.name: part for part in self.parts if isinstance(part, Plot)}


def on_the_scale(rows: Iterable[MeasureRow]) -> list[MeasureRow]:
    """The rows, or none where not one answer to a question with item parameters is scored: then there is
    nothing to tell of each.
    """
    rows = list(rows)
    return [] if all(row.reason in (Reason.NO_PAIRS, Reason.NOTHING_SCORED) for row in rows) else rows


def bold(text: Text, *values: object, **facts: object) -> SafeString:
    """A text whose tags stay, such as what matters of a finding in bold; what is filled in is escaped."""
    return format_html(str(text), *values, **facts) if values or facts else SafeString(text)


def intervals(
    points: Callable[[BlockMeasures], Iterable[Point]],
    across: Text,
    behind: Callable[[BlockMeasures], tuple[Behind, Sequence[Key]]] = lambda _block: (PLAIN, ()),
    places: int = 2,
) -> Callable[[BlockMeasures, float], Drawing | None]:
    """Draws values with their intervals on lines, over `across`; `behind` says what lies behind them."""

    def draw(block: BlockMeasures, width: float) -> Drawing | None:
        marks, keys = behind(block)
        return estimates_plot(points(block), across, width, marks, keys, places)

    return draw


def named(*names: str, group: str | None = None) -> Callable[[BlockMeasures], Iterator[MeasureRow]]:
    """The rows of these names as lines of a table."""
    return lambda block: block.named(*names, group=group)


def in_order(*names: str, groups: Sequence[str] = GROUPS) -> Callable[[BlockMeasures], list[MeasureRow]]:
    """The rows of these names of the whole of each group, name by name, as lines of a table."""
    return lambda block: [row for name in names for group in groups if (row := block.get(name, group))]


def is_logistic(block: BlockMeasures) -> bool:
    """Whether abilities by logits are empty as the bank is of the logistic model."""
    return any(row.reason == Reason.LOGISTIC_BANK for row in block.rows)


# Columns of tables whose lines are rows. With `here` the reason stands where a number is absent.
def value(places: int = 2, here: measures.Reasons | None = None) -> Cell:
    if here is None:
        return lambda _block, row: measures.value_cell(row, places)
    return lambda _block, row: measures.value_or_reason(row, places, here)


def se(places: int = 2) -> Cell:
    return lambda _block, row: measures.se_cell(row, places)


def interval(places: int = 2, here: measures.Reasons | None = None) -> Cell:
    if here is None:
        return lambda _block, row: measures.interval_cell(row, places)
    return lambda _block, row: measures.interval_or_reason(row, places, here)


def beside(name: str, cell: Cell | None = None) -> Column:
    """Of the row of another name, of the same group and subset; its value unless told."""
    text = cell or value()
    return lambda block, row: text(block, block.get(name, row.group, row.subset))


def row_cell(cell: Callable[[Row], str]) -> Cell:
    """What says a row without its block."""
    return lambda _block, row: cell(row)


def count(of: str) -> Cell:
    """How many: "people", "prompts", "clusters", or "n" for pairs."""
    return lambda _block, row: counted(getattr(row, of) if row else None)


def detail(name: str, places: int = 2) -> Column:
    return lambda _block, row: decimals(row.details.get(name), places)


def counted_detail(name: str) -> Column:
    return lambda _block, row: counted(row.details.get(name))


def yes_or_no(name: str) -> Callable[[BlockMeasures, MeasureRow], Text]:
    """Whether a detail holds."""
    return lambda _block, row: (
        (_("yes") if row.details.get(name) else _("no")) if row.value is not None else ABSENT
    )


GROUP: tuple[Text, Column] = (_("Group"), lambda _block, row: measures.group_name(row.group))


def label(_block: BlockMeasures, row: MeasureRow) -> str:
    """What the catalogue calls a measure."""
    return label_of(row.name)
