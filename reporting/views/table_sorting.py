"""Tables that a reader may sort: `?sort=2.-3` is the second of a page by its third column, downwards."""

from dataclasses import dataclass

from django.http import HttpRequest

from presentation.tables import Table

PARAMETER = "sort"


@dataclass(frozen=True)
class SortHead:
    """The head of a column: where its link leads, and how the column is sorted."""

    name: str
    is_number: bool
    address: str
    state: str = ""


@dataclass(frozen=True)
class TableShown:
    """A table with the heads that sort it; `query` keeps the order in the address of its file."""

    table: Table
    heads: list[SortHead]
    query: str

    @property
    def is_sorted(self) -> bool:
        """Whether the reader chose its order."""
        return any(head.state for head in self.heads)


def sort_of(request: HttpRequest, number: int) -> str:
    """By which column the table of this number is to be sorted; "" for none."""
    place, _dot, column = request.GET.get(PARAMETER, "").partition(".")
    return column if place == str(number) else ""


def table_shown(request: HttpRequest, table: Table, number: int) -> TableShown:
    """The table of this number, from 1, in the order that the address asks for."""
    sort = sort_of(request, number)
    heads = []
    for column, (name, is_number) in enumerate(table.head_cells, start=1):
        # A press sorts numbers the largest first, then the other way round.
        first, second = (f"-{column}", f"{column}") if is_number else (f"{column}", f"-{column}")
        query = request.GET.copy()
        query[PARAMETER] = f"{number}.{second if sort == first else first}"
        state = {str(column): "ascending", f"-{column}": "descending"}.get(sort, "")
        heads.append(SortHead(name, is_number, f"?{query.urlencode()}#table-{number}", state))
    query = request.GET.copy()
    return TableShown(table.sorted(sort), heads, f"?{query.urlencode()}" if query else "")
