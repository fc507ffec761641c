"""For whom an export is: what people wrote stays with the team."""

from collections.abc import Iterable, Mapping
from enum import StrEnum

from scoring.export.rows.base import Row


class Audience(StrEnum):
    """`internal` holds texts, `public` none: no answer, note, explanation, quote or reason."""

    INTERNAL = "internal"
    PUBLIC = "public"


# Columns that hold, or may quote, what a participant or a reviewer wrote.
TEXTS: Mapping[str, tuple[str, ...]] = {
    "sessions": ("resources_note",),
    "answers": ("text", "note"),
    "criteria": ("explanation",),
    "flags": ("evidence",),
    "verdicts": ("reason",),
}


def rows_for(audience: Audience, table: str, rows: Iterable[Row]) -> Iterable[Row]:
    """The rows of a table as this audience gets them: texts are absent where they are not for it."""
    absent = dict.fromkeys(TEXTS.get(table, ())) if audience == Audience.PUBLIC else {}
    return (row.from_columns(row.__dict__ | absent) for row in rows) if absent else rows
