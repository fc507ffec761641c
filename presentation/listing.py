"""Lists that a reader sorts by GET, turns the pages of and takes away as CSV: `?sort=-imported&page=2`."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from operator import attrgetter
from typing import Any, Generic, TypeVar

from django.core.paginator import Page, Paginator
from django.db.models import F, QuerySet
from django.http import HttpRequest
from django.utils.functional import Promise

from formats.cells import csv_cell

R = TypeVar("R")
# What a row has in a column: what a function says, or its attributes by name, such as "made_by__email".
Cell = str | Callable[[R], Any]
ABSENT: tuple[object, ...] = (None, "", ())


@dataclass(frozen=True)
class Column(Generic[R]):
    """A column: its `name` in the address and in a file, what pages call it, the fields it is sorted by
    (none: it is not), its cell in a file (the first of the fields unless told), and what a tooltip says.

    One without a name holds what can be done to a row, and is in no file; `hidden` is a label for screen
    readers alone.
    """

    name: str
    label: str | Promise
    fields: Sequence[str] = ()
    cell: Cell[R] = ""
    numeric: bool = False
    title: str | Promise = ""
    hidden: bool = False


@dataclass(frozen=True)
class Head:
    """The head of a column; without an address the list cannot be sorted by it."""

    label: str | Promise
    numeric: bool = False
    title: str | Promise = ""
    address: str = ""
    state: str = ""
    hidden: bool = False


@dataclass(frozen=True)
class Listing(Generic[R]):
    """The columns of a list, and how a request wants it. `file` has the cells of its file by the names of
    their columns, where that has others than the page.
    """

    request: HttpRequest
    columns: Sequence[Column[R]]
    file: Mapping[str, Cell[R]] | None = None
    per_page: int = 50

    @property
    def sort(self) -> str:
        """The name of a column, with a "-" downwards; "" for the list's own order."""
        wanted = self.request.GET.get("sort", "")
        names = [column.name for column in self.columns if column.fields]
        return wanted if wanted.removeprefix("-") in names else ""

    def ordered(self, rows: QuerySet[Any]) -> QuerySet[Any]:
        """The rows as asked for; what is absent stands last."""
        if not self._fields:
            return rows
        keys = [
            F(field).desc(nulls_last=True) if self._is_down else F(field).asc(nulls_last=True)
            for field in self._fields
        ]
        return rows.order_by(*keys, "pk")

    def sorted(self, rows: Iterable[R]) -> list[R]:
        """The same for rows in memory, whose attributes are the fields; equal ones keep their order."""
        ordered = list(rows)
        for field in reversed(self._fields):
            value = attrgetter(field.replace("__", "."))
            there = [row for row in ordered if value(row) not in ABSENT]
            absent = [row for row in ordered if value(row) in ABSENT]
            ordered = sorted(there, key=value, reverse=self._is_down) + absent
        return ordered

    @property
    def _fields(self) -> Sequence[str]:
        """What is sorted by; nothing in the list's own order."""
        name = self.sort.removeprefix("-")
        return next((column.fields for column in self.columns if column.name == name), ())

    @property
    def _is_down(self) -> bool:
        return self.sort.startswith("-")

    def page(self, rows: Any) -> Page[Any]:
        """The page of these rows that is asked for."""
        return page_of(self.request, rows, self.per_page)

    @property
    def heads(self) -> list[Head]:
        heads = []
        for column in self.columns:
            if not column.fields:
                heads.append(Head(column.label, column.numeric, column.title, hidden=column.hidden))
                continue
            state = {column.name: "ascending", f"-{column.name}": "descending"}.get(self.sort, "")
            sort = f"-{column.name}" if state == "ascending" else column.name
            heads.append(Head(column.label, column.numeric, column.title, self._address(sort=sort), state))
        return heads

    @property
    def csv_address(self) -> str:
        return self._address(format="csv")

    def _address(self, **changes: str) -> str:
        query = self.request.GET.copy()
        query.pop("page", None)
        for name, value in changes.items():
            query[name] = value
        return f"?{query.urlencode()}"

    @property
    def wants_csv(self) -> bool:
        return wants_csv(self.request)

    def lines(self, rows: Iterable[R]) -> Iterator[list[str]]:
        """All rows as cells of a file, under the names of the columns."""
        file = self.file or {
            column.name: column.cell or column.fields[0] for column in self.columns if column.name
        }
        return csv_lines(file, rows)


def page_of(request: HttpRequest, rows: Any, per_page: int, default: int = 1) -> Page[Any]:
    """The page of these rows that is asked for: the first where that is no number, the last beyond it."""
    return Paginator(rows, per_page).get_page(request.GET.get("page") or default)


def wants_csv(request: HttpRequest) -> bool:
    """Whether the list is asked for as a file."""
    return request.GET.get("format") == "csv"


def csv_lines(cells: Mapping[str, Cell[R]], rows: Iterable[R]) -> Iterator[list[str]]:
    """The names of the columns, then the cells of each row."""
    yield list(cells)
    readers = [
        partial(_attribute, cell.split("__")) if isinstance(cell, str) else cell for cell in cells.values()
    ]
    for row in rows:
        values = [read(row) for read in readers]
        yield [csv_cell(value.isoformat() if isinstance(value, datetime) else value) for value in values]


def _attribute(path: Sequence[str], row: object) -> Any:
    for name in path:
        row = getattr(row, name) if row is not None else None
    return row
