"""A rated audit sheet on its way back: CSV as spreadsheet programs write it, with all its problems."""

import csv
import re
from collections.abc import Iterator
from contextlib import contextmanager

from django.utils.translation import gettext as _

from formats.csv_rows import sheet_rows
from judging.audit_sheet import COLUMNS, COMMENT, NUMBER, SAMPLE, SCORE
from judging.services.audit_ratings import RatingProblem, RatingReading, RatingRow

MAX_BYTES = 20 * 1024 * 1024
COMMENT_CHARACTERS = 5_000
REQUIRED = (SAMPLE, NUMBER, SCORE)
WHOLE = re.compile(r"[0-9]{1,9}")
SHARE = re.compile(r"[0-9]{0,9}[.,]?[0-9]{1,18}|[0-9]{1,9}[.,]")


class _SheetUnusable(Exception):
    """Carries the one problem that keeps the whole sheet from being read."""

    def __init__(self, message: str, place: str = "") -> None:
        self.problem = RatingProblem(place, message)
        super().__init__(message)


def read_ratings(content: bytes) -> RatingReading:
    """The lines of the sheet and every problem of its form; numbers are checked on import."""
    try:
        with _long_cells():
            lines = list(sheet_rows(_text(content), _refuse))
        columns = _columns(lines)
    except _SheetUnusable as error:
        return RatingReading((), (error.problem,))
    rows, problems = [], []
    for line, cells in lines[1:]:
        values = dict(zip(columns, cells, strict=False))
        found = list(_problems(line, cells, columns, values))
        problems += found
        if not found:
            rows.append(_row(line, values))
    if not rows and not problems:
        problems.append(RatingProblem("", _("the sheet has no line below its columns")))
    return RatingReading(tuple(rows), tuple(problems))


@contextmanager
def _long_cells() -> Iterator[None]:
    """A cell holds a whole prompt or answer; the library's bound, one for the process, is 128 KiB."""
    before = csv.field_size_limit(MAX_BYTES)
    try:
        yield
    finally:
        csv.field_size_limit(before)


def _text(content: bytes) -> str:
    if len(content) > MAX_BYTES:
        raise _SheetUnusable(_("the file is larger than 20 MB; is it the right one?"))
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise _SheetUnusable(_("is not UTF-8; save the sheet as “CSV UTF-8”"), _at(line)) from None


def _refuse(line: int, error: str) -> None:
    raise _SheetUnusable(_("is no CSV (%s); save the sheet again") % error, _at(line))


def _columns(lines: list[tuple[int, list[str]]]) -> list[str]:
    if not lines:
        raise _SheetUnusable(_("the file is empty"))
    line, cells = lines[0]
    columns = [cell.strip().lower() for cell in cells]
    missing = [name for name in REQUIRED if name not in columns]
    if missing:
        message = _("the columns %s are missing; keep the first line of the sheet as it was")
        raise _SheetUnusable(message % ", ".join(missing), _at(line))
    strange = [name for name in columns if name not in COLUMNS]
    if strange or len(set(columns)) < len(columns):
        message = _("only these columns are read, each once: %s; write remarks into “comment”")
        raise _SheetUnusable(message % ", ".join(COLUMNS), _at(line))
    return columns


def _problems(
    line: int, cells: list[str], columns: list[str], values: dict[str, str]
) -> Iterator[RatingProblem]:
    if len(cells) > len(columns):
        facts = {"cells": len(cells), "columns": len(columns)}
        message = _("has %(cells)d cells for %(columns)d columns; put cells with a delimiter in quotes")
        yield RatingProblem(_at(line), message % facts)
        return
    for name in (SAMPLE, NUMBER):
        if not WHOLE.fullmatch(values.get(name, "").strip()):
            message = _("“%s” is no number of the sheet; leave it as it was")
            yield RatingProblem(_at(line, name), message % values.get(name, "")[:40])
    score = values.get(SCORE, "").strip()
    if score and not (SHARE.fullmatch(score) and 0 <= _share(score) <= 1):
        message = _("“%s” is no number between 0 and 1, such as 0.5; nothing means: not rated yet")
        yield RatingProblem(_at(line, SCORE), message % score[:40])
    comment = values.get(COMMENT, "")
    beside = columns[columns.index(SCORE) + 1 :][:1] == [COMMENT]
    if beside and score == "0" and WHOLE.fullmatch(comment.strip()):  # 0,5 in a file that parts cells at ","
        message = _(
            "“0” is followed by the comment “%(comment)s”; write 0.%(comment)s, or 0.0 if that is meant"
        )
        yield RatingProblem(_at(line, SCORE), message % {"comment": comment.strip()})
    if len(comment) > COMMENT_CHARACTERS:
        yield RatingProblem(_at(line, COMMENT), _("is longer than 5,000 characters; shorten it"))
    if "\0" in comment:
        yield RatingProblem(_at(line, COMMENT), _("has a NUL character; remove it"))


def _share(text: str) -> float:
    """Spreadsheet programs of many countries write 0,5."""
    return float(text.replace(",", "."))


def _row(line: int, values: dict[str, str]) -> RatingRow:
    score = values[SCORE].strip() if SCORE in values else ""
    return RatingRow(
        line=line,
        sample=int(values[SAMPLE]),
        number=int(values[NUMBER]),
        score=_share(score) if score else None,
        comment=values.get(COMMENT, "").replace("\r\n", "\n").strip(),
    )


def _at(line: int, column: str = "") -> str:
    place = _("line %d") % line
    return f"{place}, {column}" if column else place
