"""What keeps texts out of files: what no database stores, what is too long, blank or untrimmed, in words; and
whether a text holds anything that a reader could see.
"""

import re
import unicodedata

from formats.wording import gettext_noop

MAX_ID_CHARACTERS = 200
MAX_LABEL_CHARACTERS = 100
MAX_SET_NAME_CHARACTERS = 20
BLANK = gettext_noop("is blank; write something or leave the entry out")
UNTRIMMED = gettext_noop("begins or ends with white space; remove it")
TOO_LONG = gettext_noop("is longer than {max_length} characters; shorten it")
HALF_OF_A_PAIR = gettext_noop("contains half of a surrogate pair, which is no character; remove it")
NUL = gettext_noop("contains a NUL character (U+0000); remove it")
INVISIBLE = gettext_noop("holds U+{code} (invisible); remove it")
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
# Letters, marks and symbols by their category that show as nothing: fillers, selectors of a glyph (not of
# emoji), a blank cell of Braille.
_SHOW_NOTHING = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0d\uffa0\U000e0100-\U000e01ef]"
)


def storage_fault(text: str) -> str | None:
    """What keeps a text from being stored everywhere, in words, or None.

    PostgreSQL stores no NUL and UTF-8 no half of a surrogate pair; all databases must hold the same bank.
    """
    if "\0" in text:
        return NUL
    if _LONE_SURROGATE.search(text):
        return HALF_OF_A_PAIR
    return None


def label_fault(text: str, *, most: int = MAX_LABEL_CHARACTERS) -> str | None:
    """What keeps a text of at most `most` characters from being a label, in words, or None."""
    if _LONE_SURROGATE.search(text):
        return HALF_OF_A_PAIR
    return TOO_LONG.format(max_length=most) if len(text) > most else storage_fault(text)


def id_fault(text: str) -> str | None:
    """What keeps a text from being the id of a prompt, in words, or None."""
    if fault := label_fault(text, most=MAX_ID_CHARACTERS):
        return fault
    if not text.strip():
        return BLANK
    return UNTRIMMED if text != text.strip() else None


def invisible_fault(text: str) -> str | None:
    """What nobody sees in a name, a code or an address, in words, or None: such as a zero-width space."""
    invisible = "" if text.isascii() and text.isprintable() else next(filter(_is_invisible, text), "")
    return INVISIBLE.format(code=f"{ord(invisible):04X}") if invisible else None


def without_invisible(text: str) -> str:
    """What is left of a text that has an `invisible_fault`."""
    return "".join(character for character in text if not _is_invisible(character))


def _is_invisible(character: str) -> bool:
    if _SHOW_NOTHING.match(character):
        return True
    return character not in " \t\r\n" and unicodedata.category(character) in {"Cc", "Cf", "Zs", "Zl", "Zp"}


_INVISIBLE_CATEGORIES = frozenset({"Cc", "Cf", "Zl", "Zp", "Zs"})
_BLANK_LETTERS = frozenset("\u115f\u1160\u2800\u3164\uffa0\ufe0e\ufe0f\u034f")
"""Characters Unicode calls letters, symbols or marks although nothing is drawn for them."""


def is_blank(text: str) -> bool:
    """Whether nothing in the text is visible: empty, white space, zero-width or control characters only."""
    return all(
        character in _BLANK_LETTERS or unicodedata.category(character) in _INVISIBLE_CATEGORIES
        for character in text
    )
