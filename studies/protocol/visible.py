"""Whether a text holds anything a reader could see."""

import unicodedata

_INVISIBLE_CATEGORIES = frozenset({"Cc", "Cf", "Zl", "Zp", "Zs"})
_BLANK_LETTERS = frozenset("\u115f\u1160\u2800\u3164\uffa0\ufe0e\ufe0f\u034f")
"""Characters Unicode calls letters, symbols or marks although nothing is drawn for them."""


def is_blank(text: str) -> bool:
    """Whether nothing in the text is visible: empty, white space, zero-width or control characters only."""
    return all(
        character in _BLANK_LETTERS or unicodedata.category(character) in _INVISIBLE_CATEGORIES
        for character in text
    )
