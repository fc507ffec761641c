"""Set a page with typst: a program, run by `presentation.typesetting` in a process of its own.

It reads one order as JSON (root, template, data, fonts, format, dots_per_inch, dated) and writes the file.
"""

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import typst


def _file_of(order: Mapping[str, Any]) -> bytes:
    fonts = typst.Fonts(include_system_fonts=False, font_paths=order["fonts"])
    compiler = typst.Compiler(
        str(Path(order["root"]) / order["template"]),
        root=order["root"],
        font_paths=fonts,
        ignore_system_fonts=True,
        sys_inputs={"data": order["data"]},
    )
    made = compiler.compile(format=order["format"], ppi=order["dots_per_inch"], timestamp=order["dated"])
    return made if isinstance(made, bytes) else b"".join(made or ())


if __name__ == "__main__":
    sys.stdout.buffer.write(_file_of(json.load(sys.stdin)))
