"""Pages and figures set with typst, in a process of their own.

What sets them is large and compiled: neither a server nor a worker loads it, and a page that would never end
is stopped. The process asks for nothing and knows the fonts of installed packages only, so that equal data
give equal bytes on every machine. Texts come as data and never as markup: nothing in them is an instruction.
"""

import json
import subprocess
import sys
from collections.abc import Mapping
from datetime import datetime
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal

PROGRAM = Path(__file__).with_name("typesetting_program.py")
TEMPLATES = Path(__file__).resolve().parent.parent / "templates" / "print"
# Packages of fonts: for our own texts, and for names in Arabic, Hebrew, Chinese, Japanese and Korean.
FONTS = ("fontpkg_inter", "fontpkg_noto_sans_arabic", "fontpkg_heebo", "manimgx_fonts_cjk")
LONGEST_SECONDS = 120


class NotSet(Exception):
    """The page could not be set; `str()` says what was wrong with the template or its data."""


def typeset(
    template: str,
    data: Mapping[str, Any],
    extension: Literal["pdf", "png"],
    *,
    dated: datetime | None = None,
    dots_per_inch: int = 200,
) -> bytes:
    """The file of a template of `TEMPLATES` with these data; it carries no other date than `dated`.

    Raises NotSet.
    """
    order = {
        "root": str(TEMPLATES), "fonts": [place for name in FONTS for place in folders_of(name)],
        "template": template, "data": json.dumps(data, ensure_ascii=False), "format": extension,
        "dated": int(dated.timestamp()) if dated else None, "dots_per_inch": dots_per_inch,
    }  # fmt: skip
    try:
        done = subprocess.run(  # noqa: S603 - the file beside this one, and nothing of the order is in the command
            [sys.executable, "-I", PROGRAM],
            input=json.dumps(order).encode(),
            capture_output=True,
            timeout=LONGEST_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise NotSet(f"{template} was not set within {LONGEST_SECONDS} s") from error
    if done.returncode:
        raise NotSet(f"{template}: {done.stderr.decode(errors='replace').strip()[-2000:]}")
    return done.stdout


def folders_of(package: str) -> list[str]:
    spec = find_spec(package)
    return list(spec.submodule_search_locations or ()) if spec else []
