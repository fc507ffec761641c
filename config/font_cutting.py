"""Cut a font to the signs that pages need: a program, run by `config.fonts` in a process of its own.

It reads one order as JSON: source, target, features, codes and axes as of `config.fonts.Cut`.
"""

import json
import sys
from collections.abc import Mapping
from typing import Any

from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTFont
from fontTools.varLib.instancer import instantiateVariableFont


def font_cut(order: Mapping[str, Any]) -> None:
    """Write the font of an order."""
    options = Options()
    options.layout_features = list(order["features"])
    options.hinting = False
    options.notdef_outline = True
    options.name_IDs = [0, 1, 2, 3, 4, 6, 13, 14]  # with the copyright and the licence
    subsetter = Subsetter(options)
    subsetter.populate(unicodes=order["codes"])
    axes = {name: tuple(value) if isinstance(value, list) else value for name, value in order["axes"].items()}
    with TTFont(order["source"]) as font:
        subsetter.subset(font)
        smaller = instantiateVariableFont(font, axes) if axes else font
        smaller.flavor = "woff2"
        smaller.save(order["target"])


if __name__ == "__main__":
    font_cut(json.load(sys.stdin))
