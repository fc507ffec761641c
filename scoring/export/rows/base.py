"""What the rows of an export share: their base, the columns that many of them have, and for whom they are:
what people wrote stays with the team.
"""

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Annotated, Any, ClassVar, Self

from pydantic import BaseModel, ConfigDict, Field

Code = Annotated[str, Field(description="code of the participant; the only name a person has in an export")]
PromptId = Annotated[str, Field(description="id of the prompt in its bank")]
Label = Annotated[str, Field(description="short label of the prompt, the same on every page")]
Run = Annotated[int, Field(description="number of the scoring run in the manifest")]
Scope = Annotated[
    str,
    Field(
        description="answers it rests on: `all`, or, where private prompts were asked, again those to the "
        "`public` ones alone, which the other tables hold"
    ),
]
Group = Annotated[
    str, Field(description="`average` (everyone retained) or `top` (in-sample: selected on the outcome)")
]
RulesVersion = Annotated[str, Field(description="version of the off-task rules")]


class Row(BaseModel):
    """Base of every row. `table` names the two files, the docstring opens its part of the data dictionary."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    table: ClassVar[str]

    @classmethod
    def from_columns(cls, values: Mapping[str, Any]) -> Self:
        """What `cls(**values)` is, sooner: for tables of millions."""
        row: Self = cls.__pydantic_validator__.validate_python(values)
        return row


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
