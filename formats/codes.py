"""What people write for codes and numbers: "STEM PhD" is the profile stem-phd, an address says page=2."""

import re
from collections.abc import Mapping
from unicodedata import normalize


def code_named(text: str, names: Mapping[str, str]) -> str | None:
    """The code that a text is, or of the one thing with this name; neither capitals nor spaces, hyphens and
    underscores count, so that a code as pages tidy it is known as well. None: of none.
    """
    if text in names:
        return text
    called = {code for code, name in names.items() if _bare(text) in (_bare(code), _bare(name))}
    return called.pop() if len(called) == 1 else None


def _bare(text: str) -> str:
    return " ".join(re.split(r"[\s_-]+", normalize("NFKC", text))).strip().casefold()


def number_asked(text: str, *, most: int = 10**9) -> int | None:
    """The whole number from 0 to `most`; None for anything else. A text of any length costs nothing."""
    if not (text.isascii() and text.isdigit() and len(text) <= len(str(most))):
        return None
    number = int(text)
    return number if number <= most else None
