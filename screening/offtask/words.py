"""Reading a text as a person would see it: visible characters and clauses."""

import re

from psychometrics.exclusions.words import has_letters_or_digits
from studies.protocol.visible import is_blank

_CLAUSE_END = re.compile(
    r"(?<![.!?,;:])[.!?,;:]+(?=\s|$)|[。！？，；：،؛؟]+|\n|\s[-–—]+\s|—|\b(?:but|however|although|though)\b",
    re.IGNORECASE,
)
_QUOTE_CHARACTERS = 120


def visible(text: str) -> str:
    """Return the text without invisible characters, with single spaces, and without empty lines."""
    table = {
        ord(character): " " if character.isspace() else None
        for character in set(text)
        if character != "\n" and is_blank(character)
    }
    lines = (" ".join(line.split()) for line in text.translate(table).split("\n"))
    return "\n".join(line for line in lines if line)


def clauses(text: str) -> list[str]:
    """Split a visible text at sentence and clause ends; pieces without a letter or digit are dropped."""
    pieces = (piece.strip() for piece in _CLAUSE_END.split(text))
    return [piece for piece in pieces if has_letters_or_digits(piece)]


def quoted(text: str) -> str:
    """Return the text in quotation marks for use as evidence, cut to a readable length."""
    line = " ".join(text.split())
    return f'"{line}"' if len(line) <= _QUOTE_CHARACTERS else f'"{line[: _QUOTE_CHARACTERS - 1]}…"'
