"""Letters that no font of a set page has: they are named, where they would else be empty boxes."""

import unicodedata
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from fontTools.ttLib import TTFont

from presentation.typesetting import FONTS, folders_of


def with_undrawn_named(data: Any) -> Any:
    """The same data, in whose texts letters that no font here has are named: "[Thai]", "[grinning face]"."""
    if isinstance(data, str):
        return data if data.isascii() else _named(data)
    if isinstance(data, Mapping):
        return {key: with_undrawn_named(value) for key, value in data.items()}
    return type(data)(map(with_undrawn_named, data)) if isinstance(data, list | tuple) else data


def _named(text: str) -> str:
    """A script is named once for all the letters of it that follow each other."""
    pieces: list[str] = []
    for letter in text:
        if _is_drawn(letter):
            pieces.append(letter)
        elif (name := _name(letter)) and (not pieces or pieces[-1] != name):
            pieces.append(name)
    return "".join(pieces)


def _name(letter: str) -> str:
    """The script of a letter, the whole name of a sign; nothing of a mark on what stands before it."""
    name = unicodedata.name(letter, f"U+{ord(letter):04X}")
    if name.startswith("VARIATION SELECTOR"):
        return ""
    return f"[{name.lower() if unicodedata.category(letter) == 'So' else name.split(' ')[0].capitalize()}]"


@cache
def _is_drawn(letter: str) -> bool:
    """Whether a font has it, or it is no letter but tells how others are set."""
    return unicodedata.category(letter) in {"Cc", "Cf", "Zl", "Zp", "Zs"} or any(
        ord(letter) in letters for letters in _letters()
    )


def _letters() -> Iterator[frozenset[int]]:
    """What each font has, in the order in which they are asked."""
    for package in FONTS:
        yield _letters_of(package)


@cache
def _letters_of(package: str) -> frozenset[int]:
    files = [path for place in folders_of(package) for path in sorted(Path(place).rglob("*.[ot]t[fc]"))]
    fonts = [TTFont(path, fontNumber=0) for path in files]
    return frozenset(letter for font in fonts for letter in font.getBestCmap())
