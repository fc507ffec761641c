"""The pages' fonts, cut to the signs that pages need: Inter for texts, STIX Two Math for formulas.

Made once for each version of their packages, into the data folder; `collectstatic` takes them from there. A
sign that is in neither (Chinese, emoji) is shown in a font of the reader's device.
"""

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from importlib.metadata import version
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.staticfiles.finders import BaseFinder
from django.core.files.storage import FileSystemStorage

PROGRAM = Path(__file__).with_name("font_cutting.py")
Ranges = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Cut:
    """What of a package's font pages need: `axes` are fixed to a value or limited to a span."""

    package: str
    source: tuple[str, ...]
    features: tuple[str, ...]
    ranges: Ranges
    signs: str = ""
    axes: Mapping[str, float | tuple[float, float]] = field(default_factory=dict)


FONTS: Mapping[str, Cut] = {
    "fonts/inter.woff2": Cut(
        package="fontpkg-inter",
        source=("fontpkg_inter", "files", "Inter[opsz,wght].ttf"),
        # Kerning, accents and what chiron.css asks for by name.
        features=("kern", "ccmp", "locl", "mark", "mkmk", "calt", "tnum", "cv11", "ss03"),
        ranges=(
            (0x20, 0x7E),
            (0xA0, 0x17F),  # Latin-1, Latin Extended-A
            (0x2010, 0x2027),
            (0x2190, 0x2199),
        ),
        signs="θκσμΔ‰′″‹›⁄€™−×√∞∑∆≈≠≤≥●○▲▶▼✓✎",
        # One optical size, and the weights the stylesheets use.
        axes={"opsz": 14, "wght": (400, 700)},
    ),
    # With its MATH table: brackets, roots and integrals that stretch.
    "fonts/math.woff2": Cut(
        package="ziamath",
        source=("ziamath", "fonts", "STIXTwoMath-Regular.ttf"),
        features=("ccmp", "mark", "mkmk", "ssty", "dtls", "flac", "rtlm"),
        ranges=(
            (0x20, 0x7E),
            (0xA0, 0x17F),
            (0x2B0, 0x36F),  # accents
            (0x370, 0x3FF),  # Greek
            (0x2010, 0x205F),
            (0x2070, 0x209C),
            (0x20D0, 0x20F0),
            (0x2100, 0x214F),
            (0x2190, 0x22FF),  # arrows, operators
            (0x2300, 0x23E0),  # brackets and their parts
            (0x25A0, 0x25FF),
            (0x2660, 0x266F),
            (0x27C0, 0x27FF),
            (0x2900, 0x2AFF),
            (0x1D400, 0x1D7FF),  # letters of formulas
        ),
    ),
}


class FontFinder(BaseFinder):
    """Offers the fonts to Django's static files."""

    def find(self, path: str, find_all: bool = False, **_kwargs: Any) -> Any:
        """Where the file of this name is, or nothing."""
        if path not in FONTS:
            return [] if find_all else None
        made = str(font_made(path) / path)
        return [made] if find_all else made

    def list(self, ignore_patterns: Any) -> Iterator[tuple[str, FileSystemStorage]]:
        """The files."""
        for name in FONTS:
            yield name, FileSystemStorage(location=font_made(name))


def font_made(name: str) -> Path:
    """The folder that holds the font under its name; made where it is missing."""
    cut = FONTS[name]
    made_of = repr((version(cut.package), version("fonttools"), cut))
    folder = Path(settings.DATA_DIR) / "fonts" / hashlib.sha256(made_of.encode()).hexdigest()[:16]
    target = folder / name
    if not target.is_file():
        target.parent.mkdir(parents=True, exist_ok=True)
        # Two processes may make it at once: each writes a file of its own, and the last one stays.
        own = target.with_suffix(f".{os.getpid()}")
        package, *inside = cut.source
        codes = {code for first, last in cut.ranges for code in range(first, last + 1)}
        codes |= set(map(ord, cut.signs))
        with as_file(files(package).joinpath(*inside)) as source:
            order = {
                "source": str(source), "target": str(own), "features": cut.features, "codes": sorted(codes),
                "axes": dict(cut.axes),
            }  # fmt: skip
            # In a process of its own: Django's checks load every finder, and what cuts fonts is large.
            subprocess.run(  # noqa: S603 - the file beside this one, and nothing of the order is in the command
                [sys.executable, "-I", PROGRAM], input=json.dumps(order).encode(), check=True
            )
        own.replace(target)
    return folder
