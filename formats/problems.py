"""What is wrong with a bank file, in sentences."""

import unicodedata
from dataclasses import dataclass

ESCAPED = {"Cc", "Cs", "Zl", "Zp"}


@dataclass(frozen=True)
class Problem:
    """One problem of a bank file.

    `line` counts from 1 (rows, in a Parquet file) and is None where a place in the file means nothing.
    `file` is set where a bank consists of several files. `message` reads on after "<place>, <field>: ".
    """

    line: int | None
    prompt_id: str | None
    field: str
    message: str
    file: str = ""

    def __str__(self) -> str:
        places = [self.file, f"line {self.line}" if self.line else "", self.prompt_id or "", self.field]
        place = ", ".join(place for place in places if place)
        return one_line(f"{place}: {self.message}" if place else self.message)


def one_line(text: str) -> str:
    """With an escape for each control character and half of a surrogate pair.

    An id or a name may have brought them along. The text can then be stored, and a terminal only shows it.
    """
    if text.isprintable():
        return text
    return "".join(
        f"\\u{ord(character):04x}" if unicodedata.category(character) in ESCAPED else character
        for character in text
    )
