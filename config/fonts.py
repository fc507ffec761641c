"""The interface's font: Inter from the package `fontpkg-inter`, with the signs and weights that pages need.

Made once for each version of the package, into the data folder; `collectstatic` takes it from there as
`fonts/inter.woff2`. A sign that is not in it (Chinese, emoji) is shown in a font of the reader's device.
"""

import hashlib
import os
from collections.abc import Iterator
from importlib.metadata import version
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.staticfiles.finders import BaseFinder
from django.core.files.storage import FileSystemStorage

NAME = "fonts/inter.woff2"
SOURCE = ("files", "Inter[opsz,wght].ttf")
# One optical size, and the weights the stylesheets use.
AXES = {"opsz": 14, "wght": (400, 700)}
# Kerning, accents and what chiron.css asks for by name.
FEATURES = ("kern", "ccmp", "locl", "mark", "mkmk", "calt", "tnum", "cv11", "ss03")
RANGES = (
    (0x20, 0x7E),
    (0xA0, 0x17F),  # Latin-1, Latin Extended-A
    (0x2010, 0x2027),
    (0x2190, 0x2199),
)
SIGNS = "θκσμΔ‰′″‹›⁄€™−×√∞∑∆≈≠≤≥●○▲▶▼✓✎"


class InterFinder(BaseFinder):
    """Offers the font to Django's static files."""

    def find(self, path: str, find_all: bool = False, **_kwargs: Any) -> Any:
        """Where the file of this name is, or nothing."""
        if path != NAME:
            return [] if find_all else None
        made = str(inter_made() / NAME)
        return [made] if find_all else made

    def list(self, ignore_patterns: Any) -> Iterator[tuple[str, FileSystemStorage]]:
        """The one file."""
        yield NAME, FileSystemStorage(location=inter_made())


def inter_made() -> Path:
    """The folder that holds the font under its name; made where it is missing."""
    folder = Path(settings.DATA_DIR) / "fonts" / _key()
    target = folder / NAME
    if not target.is_file():
        target.parent.mkdir(parents=True, exist_ok=True)
        # Two processes may make it at once: each writes a file of its own, and the last one stays.
        own = target.with_suffix(f".{os.getpid()}")
        _write_subset(own)
        own.replace(target)
    return folder


def _key() -> str:
    made_of = repr((version("fontpkg-inter"), version("fonttools"), AXES, FEATURES, RANGES, SIGNS))
    return hashlib.sha256(made_of.encode()).hexdigest()[:16]


def _write_subset(target: Path) -> None:
    # Here and not above: Django's checks load every finder at the start of every command.
    from fontTools.subset import Options, Subsetter
    from fontTools.ttLib import TTFont
    from fontTools.varLib.instancer import instantiateVariableFont

    options = Options()
    options.layout_features = list(FEATURES)
    options.hinting = False
    options.notdef_outline = True
    options.name_IDs = [0, 1, 2, 3, 4, 6, 13, 14]  # with the copyright and the licence
    wanted = {code for first, last in RANGES for code in range(first, last + 1)}
    subsetter = Subsetter(options)
    subsetter.populate(unicodes=wanted | set(map(ord, SIGNS)))
    with as_file(files("fontpkg_inter").joinpath(*SOURCE)) as source, TTFont(source) as font:
        subsetter.subset(font)
        smaller = instantiateVariableFont(font, AXES)
        smaller.flavor = "woff2"
        smaller.save(target)
