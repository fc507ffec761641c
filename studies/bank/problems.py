"""What is wrong with a bank file, in sentences."""

from dataclasses import dataclass


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
        return _storable(f"{place}: {self.message}" if place else self.message)


def _storable(sentence: str) -> str:
    """With an escape for each NUL and half of a surrogate pair that an id or a field name brought along."""
    return sentence.encode("utf-8", "backslashreplace").decode("utf-8").replace("\0", "\\u0000")
