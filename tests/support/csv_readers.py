"""The programs that read what leaves, with the options that the data dictionary states."""

import csv
import re
from pathlib import Path
from typing import Any

import pytest

from scoring.export.dictionary import INTRODUCTION

# What breaks records, is taken for a formula, a number or nothing, or is trimmed.
WORST = (
    "so x \rightarrow y", "one\rtwo", "end\r", "\r start", "\n", "line\r\nbreak", "a\u2028b", "\u2029",
    "x\x85y", "\x0b\x0c\x1c\x1d\x1e\x1f", 'say "hi", ok', '"', '""', ",", ";", "a\tb", " lead", "trail ",
    "=1+1", "+1", "-1", "@x", "\t=1", "＝1", "'quoted", "''", "a;=1+1", "a; \"+1;'=2", "a\n=1", ";=1;@2",
    "a;'=1", "NA", "null", "NaN", "true", "1,5", "007", "1e5", "2020-01-01", "#comment", "\\N", "\\", '\\"',
    "\ufeffmark", "\U0001f600", "x" * 200_000,
)  # fmt: skip
READERS = {
    match[1]: match[0].removeprefix("```python\n").removesuffix("```")
    for match in re.finditer(r"```python\nimport (\w+).*?```", INTRODUCTION, re.DOTALL)
}


def read_back(reader: str, what: str, csv_path: Path, jsonl_path: Path = Path()) -> list[dict[str, Any]]:
    """The records of `rows` (CSV) or `objects` (JSONL), as the code of the dictionary reads them."""
    pytest.importorskip(reader)
    code = READERS[reader]
    if what == "rows":
        lines = code.split("\n")
        code = "\n".join(lines[: next(n for n, line in enumerate(lines) if "JSONL" in line)])
    known: dict[str, Any] = {"CSV": str(csv_path), "JSONL": str(jsonl_path)}
    bound = csv.field_size_limit()
    exec(code, known)  # noqa: S102  # the dictionary's own code
    csv.field_size_limit(bound)  # one for the process
    table = known[what]
    if isinstance(table, list):
        return table
    if reader == "pandas":
        return list(table.to_dict("records"))
    if reader == "polars":
        return list(table.to_dicts())
    if reader == "pyarrow":
        return list(table.to_pylist())
    return [dict(zip(table.columns, row, strict=True)) for row in table.fetchall()]
