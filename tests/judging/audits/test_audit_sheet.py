"""The sheet of an audit on its way out and back."""

import pytest

from formats.cells import BYTE_ORDER_MARK
from judging.audit_sheet import CONFIDENTIAL, EXACT, SheetRow, audit_sheet
from reporting.forms.audit_file import MAX_BYTES, read_ratings

# The sheet on its way out and back.
FORMULAS = ["=1+1", "+cmd|' /C calc'!A0", "-2", "@SUM(A1)", "'quoted", "  =1", "＝1"]
# What a program that parts cells at ";" or tabs, and so does not see our quotes, would run.
INNER = {"\t=1": "'\t'=1", "\r\n=1": "'\r\n'=1", "see;=1": "see;'=1", 'see; "@1\n+2': "see; \"'@1\n'+2"}


@pytest.mark.parametrize(("text", "cell"), [*((text, "'" + text) for text in FORMULAS), *INNER.items()])
def test_no_text_of_the_sheet_is_a_formula(text: str, cell: str) -> None:
    row = SheetRow(1, prompt=text, attachments=(text,), gold_answer=text, criterion=text, answer=text)
    line = audit_sheet(7, [row], canaries=[]).partition("\r\n")[2]
    assert line == ("7,1," + ",".join([quoted(cell)] * 5) + f",,,{CONFIDENTIAL}\r\n")


def quoted(cell: str) -> str:
    return '"' + cell.replace('"', '""') + '"' if set(cell) & set(',"\r\n') else cell


def test_the_sheet_opens_as_utf_8_and_carries_the_canaries_in_every_line() -> None:
    rows = [SheetRow(n, "Größe?", ("plan.png", "map.pdf"), None, None, "groß") for n in (1, 2)]
    sheet = audit_sheet(3, rows, canaries=["canary-1", "canary-2"])
    assert sheet.startswith(
        BYTE_ORDER_MARK + "sample,number,prompt,attachments,gold_answer,criterion,answer,"
    )
    lines = sheet.removesuffix("\r\n").split("\r\n")[1:]
    assert lines == [
        f"3,{n},Größe?,plan.png; map.pdf,,{EXACT},groß,,,{CONFIDENTIAL} canary-1 canary-2" for n in (1, 2)
    ]


HEADER = "sample,number,human_score,comment\n"


def problems(text: str | bytes) -> list[str]:
    content = text.encode() if isinstance(text, str) else text
    return [str(problem) for problem in read_ratings(content).problems]


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_a_sheet_is_read_however_a_spreadsheet_program_separates_it(delimiter: str, newline: str) -> None:
    lines = ["sample,number,human_score,comment", "7,1,0.5,fine", "7,2,,", "7,3,1,"]
    reading = read_ratings(newline.join(lines).replace(",", delimiter).encode("utf-8-sig"))
    assert reading.problems == ()
    assert [(row.number, row.score, row.comment) for row in reading.rows] == [
        (1, 0.5, "fine"),
        (2, None, ""),
        (3, 1.0, ""),
    ]


@pytest.mark.parametrize(
    ("cell", "score"),
    [
        ("0", 0.0),
        ("1", 1.0),
        ("0,5", 0.5),
        ('"0,25"', 0.25),
        (" .5 ", 0.5),
        ("1.", 1.0),
        ("1,0", 1.0),
        ("", None),
    ],
)
def test_scores_are_read_with_point_or_comma(cell: str, score: float | None) -> None:
    (row,) = read_ratings(f"sample;number;human_score\n7;1;{cell}\n".encode()).rows
    assert row.score == score


@pytest.mark.parametrize(
    "cell",
    ["1.01", "-0.1", "2", "50%", "nan", "inf", "1e-3", "yes", "0x1", "٠", "0.5.", "=1", "'1", "1 0", "TRUE"],
)
def test_what_is_no_share_is_refused_in_a_sentence(cell: str) -> None:
    (problem,) = problems(f"{HEADER}7,1,{cell},\n")
    assert problem == (
        f"line 2, human_score: “{cell}” is no number between 0 and 1, such as 0.5; "
        "nothing means: not rated yet"
    )


def test_every_problem_of_a_sheet_is_listed() -> None:
    text = f"{HEADER}7,1,5,\nx,2,1,\n7,,1,\n7,4,0,5,\n7,5,1,{'c' * 5001}\n7,6,1,a\0b\n"
    found = problems(text)
    assert [problem.partition(":")[0] for problem in found] == [
        "line 2, human_score", "line 3, sample", "line 4, number", "line 5", "line 6, comment",
        "line 7, comment",
    ]  # fmt: skip
    assert "put cells with a delimiter in quotes" in found[3]


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "the file is empty"),
        (b"\r\n\r\n", "the file is empty"),
        (HEADER.encode(), "the sheet has no line below its columns"),
        (
            b"number,score\n1,1\n",
            "line 1: missing columns: sample, human_score; begin the file with sample,number,human_score",
        ),
        (
            b"sample,number,human_score,judge_score\n",
            "line 1, judge_score: the columns must be some of sample,",
        ),
        (b"sample,number,human_score,number\n", "line 1: the columns must be some of sample,"),
        (HEADER.encode() + b"7,1,1,\xff\n", "line 2: is not UTF-8"),
        (HEADER.encode("utf-16"), "is not UTF-8 but UTF-16; save the file as UTF-8"),
        (HEADER.encode() + b'7,1,1,"open\n', "is no CSV"),
        (
            b"PK\x03\x04 xl/workbook.xml",
            "is an Excel workbook, but CSV is expected; open it and save it as CSV",
        ),
        (b"x" * (MAX_BYTES + 1), "the file is larger than 20 MB"),
    ],
)
def test_a_file_that_is_no_sheet_is_refused_in_a_sentence(content: bytes, sentence: str) -> None:
    (problem,) = problems(content)
    assert sentence in problem


def test_cells_that_were_cut_off_or_are_blank_are_not_rated() -> None:
    reading = read_ratings(f"{HEADER}7,1\n\n,,,\n7,2,1\n".encode())
    assert reading.problems == ()
    assert [(row.line, row.number, row.score) for row in reading.rows] == [(2, 1, None), (5, 2, 1.0)]


def test_long_texts_over_many_lines_keep_their_place() -> None:
    answer = "an answer\nof many lines, and long " * 10_000
    text = f'sample,number,answer,human_score\n7,1,"{answer}",1\n7,2,short,3\n'
    (problem,) = problems(text)
    assert problem.startswith("line 10003,")  # line 2 goes on over 10,000 line ends


def test_a_share_that_was_parted_at_its_comma_is_refused() -> None:
    (problem,) = problems(HEADER + "7,1,0,5\n")
    assert problem.endswith("“0” is followed by the comment “5”; write 0.5, or 0.0 if that is meant")
    assert problems(HEADER + "7,1,0.0,5\n") == []
