"""Numbers, intervals and rows as the short text that a notebook or a terminal shows."""

import math
from collections.abc import Sequence

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
