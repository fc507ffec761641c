"""The one reader of tables from spreadsheet programs, and what is said of files that are none."""

import csv
import io
import zipfile

import pytest

from formats.codes import code_named
from formats.csv_tables import CsvTable, read_csv_table
from formats.file_kinds import CSV, JSON, kind_fault
from formats.problems import Problem, grouped


def read(content: bytes | str, **more: object) -> CsvTable:
    raw = content.encode() if isinstance(content, str) else content
    return read_csv_table(raw, required=("code", "state"), codes=("code", "state", "amount"), **more)  # type: ignore[arg-type]


def said(content: bytes | str, **more: object) -> list[str]:
    return [str(problem) for problem in read(content, **more).problems]


@pytest.mark.parametrize(
    "text", ["code,state\nA,paid\n", "\ufeffState;Code\r\npaid;A\r\n", "code\tstate\r\n A \tpaid"]
)
def test_commas_semicolons_and_tabs_part_the_same_cells(text: str) -> None:
    ((line, cells),) = read(text).rows
    assert (line, cells["code"], cells["state"]) == (2, "A", "paid")


@pytest.mark.parametrize(
    "text",
    [
        "sep=;\r\ncode;state;amount\r\nA;paid;0,5\r\n",
        '\ufeff"SEP=;"\r\n"Code";"State";"Amount"\r\n"A";"paid";"0,5"\r\n',
        "sep=;;\n\ncode;state;amount\nA;paid;0,5\n;;\n",
        "sep=\t\ncode\tstate\tamount\nA\tpaid\t0,5\n",
        'sep=,\ncode,state,amount\nA,paid,"0,5"\n',
    ],
)
def test_a_first_line_may_say_what_parts_cells(text: str) -> None:
    table = read(text)
    assert (table.columns, table.problems) == (("code", "state", "amount"), ())
    assert [cells for _, cells in table.rows] == [{"code": "A", "state": "paid", "amount": "0,5"}]
    assert said("sep=;\nstate;code\npaid;\u200bA\n") == ["line 3, code: holds U+200B (invisible); remove it"]


def test_lines_may_end_as_on_old_macs_whatever_their_cells_hold() -> None:
    table = read("code;state;note\rA;paid;1,2,3,4,5\rB;paid;\r")
    assert [(line, cells["code"]) for line, cells in table.rows] == [(2, "A"), (3, "B")]


def test_only_between_commas_a_number_may_have_lost_its_decimals() -> None:
    for text, decimals in (
        ("code,state,amount,note\nA,paid,12,50\n", "50"),
        ("code,state,amount,other,note\nA,paid,12,50,x\n", "50"),
        ("code,state,amount,note\nA,paid,12.00,50\n", ""),
        ("code,state,amount,note\nA,paid,12,n50\n", ""),
        ("code;state;amount;note\nA;paid;12;50\n", ""),
        ("code,state,note,amount\nA,paid,12,50\n", ""),
    ):
        table = read(text)
        assert table.decimals_beside(table.rows[0][1], "amount") == decimals, text


def test_a_small_table_leaves_the_cells_of_another_thread_as_long_as_they_are() -> None:
    long = f"code,state,note\nA,paid,{'x' * 200_000}\n"
    read("code,state\nA,paid\n", long_cells=True)
    assert len(read(long, long_cells=True).rows[0][1]["note"]) == 200_000
    assert said(long) == ["line 2: is no CSV (field larger than field limit (131072)); export the file again"]
    assert csv.field_size_limit() > 200_000, "one bound for all threads, which no reader changes"


def test_columns_without_a_name_are_read_over_while_they_are_empty() -> None:
    table = read("code,state,,\nA,paid,,\nB,paid\n")
    assert (table.columns, table.problems) == (("code", "state"), ())
    assert [cells for _, cells in table.rows] == [
        {"code": "A", "state": "paid"},
        {"code": "B", "state": "paid"},
    ]
    assert said("code,state,,\nA,paid,,x\n") == [
        "line 2, column 4: has no name in the first line; give it one, or empty the column"
    ]


def test_characters_that_nobody_sees_are_named_in_codes_and_left_in_texts() -> None:
    assert said("code,state,note\n\u200bA,paid,n\u00a0b\nB,pa\u00addid,\n") == [
        "line 2, code: holds U+200B (invisible); remove it",
        "line 3, state: holds U+00AD (invisible); remove it",
    ]
    assert said("\u2060code,state\nA,paid\n") == ["line 1: holds U+2060 (invisible); remove it"]
    assert read("code,state,note\nA\u00a0,paid,n\u200bb\n").rows[0][1] == {
        "code": "A", "state": "paid", "note": "n\u200bb",
    }  # fmt: skip


def test_a_line_with_more_cells_than_columns_and_a_nul_are_refused_each_with_its_line() -> None:
    assert said("code,state,amount\nA,paid,12,50\nB,paid,1\nC,pa\0id,2\n") == [
        "line 2: has 4 cells for 3 columns; put cells with a delimiter in quotes",
        "line 4, state: contains a NUL character (U+0000); remove it",
    ]


