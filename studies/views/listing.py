"""Lists of stored rows that a reader sorts by GET and takes away as CSV: `?sort=-imported&format=csv`."""

import csv
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from django.db.models import F, Model, QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils.functional import Promise

from formats.cells import csv_cell

M = TypeVar("M", bound=Model)


@dataclass(frozen=True)
class Column(Generic[M]):
    """A column: its `name` in the address, what pages call it, the fields it is sorted by (none: it is not),
    and its cell in a file.
    """

    name: str
    label: str | Promise
    fields: Sequence[str]
    cell: Callable[[M], Any]
    numeric: bool = False


@dataclass(frozen=True)
class Head:
    """The head of a column; without an address the list cannot be sorted by it."""

    label: str | Promise
    numeric: bool
    address: str
    state: str


@dataclass(frozen=True)
class Listing(Generic[M]):
    """The columns of a list, and how a request wants it."""

    request: HttpRequest
    columns: Sequence[Column[M]]

    @property
    def sort(self) -> str:
        """The name of a column, with a "-" downwards; "" for the list's own order."""
        asked = self.request.GET.get("sort", "")
        return (
            asked if any(one.fields and one.name == asked.removeprefix("-") for one in self.columns) else ""
        )

    def ordered(self, rows: QuerySet[M]) -> QuerySet[M]:
        """The rows as asked for; what is absent stands last."""
        column = next((one for one in self.columns if one.name == self.sort.removeprefix("-")), None)
        if column is None:
            return rows
        down = self.sort.startswith("-")
        keys = [
            F(one).desc(nulls_last=True) if down else F(one).asc(nulls_last=True) for one in column.fields
        ]
        return rows.order_by(*keys, "pk")

    @property
    def heads(self) -> list[Head]:
        return [self._head(one) for one in self.columns]

    def _head(self, column: Column[M]) -> Head:
        state = {column.name: "ascending", f"-{column.name}": "descending"}.get(self.sort, "")
        query = self.request.GET.copy()
        query.pop("page", None)
        query["sort"] = f"-{column.name}" if state == "ascending" else column.name
        return Head(column.label, column.numeric, f"?{query.urlencode()}" if column.fields else "", state)

    @property
    def csv_address(self) -> str:
        query = self.request.GET.copy()
        query.pop("page", None)
        query["format"] = "csv"
        return f"?{query.urlencode()}"

    @property
    def wants_csv(self) -> bool:
        return self.request.GET.get("format") == "csv"

    def csv(self, rows: Iterable[M], name: str) -> HttpResponse:
        """All rows under the names of the columns."""
        response = HttpResponse(content_type="text/csv; charset=utf-8")
        response["Content-Disposition"] = f'attachment; filename="{name}.csv"'
        writer = csv.writer(response, lineterminator="\n")
        writer.writerow([one.name for one in self.columns])
        writer.writerows([csv_cell(one.cell(row)) for one in self.columns] for row in rows)
        return response
