"""Files of people: what they may look like, and what is said about those that cannot be read."""

from pathlib import Path

import pytest
from django.utils.translation import override

from studies.forms.people_file import read_people
from studies.services.people.people_import import PersonRow


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "people.csv"


def problems_of(file: Path) -> list[str]:
    reading = read_people(file)
    assert reading.problems
    return [str(problem) for problem in reading.problems]


def test_a_file_with_all_columns_is_read(file: Path) -> None:
    file.write_text(
        "email,profile,status,is_test\na@example.org,stem-phd,approved,yes\nb@example.org,stem-phd,,\n"
    )
    assert read_people(file).rows == (
        PersonRow(2, "a@example.org", "stem-phd", "approved", is_test=True),
        PersonRow(3, "b@example.org", "stem-phd"),
    )


def test_a_spreadsheet_export_is_read(file: Path) -> None:
    file.write_bytes("\ufeffProfile;Email\r\nstem-phd; a@example.org \r\n;\r\n".encode())
    assert read_people(file).rows == (PersonRow(2, "a@example.org", "stem-phd"),)


def test_a_cell_over_two_lines_does_not_shift_line_numbers(file: Path) -> None:
    file.write_text('email,profile\n"a@\nexample.org",stem-phd\nb@example.org\n')
    assert problems_of(file) == ["line 4, profile: is blank; fill it in"]


def test_all_lines_with_problems_are_named(file: Path) -> None:
    file.write_text("email,profile,is_test\na@example.org\n,stem-phd\nb@example.org,x,maybe\nc,d,no,e,f\n")
    assert problems_of(file) == [
        "line 2, profile: is blank; fill it in",
        "line 3, email: is blank; fill it in",
        'line 4, is_test: is "maybe"; write yes or no',
        "line 5: has 5 cells for 3 columns; put cells with a delimiter in quotes",
    ]


def test_missing_columns_are_named(file: Path) -> None:
    file.write_text("name\nx\n")
    assert problems_of(file) == ["line 1: missing columns: email, profile; begin the file with email,profile"]


@pytest.mark.parametrize("header", ["email,profile,age", "email,profile,email"])
def test_other_columns_are_refused(file: Path, header: str) -> None:
    file.write_text(f"{header}\na,b,c\n")
    assert (
        "the columns must be some of email, profile, status, is_test, language, name, each once"
        in problems_of(file)[0]
    )


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "the file is empty; begin it with the line email,profile"),
        (b"email,profile\n", "the file names nobody; write one line per person"),
        (b"email,profile\na@example.org,\xff\n", "line 2: is not UTF-8; save the file as UTF-8"),
        (
            b"email,profile\n" + b"x" * 200_000,
            "line 2: is no CSV (field larger than field limit (131072)); export the file again",
        ),
    ],
)
def test_a_file_that_cannot_be_used_is_one_sentence(file: Path, content: bytes, sentence: str) -> None:
    file.write_bytes(content)
    assert problems_of(file) == [sentence]


def test_a_file_that_is_not_there_is_one_sentence(file: Path) -> None:
    assert problems_of(file) == [
        f"{file}: cannot be read (No such file or directory); check the path and its rights"
    ]


def test_problems_are_in_the_readers_language(file: Path) -> None:
    file.write_text("email,profile,is_test\n,stem-phd,maybe\n")
    with override("de"):
        assert problems_of(file) == [
            "Zeile 2, email: ist leer; füllen Sie es aus",
            "Zeile 2, is_test: ist „maybe“; schreiben Sie yes oder no",
        ]
