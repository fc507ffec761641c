"""Letters that no font of a set page has: they are named, where they would else be empty boxes."""

import unicodedata
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from fontTools.ttLib import TTFont

from presentation.typesetting import FONTS, folders_of


def with_undrawn_named(data: Any) -> Any:
    """The same data, in whose texts letters that no font here has are named: "[Thai]", "[grinning face]"."""
    if isinstance(data, Mapping):
        return {key: with_undrawn_named(value) for key, value in data.items()}
    if isinstance(data, list | tuple):
        return type(data)(map(with_undrawn_named, data))
    if not isinstance(data, str) or data.isascii():
        return data
    pieces: list[str] = []
    for letter in data:
        if _is_drawn(letter):
            pieces.append(letter)
            continue
        name = unicodedata.name(letter, f"U+{ord(letter):04X}")
        if name.startswith("VARIATION SELECTOR"):
            continue  # a mark on what stands before it
        # A sign has its whole name; a script is named once for all the letters of it that follow each other.
        is_sign = unicodedata.category(letter) == "So"
        named = f"[{name.lower() if is_sign else name.split(' ')[0].capitalize()}]"
        if not pieces or pieces[-1] != named:
            pieces.append(named)
    return "".join(pieces)


@cache
def _is_drawn(letter: str) -> bool:
    """Whether a font has it, or it is no letter but tells how others are set."""
    return unicodedata.category(letter) in {"Cc", "Cf", "Zl", "Zp", "Zs"} or any(
        ord(letter) in _letters_of(package) for package in FONTS
    )


@cache
def _letters_of(package: str) -> frozenset[int]:
    files = [path for place in folders_of(package) for path in sorted(Path(place).rglob("*.[ot]t[fc]"))]
    fonts = [TTFont(path, fontNumber=0) for path in files]
    return frozenset(letter for font in fonts for letter in font.getBestCmap())
