"""The one writer of CSV: a record stays one record for every reader, and no cell is run as a formula."""

import json
import re
from collections.abc import Iterable
from datetime import datetime
from functools import lru_cache
from typing import Any

from formats.canonical import JsonValue

FORMULA_STARTS = frozenset("=+-@＝＋－＠")
CELL_BREAKERS = frozenset("\t\r\n'")
GUARD = "'"
BYTE_ORDER_MARK = "\ufeff"  # tells spreadsheet programs that a file is UTF-8
# The library's writer leaves a carriage return without quotes before Python 3.11.9, and never quotes what
# other readers take for the end of a line or trim.
QUOTED = re.compile(r'[",\n\v\f\r\x1c-\x1e\x85\u2028\u2029]')
# One for all values: to make one takes longer than to write a row. What holds itself is a RecursionError.
compact_json = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), check_circular=False).encode
SHORT = 64
_NUMBERS = (int, float)
_UTC = "+00:00"
# What a spreadsheet program that parts cells at ";" or tabs, and so does not see our quotes, makes a cell of.
_INNER_STARTS = re.compile(r"""([;\s"']++)([=+\-@＝＋－＠]?)""")
_INNER_ENDS = frozenset(";\t\r\n")


def csv_cell(value: JsonValue) -> str:
    """One value as a CSV cell: absent is empty, lists and objects are JSON, text is defused."""
    match value:
        case None:
            return ""
        case bool():
            return "true" if value else "false"
        case str():
            return defused(value)
        case int() | float():
            return repr(value)
    return compact_json(value)


def csv_line(cells: Iterable[str]) -> str:
    """One record of a file that programs read, its cells as `csv_cell` makes them."""
    return _record(cells) + "\n"


def csv_record(values: Iterable[Any]) -> str:
    """`csv_line` of the values' cells, and of moments, in UTC as JSON has them, made at once: for files of
    millions of rows. Codes and states come again and again; what is long does not.
    """
    cells = [
        (_short(value) if len(value) <= SHORT else _quoted(defused(value)))
        if type(value) is str
        else ""
        if value is None
        else repr(value)
        if type(value) in _NUMBERS
        else _moment(value)
        if isinstance(value, datetime)
        else _quoted(csv_cell(value))
        for value in values
    ]
    return '""\n' if cells == [""] else ",".join(cells) + "\n"


def _moment(value: datetime) -> str:
    text = value.isoformat()
    return text.removesuffix(_UTC) + "Z" if text.endswith(_UTC) else text


@lru_cache(8192)
def _short(text: str) -> str:
    return _quoted(defused(text))


def sheet_line(cells: Iterable[str]) -> str:
    """The same of a file that people open; the file begins with BYTE_ORDER_MARK."""
    return _record(_INNER_STARTS.sub(_guarded, cell) for cell in cells) + "\r\n"


def defused(text: str) -> str:
    """Put a ' in front of text a spreadsheet program could take for a formula.

    Text that starts with a ' gets another one, so taking off one leading ' always gives the text back.
    """
    risky = text[:1] in CELL_BREAKERS or text.lstrip()[:1] in FORMULA_STARTS
    return GUARD + text if text and risky else text


def text_of_cell(cell: str) -> str:
    """The text that a cell of `sheet_line` was made of."""
    return _INNER_STARTS.sub(_unguarded, cell).removeprefix(GUARD)


def _record(cells: Iterable[str]) -> str:
    quoted = [_quoted(cell) for cell in cells]
    return '""' if quoted == [""] else ",".join(quoted)  # an empty line would be no record


def _quoted(cell: str) -> str:
    # Blanks at the ends have no part in the pattern: with them a long text takes seven times as long.
    if QUOTED.search(cell) or cell[:1].isspace() or cell[-1:].isspace():
        return '"' + cell.replace('"', '""') + '"'
    return cell


def _guarded(match: re.Match[str]) -> str:
    before, start = match.groups()
    return f"{before}{GUARD}{start}" if start and _INNER_ENDS & set(before) else match[0]


def _unguarded(match: re.Match[str]) -> str:
    before, start = match.groups()
    return before.removesuffix(GUARD) + start if start and _INNER_ENDS & set(before) else match[0]
