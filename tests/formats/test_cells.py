"""One record a line, whatever a cell holds, and no cell that a spreadsheet program takes for a formula."""

import csv
from datetime import UTC
from io import StringIO

import pytest
from hypothesis import given, strategies as st
from pydantic_core import to_jsonable_python

from formats.cells import FORMULA_STARTS, csv_cell, csv_line, csv_record, sheet_line, text_of_cell
from tests.support.csv_readers import WORST

TEXT = st.text(alphabet=st.sampled_from("a \"',;\t\r\n\x85\u2028=+-@＝1"))
TEXTS = st.lists(TEXT, min_size=1)
VALUES = st.none() | st.booleans() | st.integers() | st.floats() | TEXT | st.datetimes(timezones=st.just(UTC))


def rows_of(text: str, delimiter: str = ",") -> list[list[str]]:
    return list(csv.reader(StringIO(text, newline=""), delimiter=delimiter))


@given(TEXTS)
def test_a_line_is_one_record_and_gives_every_text_back(texts: list[str]) -> None:
    cells = [csv_cell(text) for text in texts]
    assert rows_of(csv_line(cells) * 2) == [cells] * 2
    assert [cell.removeprefix("'") for cell in cells] == texts
    (read,) = rows_of(sheet_line(cells))
    assert [text_of_cell(cell) for cell in read] == texts


@pytest.mark.parametrize("text", ["one\rtwo", "\r", "a\u2028b", "a\x85b", "a\x0cb", " a", "a\t"])
def test_what_some_reader_takes_for_the_end_of_a_line_or_trims_is_quoted(text: str) -> None:
    assert csv_line([text, "b"]) == f'"{text}",b\n'


@given(st.lists(VALUES | st.lists(TEXT) | st.dictionaries(TEXT, TEXT), min_size=1))
def test_a_record_made_at_once_is_the_line_of_its_cells_and_of_moments_as_json_has_them(
    values: list[object],
) -> None:
    assert csv_record(values) == csv_line(csv_cell(to_jsonable_python(value)) for value in values)


def test_a_record_of_one_empty_cell_is_no_empty_line() -> None:
    assert csv_line([""]) == '""\n'
    assert csv_line(["", ""]) == ",\n"


@given(TEXTS)
def test_no_cell_is_a_formula_however_a_spreadsheet_program_parts_the_lines(texts: list[str]) -> None:
    line = sheet_line(csv_cell(text) for text in ["first", *texts])
    for delimiter, around in ((",", None), (";", '" \t\r\n'), ("\t", '" \r\n')):
        for row in csv.reader(StringIO(line, newline=""), delimiter=delimiter):
            assert not [cell for cell in row if cell.strip(around)[:1] in FORMULA_STARTS]


def test_the_worst_texts_come_back() -> None:
    texts = [text[:1000] for text in WORST]
    cells = [csv_cell(text) for text in texts]
    assert [text_of_cell(cell) for cell in rows_of(sheet_line(cells))[0]] == texts
    assert rows_of(csv_line(cells)) == [cells]


def test_numbers_below_nought_stay_numbers_in_a_file_that_people_open() -> None:
    assert sheet_line(map(csv_cell, (-0.5, -3, None, True))) == "-0.5,-3,,true\r\n"
