"""Cells of the public GIM files: lists that became text on the way, and absent values that became "nan"."""

import ast
import json
import math
import tokenize
from collections.abc import Sequence
from io import StringIO

_ABSENT_TEXTS = frozenset({"", "nan", "none"})


class NotAList(Exception):
    """A cell should hold a list of texts and does not."""


def is_absent(value: object) -> bool:
    """None, NaN and the texts "", "nan" and "none" in any case are no value."""
    if isinstance(value, str):
        return value.strip().lower() in _ABSENT_TEXTS
    return value is None or (isinstance(value, float) and math.isnan(value))


def text_or_none(value: object) -> object:
    """Text without surrounding white space; None when absent; a number as its text; others unchanged."""
    if is_absent(value):
        return None
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    return value.strip() if isinstance(value, str) else value


def joined_text(value: object) -> object:
    """As text_or_none with "" for absent; a list of texts becomes one text with a line each."""
    if isinstance(value, list) and all(isinstance(part, str) for part in value):
        return "\n".join(value)
    text = text_or_none(value)
    return "" if text is None else text


def text_list(value: object) -> list[object]:
    """A list, or the text of a JSON or Python list, without its absent entries. Raises NotAList."""
    if is_absent(value):
        return []
    entries = _parsed_list(value.strip()) if isinstance(value, str) else value
    if not isinstance(entries, Sequence) or isinstance(entries, str | bytes):
        raise NotAList
    return [entry for entry in entries if not is_absent(entry)]


def label_list(value: object) -> list[object]:
    """As text_list; any other text is split at its commas."""
    if isinstance(value, str) and not value.strip().startswith("["):
        return [part.strip() for part in value.split(",") if not is_absent(part)]
    return text_list(value)


def _parsed_list(text: str) -> object:
    if not text.startswith("["):
        raise NotAList
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        pass
    try:
        entries = ast.literal_eval(text)
        strings = sum(
            token.type == tokenize.STRING for token in tokenize.generate_tokens(StringIO(text).readline)
        )
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError, tokenize.TokenError):
        raise NotAList from None
    if strings > len(entries):  # ['a' 'b'], as numpy prints an array, would read as the one text "ab"
        raise NotAList
    return entries
