"""What an answer text may contain, and when it holds nothing a reader could see."""

import unicodedata

_INVISIBLE_CATEGORIES = frozenset({"Cc", "Cf", "Zl", "Zp", "Zs"})
_BLANK_LETTERS = frozenset("\u115f\u1160\u2800\u3164\uffa0\ufe0e\ufe0f\u034f")
"""Characters Unicode calls letters, symbols or marks although nothing is drawn for them."""


def check_answer_text(text: str, *, max_characters: int) -> str | None:
    """Return one sentence saying why the text cannot be stored, or None when it can.

    Length is counted in Unicode code points.
    """
    if "\x00" in text:
        return (
            f"The answer has a NUL character at position {text.index(chr(0)) + 1}; remove it and save again."
        )
    surrogate = _first_lone_surrogate(text)
    if surrogate is not None:
        return f"The answer has a broken character at position {surrogate + 1}; remove it and save again."
    if len(text) > max_characters:
        return (
            f"The answer is {len(text):,} characters long and at most {max_characters:,} are allowed; "
            "shorten it and save again."
        )
    return None


def is_blank(text: str) -> bool:
    """Whether nothing in the text is visible: empty, white space, zero-width or control characters only."""
    return all(_is_invisible(character) for character in text)


def _is_invisible(character: str) -> bool:
    return unicodedata.category(character) in _INVISIBLE_CATEGORIES or character in _BLANK_LETTERS


def _first_lone_surrogate(text: str) -> int | None:
    """Position of a surrogate code point; a well-formed str has none, JSON escapes can bring one in."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        return error.start
    return None
