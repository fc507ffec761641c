"""Lists of people: CSV with the columns `email`, `profile`, and `status`, `is_test`, `language` if wanted."""

import csv
from io import StringIO
from pathlib import Path

from django.utils.translation import gettext as _

from studies.services.people.people_import import PeopleProblem, PeopleReading, PersonRow

REQUIRED = ("email", "profile")
OPTIONAL = ("status", "is_test", "language")
WITHOUT_HEADER = ("email", "profile", "language")
WORDS = {"": False, "no": False, "false": False, "0": False, "yes": True, "true": True, "1": True}
MAX_BYTES = 10 * 1024 * 1024


class _FileUnusable(Exception):
    """Carries the one problem that keeps the whole file from being read."""

    def __init__(self, message: str, line: int | None = None, field: str = "") -> None:
        self.problem = PeopleProblem(line, field, message)
        super().__init__(message)


def read_people(path: Path) -> PeopleReading:
    """The lines of the file and every problem of its form; addresses and profiles are checked on import."""
    try:
        text = _text(_content(path))
    except _FileUnusable as error:
        return PeopleReading((), (error.problem,))
    return read_people_text(text)


def read_people_upload(content: bytes) -> PeopleReading:
    """The same of a file that a browser sent."""
    try:
        text = _text(content)
    except _FileUnusable as error:
        return PeopleReading((), (error.problem,))
    return read_people_text(text)


def read_people_text(text: str, *, header_optional: bool = False) -> PeopleReading:
    """The same of a text; with `header_optional`, lines may begin at once: address, profile, language."""
    try:
        lines = _lines(text)
        if header_optional and lines and "email" not in [cell.lower() for cell in lines[0][1]]:
            lines = [(0, list(WITHOUT_HEADER)), *lines]
        columns = _columns(lines)
    except _FileUnusable as error:
        return PeopleReading((), (error.problem,))
    rows, problems = [], []
    for number, cells in lines[1:]:
        found = [*_cell_problems(number, cells, columns)]
        problems += found
        if not found:
            values = dict(zip(columns, cells, strict=False))
            status, is_test = values.get("status", "").lower(), WORDS[values.get("is_test", "").lower()]
            language = values.get("language", "").lower()
            rows.append(PersonRow(number, values["email"], values["profile"], status, is_test, language))
    if not rows and not problems:
        problems.append(PeopleProblem(None, "", _("the file names nobody; write one line per person")))
    return PeopleReading(tuple(rows), tuple(problems))


def _content(path: Path) -> bytes:
    try:
        content = path.read_bytes()
    except OSError as error:
        raise _FileUnusable(
            _("{path} cannot be read ({reason}); check the path").format(path=path, reason=error.strerror)
        ) from None
    if len(content) > MAX_BYTES:
        raise _FileUnusable(
            _("{path} is larger than {number} MiB; is it the right file?").format(
                path=path, number=MAX_BYTES // 1024**2
            )
        )
    return content


def _text(content: bytes) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise _FileUnusable(_("is not UTF-8; save the file as UTF-8"), line) from None


def _lines(text: str) -> list[tuple[int, list[str]]]:
    """Line number and trimmed cells of every line that is not blank.

    Spreadsheets also separate by `;`, and what is copied from them by tabs.
    """
    header = text.lstrip().partition("\n")[0]
    delimiter = next((mark for mark in ",;\t" if mark in header), ",")
    reader = csv.reader(StringIO(text, newline=""), delimiter=delimiter)
    lines = []
    try:
        for cells in reader:
            trimmed = [cell.strip() for cell in cells]
            if any(trimmed):
                lines.append((reader.line_num, trimmed))
    except csv.Error as error:
        raise _FileUnusable(
            _("is no CSV ({reason}); export the file again").format(reason=error), reader.line_num
        ) from None
    return lines


def _columns(lines: list[tuple[int, list[str]]]) -> list[str]:
    if not lines:
        raise _FileUnusable(_("the file is empty; begin it with the line email,profile"))
    number, cells = lines[0]
    columns = [cell.lower() for cell in cells]
    missing = [name for name in REQUIRED if name not in columns]
    if missing:
        message = _("missing columns: {names}; begin the file with email,profile").format(
            names=", ".join(missing)
        )
        raise _FileUnusable(message, number)
    unknown = [name for name in columns if name not in (*REQUIRED, *OPTIONAL)]
    if unknown or len(set(columns)) < len(columns):
        known = ", ".join((*REQUIRED, *OPTIONAL))
        message = _("the columns must be some of {names}, each once").format(names=known)
        raise _FileUnusable(message, number, ", ".join(unknown))
    return columns


def _cell_problems(number: int, cells: list[str], columns: list[str]) -> list[PeopleProblem]:
    if len(cells) > len(columns):
        message = _("has {cells} values for {columns} columns; put values with a comma in quotes").format(
            cells=len(cells), columns=len(columns)
        )
        return [PeopleProblem(number, "", message)]
    values = dict(zip(columns, cells, strict=False))
    problems = [
        PeopleProblem(number, name, _("is blank; fill it in")) for name in REQUIRED if not values.get(name)
    ]
    if values.get("is_test", "").lower() not in WORDS:
        message = _('is "{value}"; write yes or no').format(value=values["is_test"])
        problems.append(PeopleProblem(number, "is_test", message))
    return problems
