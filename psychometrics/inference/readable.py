"""What a notebook or a terminal shows: short text, and tables for pandas or polars, whichever is installed.

This library needs neither of the two.
"""

import math
from collections.abc import Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Literal

MAX_ROWS = 40  # a notebook shows the rest with to_frame()


def number_text(value: float) -> str:
    """Four significant digits, whole numbers in full; "none" for NaN."""
    if math.isnan(value):
        return "none"
    return f"{value:,.0f}" if abs(value) >= 1e4 else f"{value:.4g}"


def interval_text(low: float, high: float) -> str:
    """A 95 % interval, or nothing where there is none."""
    return "" if math.isnan(low) else f"[{number_text(low)}, {number_text(high)}]"


def table_text(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Aligned columns; columns without any text and rows beyond MAX_ROWS are left out, and said."""
    kept = [place for place in range(len(header)) if any(row[place] for row in rows)]
    shown = [[row[place] for place in kept] for row in [header, *rows[:MAX_ROWS]]]
    widths = [max(map(len, column)) for column in zip(*shown, strict=True)]
    lines = ["  ".join(map(str.ljust, row, widths)).rstrip() for row in shown]
    if len(rows) > MAX_ROWS:
        lines.append(f"... and {len(rows) - MAX_ROWS} rows more; to_frame() has all of them")
    return "\n".join(lines)


Library = Literal["pandas", "polars"]
LIBRARIES: tuple[Library, ...] = ("pandas", "polars")


def frame_of(columns: Mapping[str, Sequence[object]], library: Library | None = None) -> Any:
    """A DataFrame of columns of equal length: of `library`, or of pandas, or else of polars.

    Raises ImportError where it is not installed.
    """
    name = library or next((name for name in LIBRARIES if find_spec(name)), None)
    if name is None or find_spec(name) is None:
        wanted = name or "pandas or polars"
        raise ImportError(
            f"to_frame() needs {wanted}; install it, for example with: pip install {name or 'pandas'}"
        )
    return import_module(name).DataFrame({label: list(values) for label, values in columns.items()})
