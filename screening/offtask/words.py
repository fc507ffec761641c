"""Reading a text as a person would see it: visible characters, words, clauses."""

import re
import unicodedata

from studies.protocol.visible import is_blank

_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]"
)
"""Letters of scripts written without spaces (Thai, Lao, Burmese, Khmer, Japanese, Chinese)."""

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


def count_words(text: str) -> int:
    """Count words: runs between spaces that hold a letter or digit; each letter of an unspaced script is one.

    Pictures and mathematical symbols that stand alone count as one word each.
    """
    return sum(_words_in(token) for token in text.split())


def _words_in(token: str) -> int:
    unspaced = len(_UNSPACED.findall(token))
    if unspaced:
        return unspaced
    if has_letters_or_digits(token):
        return 1
    return sum(unicodedata.category(character) in ("So", "Sm", "Sc") for character in token)


def has_letters_or_digits(text: str) -> bool:
    """Whether anything in the text is a letter or a digit of any script."""
    return any(character.isalnum() for character in text)


def clauses(text: str) -> list[str]:
    """Split a visible text at sentence and clause ends; pieces without a letter or digit are dropped."""
    pieces = (piece.strip() for piece in _CLAUSE_END.split(text))
    return [piece for piece in pieces if has_letters_or_digits(piece)]


def quoted(text: str) -> str:
    """Return the text in quotation marks for use as evidence, cut to a readable length."""
    line = " ".join(text.split())
    return f'"{line}"' if len(line) <= _QUOTE_CHARACTERS else f'"{line[: _QUOTE_CHARACTERS - 1]}…"'