def test_what_is_wrong_with_a_cell_hides_nothing_of_its_line_and_of_those_before() -> None:
    table = read('code,state,amount\n\u200bA,pa\u2800id,x\nB,\u3164,y,z\nC,paid,"1\n')
    assert [str(problem) for problem in table.problems] == [
        "line 4: is no CSV (unexpected end of data); export the file again",
        "line 2, code: holds U+200B (invisible); remove it",
        "line 2, state: holds U+2800 (invisible); remove it",
        "line 3: has 4 cells for 3 columns; put cells with a delimiter in quotes",
    ]
    assert table.rows == ((2, {"code": "A", "state": "paid", "amount": "x"}),)


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "the file is empty; begin it with the line code,state"),
        (b"name\nx\n", "line 1: missing columns: code, state; begin the file with code,state"),
        (b"code,state,code\nx,y,z\n", "line 1: columns that are there twice: code; keep one"),
        ("code,state\nJ\u00f6,x\n".encode("cp1252"), "line 2: is not UTF-8; save the file as UTF-8"),
        (b'code,state\nA,"paid\n', "line 2: is no CSV (unexpected end of data); export the file again"),
    ],
)
def test_a_table_that_cannot_be_read_is_one_sentence(content: bytes, sentence: str) -> None:
    assert said(content) == [sentence]


def zipped(*names: str) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name in names:
            archive.writestr(
                name, "application/vnd.oasis.opendocument.spreadsheet" if name == "mimetype" else "x"
            )
    return file.getvalue()


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (zipped("[Content_Types].xml", "xl/workbook.xml"), "is an Excel workbook, but CSV is expected; open"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), "is an Excel workbook, but CSV is expected"),
        (zipped("mimetype", "content.xml"), "is an OpenDocument spreadsheet, but CSV is expected"),
        (zipped("people.csv"), "is a zip, but CSV is expected; unpack it and choose the file in it"),
        (zipped("word/document.xml"), "is a Word document, but CSV is expected; choose the right file"),
        (b"%PDF-1.7\n", "is a PDF, but CSV is expected"),
        (b"\x1f\x8b\x08", "is a packed archive, but CSV is expected"),
        (b"PAR1xx", "is Parquet, but CSV is expected"),
        (b"  <!DOCTYPE html><html>", "is a web page, but CSV is expected"),
        (b"<?xml version='1.0'?>", "is XML, but CSV is expected"),
        (b'{"canary": "c", "examples": []}', "is JSON, but CSV is expected; choose the right file"),
        ("code,state\nA,paid\n".encode("utf-16"), "is not UTF-8 but UTF-16; save the file as UTF-8"),
        ("code,state\nA,paid\n".encode("utf-16-be"), "is not UTF-8 but UTF-16"),
    ],
)  # fmt: skip
def test_a_file_of_another_kind_is_named_with_the_remedy(content: bytes, sentence: str) -> None:
    (problem,) = said(content)
    assert problem.startswith(sentence)


def test_json_is_json_where_json_is_wanted() -> None:
    assert kind_fault(b'{"a": 1}', JSON) is None
    assert kind_fault(b"a,b\n", CSV) is None
    assert "Excel" in str(kind_fault(zipped("xl/workbook.xml"), JSON))


def test_problems_of_one_kind_are_one() -> None:
    blank = [Problem(line, None, "email", "is blank; fill it in") for line in (3, 5, *range(7, 805))]
    other = Problem(4, None, "profile", "is blank; fill it in")
    assert [str(problem) for problem in grouped([*blank, other])] == [
        "line 3, 5 and 798 more, email: is blank; fill it in",
        "line 4, profile: is blank; fill it in",
    ]


def test_problems_whose_values_differ_are_of_one_kind_and_the_first_is_told() -> None:
    unknown = [Problem(n, f"q{n}", f"tags[{n}]", f'"x{n}" is no tag', "bank.jsonl") for n in range(2, 7)]
    assert [str(problem) for problem in grouped(unknown)] == [
        'bank.jsonl, line 2, 3 and 3 more (here line 2), tags[2]: "x2" is no tag'
    ]
    assert len(grouped(unknown[:3])) == 3, "a few are told one by one"


def test_problems_without_lines_are_named_by_their_places() -> None:
    problems = [Problem(None, None, "epoch", "is missing; add it", f"sample {n}") for n in range(1, 9)]
    assert [str(problem) for problem in grouped(problems)] == [
        "sample 1; sample 2 and 6 more, epoch: is missing; add it"
    ]


def test_a_name_stands_for_its_code() -> None:
    profiles = {"stem-phd": "STEM PhD", "expert": "Experts", "other": "experts "}
    assert code_named("stem-phd", profiles) == "stem-phd"
    assert code_named(" stem  PHD", profiles) == "stem-phd"
    assert code_named("EXPERT", profiles) == "expert"
    assert code_named("nobody", profiles) is None
    assert code_named("Same", {"a": "same", "b": "Same"}) is None, "two have the name"
