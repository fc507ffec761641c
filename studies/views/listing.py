"""Lists that a reader sorts by GET and takes away as CSV: `?sort=-imported&format=csv`."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, Generic, TypeVar

from django.db.models import F, QuerySet
from django.http import HttpRequest, HttpResponseBase
from django.utils.functional import Promise

from formats.cells import csv_cell
from studies.models import Study
from studies.services.events import StudyEventKind
from studies.views.csv_files import csv_file

R = TypeVar("R")
ABSENT: tuple[object, ...] = (None, "", ())


@dataclass(frozen=True)
class Column(Generic[R]):
    """A column: its `name` in the address, what pages call it, the fields it is sorted by (none: it is not),
    its cell in a file, and what a tooltip says of it.
    """

    name: str
    label: str | Promise
    fields: Sequence[str]
    cell: Callable[[R], Any]
    numeric: bool = False
    title: str | Promise = ""


@dataclass(frozen=True)
class Head:
    """The head of a column; without an address the list cannot be sorted by it."""

    label: str | Promise
    numeric: bool
    title: str | Promise
    address: str
    state: str


@dataclass(frozen=True)
class Listing(Generic[R]):
    """The columns of a list, and how a request wants it."""

    request: HttpRequest
    columns: Sequence[Column[R]]

    @property
    def sort(self) -> str:
        """The name of a column, with a "-" downwards; "" for the list's own order."""
        asked = self.request.GET.get("sort", "")
        return (
            asked if any(one.fields and one.name == asked.removeprefix("-") for one in self.columns) else ""
        )

    def ordered(self, rows: QuerySet[Any]) -> QuerySet[Any]:
        """The rows as asked for; what is absent stands last."""
        if not self._fields:
            return rows
        keys = [
            F(one).desc(nulls_last=True) if self._is_down else F(one).asc(nulls_last=True)
            for one in self._fields
        ]
        return rows.order_by(*keys, "pk")

    def sorted(self, rows: Iterable[R]) -> list[R]:
        """The same for rows in memory, whose attributes are the fields; equal ones keep their order."""
        found = list(rows)
        for field in reversed(self._fields):
            value = attrgetter(field.replace("__", "."))
            there = [row for row in found if value(row) not in ABSENT]
            absent = [row for row in found if value(row) in ABSENT]
            found = sorted(there, key=value, reverse=self._is_down) + absent
        return found

    @property
    def _fields(self) -> Sequence[str]:
        """What is sorted by; nothing in the list's own order."""
        name = self.sort.removeprefix("-")
        return next((one.fields for one in self.columns if one.name == name), ())

    @property
    def _is_down(self) -> bool:
        return self.sort.startswith("-")

    @property
    def heads(self) -> list[Head]:
        return [self._head(one) for one in self.columns]

    def _head(self, column: Column[R]) -> Head:
        state = {column.name: "ascending", f"-{column.name}": "descending"}.get(self.sort, "")
        query = self.request.GET.copy()
        query.pop("page", None)
        query["sort"] = f"-{column.name}" if state == "ascending" else column.name
        address = f"?{query.urlencode()}" if column.fields else ""
        return Head(column.label, column.numeric, column.title, address, state)

    @property
    def csv_address(self) -> str:
        query = self.request.GET.copy()
        query.pop("page", None)
        query["format"] = "csv"
        return f"?{query.urlencode()}"

    @property
    def wants_csv(self) -> bool:
        return self.request.GET.get("format") == "csv"

    def lines(self, rows: Iterable[R]) -> Iterator[list[str]]:
        """All rows as cells of a file, under the names of the columns."""
        yield [one.name for one in self.columns]
        for row in rows:
            yield [csv_cell(one.cell(row)) for one in self.columns]

    def csv(
        self,
        rows: Iterable[R],
        name: str,
        study: Study | None = None,
        kind: StudyEventKind = StudyEventKind.LIST_TAKEN,
    ) -> HttpResponseBase:
        """All rows as a file of this name."""
        return csv_file(self.request, name, self.lines(rows), study=study, kind=kind)
