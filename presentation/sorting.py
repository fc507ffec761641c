"""Tables by one of their columns: numbers as the reader's language has them, texts, absent ones last."""

import re
from dataclasses import replace

from django.utils.formats import get_format

from formats.asked_numbers import number_asked
from presentation.tables import ABSENT, Interval, Table

FIRST_NUMBER = re.compile(r"[-−]?\d[\d.,\s'’]*")


def sort_table(table: Table, sort: str) -> Table:
    """The rows by the column of this number, from 1; with a "-" downwards. Anything else: as it is."""
    place = sort.removeprefix("-")
    number = number_asked(place)
    if number is None or not 1 <= number <= len(table.head):
        return table
    column = number - 1
    numeric = table.number_columns[column]
    there = [row for row in table.rows if row[column] not in ("", ABSENT)]
    absent = [row for row in table.rows if row[column] in ("", ABSENT)]
    there.sort(key=lambda row: _key(row[column], numeric=numeric), reverse=sort.startswith("-"))
    return replace(table, rows=[*there, *absent])


def _key(cell: str, *, numeric: bool) -> tuple[float, str]:
    if isinstance(cell, Interval):
        return cell.reach.value, ""
    found = FIRST_NUMBER.search(cell) if numeric else None
    return (_number(found.group(0)) if found else 0.0), cell.casefold()


def _number(text: str) -> float:
    """A number written in the reader's language."""
    digits = re.sub(r"[^\d.,-]", "", text.replace("−", "-"))
    decimal = str(get_format("DECIMAL_SEPARATOR"))
    whole, _sign, part = digits.rpartition(decimal) if decimal in digits else (digits, "", "")
    try:
        return float(f"{re.sub(r'[.,]', '', whole)}.{re.sub(r'[.,]', '', part) or 0}")
    except ValueError:
        return 0.0
