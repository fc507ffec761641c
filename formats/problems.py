"""What is wrong with a file, in sentences, and those of one kind as one."""

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TypeVar

ESCAPED = {"Cc", "Cf", "Cs", "Zl", "Zp"}
FEW = 3  # as many problems of a kind are told one by one
# What differs between problems of one kind: values in quotes, and numbers.
_VALUES = re.compile(r"""(?<!\w)'[^']*'(?!\w)|"[^"]*"|[“„][^“”]*[“”]|\d+""")


@dataclass(frozen=True)
class Problem:
    """One problem of a file.

    `line` counts from 1 (of the `unit`: rows, in a Parquet file) and is None where a place in the file means
    nothing. `file` is set where a bank has several files. `message` reads on after "<place>, <field>: ".
    """

    line: int | None
    prompt_id: str | None
    field: str
    message: str
    file: str = ""
    unit: str = "line"

    @property
    def place(self) -> str:
        places = [
            self.file,
            f"{self.unit} {self.line}" if self.line else "",
            self.prompt_id or "",
            self.field,
        ]
        return ", ".join(place for place in places if place)

    def __str__(self) -> str:
        return one_line(f"{self.place}: {self.message}" if self.place else self.message)


SomeProblem = TypeVar("SomeProblem", bound=Problem)


def grouped(problems: Iterable[SomeProblem]) -> list[SomeProblem]:
    """Those of one kind as one, which names two places and how many more there are.

    A kind is one field of one file and one sentence, whatever values that names; where they differ, those of
    the first are told. Up to FEW of a kind stay as they are.
    """
    kinds: dict[tuple[str, ...], list[SomeProblem]] = {}
    of_kind = []
    for problem in problems:
        field, message = (_VALUES.sub("", text) for text in (problem.field, problem.message))
        named = problem.file if problem.line else "" if problem.place else problem.message
        kind = kinds.setdefault((named, field, message), [])
        kind.append(problem)
        of_kind.append((problem, kind))
    return [
        problem if len(kind) <= FEW else _as_one(kind)
        for problem, kind in of_kind
        if len(kind) <= FEW or problem is kind[0]
    ]


def _as_one(kind: list[SomeProblem]) -> SomeProblem:
    first, second = kind[:2]
    if first.line:
        names = f"{first.unit} {first.line}, {second.line}"
    else:
        names = "; ".join(replace(problem, field="").place for problem in (first, second))
    place = f"{names} and {len(kind) - 2:,} more"
    if len({problem.message for problem in kind}) > 1 and first.line:
        place += f" (here {first.unit} {first.line})"
    file = ", ".join(part for part in (first.file if first.line else "", place) if part)
    return replace(first, line=None, prompt_id=None, file=file)


def one_line(text: str) -> str:
    """With an escape for each invisible character and half of a surrogate pair.

    An id or a name may have brought them along. The text can then be stored, and a terminal only shows it.
    """
    if text.isprintable():
        return text
    return "".join(
        f"\\u{ord(character):04x}" if unicodedata.category(character) in ESCAPED else character
        for character in text
    )
