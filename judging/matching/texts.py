"""One spelling for texts that a reader takes as the same."""

import unicodedata

SURROUNDING = " .,:;!?()[]{}*_`'\"\u2018\u2019\u201a\u201c\u201d\u201e\u00ab\u00bb\u2039\u203a"
UNIFIED = str.maketrans(
    {"\u2044": "/", "\u2212": "-", "\u2018": "'", "\u2019": "'", "\u201c": '"', "\u201d": '"'}
)


def unified(text: str) -> str:
    """NFKC with one kind of minus, quote and white space.

    Raised and lowered digits get a mark first, because NFKC alone would turn ten squared into 102.
    """
    marked = "".join(f"{_mark(character)}{character}" for character in text)
    return " ".join(unicodedata.normalize("NFKC", marked).translate(UNIFIED).split())


def bare(text: str) -> str:
    """`unified`, without case and without surrounding punctuation; text of punctuation alone stays."""
    folded = unified(text).casefold()
    return folded.strip(SURROUNDING) or folded


def _mark(character: str) -> str:
    kind = unicodedata.decomposition(character).partition(" ")[0]
    return {"<super>": "^", "<sub>": "_"}.get(kind, "") if character.isdigit() else ""
