"""Words of a text, in any script."""

import re
import unicodedata

_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]"
)
"""Letters of scripts written without spaces (Thai, Lao, Burmese, Khmer, Japanese, Chinese)."""
_ASCII_WORD = re.compile(r"\S*[A-Za-z0-9]\S*|[+<=>|~$]")


def count_words(text: str) -> int:
    """Count words: runs between spaces that hold a letter or digit; each letter of an unspaced script is one.

    Pictures and mathematical symbols that stand alone count as one word each.
    """
    if text.isascii():  # the same count, much faster
        return len(_ASCII_WORD.findall(text))
    words = 0
    for token in text.split():
        if unspaced := len(_UNSPACED.findall(token)):
            words += unspaced
        elif has_letters_or_digits(token):
            words += 1
        else:
            words += sum(unicodedata.category(character) in ("So", "Sm", "Sc") for character in token)
    return words


def has_letters_or_digits(text: str) -> bool:
    """Whether anything in the text is a letter or a digit of any script."""
    return any(character.isalnum() for character in text)
