"""Lists that are sorted, turned over and taken away by what an address asks for; tables by a column."""

from dataclasses import dataclass
from datetime import UTC, datetime

import pytest
from django.test import RequestFactory
from django.utils import translation

from presentation.listing import Cell, Column, Listing, csv_lines
from presentation.numbers import counted, decimals, percent, span
from presentation.tables import ABSENT, Table


@dataclass(frozen=True)
class Row:
    name: str
    size: int | None
    maker: "Row | None" = None
    at: datetime | None = None


ROWS = [Row("b", 10, Row("m", 1)), Row("a", None), Row("c", 9, at=datetime(2026, 1, 2, tzinfo=UTC))]
COLUMNS: tuple[Column[Row], ...] = (
    Column("name", "Name", ("name",)),
    Column("size", "Size", ("size",), numeric=True),
    Column("maker", "Made by", cell="maker__name"),
    Column("", "What you can do", hidden=True),
)


def listing(query: str, per_page: int = 50) -> Listing[Row]:
    return Listing(RequestFactory().get(f"/list/?{query}"), COLUMNS, per_page=per_page)


@pytest.mark.parametrize(
    ("sort", "names"), [("size", "cba"), ("-size", "bca"), ("maker", "bac"), ("nonsense", "bac")]
)
def test_rows_are_sorted_by_a_column_and_what_is_absent_stands_last(sort: str, names: str) -> None:
    assert "".join(row.name for row in listing(f"sort={sort}").sorted(ROWS)) == names


def test_heads_turn_the_order_around_and_lead_to_the_first_page() -> None:
    name, size, maker, actions = listing("sort=size&page=2&q=x").heads

    assert (name.address, size.address) == ("?sort=name&q=x", "?sort=-size&q=x")
    assert (name.state, size.state) == ("", "ascending")
    assert (maker.address, actions.address, actions.hidden) == ("", "", True)


@pytest.mark.parametrize(("page", "names"), [("2", "c"), ("", "ba"), ("no", "ba"), ("99", "c")])
def test_a_page_is_the_one_asked_for_or_the_nearest(page: str, names: str) -> None:
    assert "".join(row.name for row in listing(f"page={page}", per_page=2).page(ROWS)) == names


def test_a_file_has_the_columns_with_a_name_and_reads_through_what_is_absent() -> None:
    assert list(listing("").lines(ROWS)) == [
        ["name", "size", "maker"], ["b", "10", "m"], ["a", "", ""], ["c", "9", ""]
    ]  # fmt: skip
    cells: dict[str, Cell[Row]] = {"at": "at", "is_large": lambda row: (row.size or 0) > 9}
    assert list(csv_lines(cells, ROWS[1:])) == [
        ["at", "is_large"], ["", "false"], ["2026-01-02T00:00:00+00:00", "false"]
    ]  # fmt: skip


@pytest.mark.parametrize("language", ["en", "de"])
def test_a_table_is_sorted_by_the_numbers_of_its_cells_not_by_their_letters(language: str) -> None:
    with translation.override(language):
        numbers = (-1234.5, -3.0, 2.0, 10.0)
        rows = [
            [str(number), decimals(number), counted(int(number)), percent(number), span(number, 99)]
            for number in (2.0, -3.0, 10.0, -1234.5)
        ]
        table = Table("", ["", "a", "b", "c", "d"], [*rows, ["none", *[ABSENT] * 4]])

        for column in "2345":
            for sort, ordered in ((column, numbers), (f"-{column}", numbers[::-1])):
                assert [row[0] for row in table.sorted(sort).rows] == [*map(str, ordered), "none"]
        assert table.sorted("9") == table.sorted("x") == table
