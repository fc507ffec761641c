"""Files that are large, or unpack to much, are read or refused in bounded memory."""

import io
import tracemalloc
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.parquet
import pytest

from tests.support.parsers import PARSERS

MIB = 1024**2
HEAVY = {
    "brackets": b"[" * 100_000,
    "objects": b'{"a":' * 33_000,
    "digits": b"9" * 100_000,
    "one line": b"a," * 50_000,
    "lines": b"\n" * 100_000,
    "quotes": b'"' * 100_001,
    "commas and lines": b",\n" * 50_000,
    "escapes": b'"' + b"\\u0041" * 17_000 + b'"',
    "entities": b"&amp;" * 20_000,
    "keys": b"{" + b",".join(b'"k%d":1' % n for n in range(10_000)) + b"}",
}


@pytest.mark.parametrize("name", PARSERS)
def test_a_heavy_file_takes_bounded_memory(name: str) -> None:
    parser = PARSERS[name]
    for kind, content in HEAVY.items():
        tracemalloc.start()
        parser(content)
        parser(parser.seed[: len(parser.seed) // 2] + content + parser.seed[len(parser.seed) // 2 :])
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert peak < 50 * MIB, kind


def repeated(name: str, value: object, rows: int, others: dict[str, Any]) -> bytes:
    """A small file of many rows that all refer to one value."""
    indices = pyarrow.array([0]).take(pyarrow.repeat(0, rows)).cast("int32")
    column = pyarrow.DictionaryArray.from_arrays(indices, pyarrow.array([value]))
    out = io.BytesIO()
    columns = {name: column, **{other: pyarrow.repeat(one, rows) for other, one in others.items()}}
    pyarrow.parquet.write_table(pyarrow.table(columns), out, compression="zstd")
    return out.getvalue()


GIM_OTHERS: dict[str, Any] = {"prompt_id": "g", "labels": "math", "answer_gtfa": "1"}
HEAVY_PARQUET: dict[str, tuple[str, str, object, int, dict[str, Any]]] = {
    "matrix of many rows": ("matrix parquet", "c", "m", 17_000_000, {}),
    "matrix of a long name": ("matrix parquet", "c", "m" * 257 * MIB, 1, {}),
    "matrix of one name often": ("matrix parquet", "c", "m" * MIB, 1_000, {"p1": 0.5}),
    "bank of many rows": ("bank gim parquet", "prompt", "x", 4_500_000, GIM_OTHERS),
    "bank of a long text": ("bank gim parquet", "prompt", "x" * 257 * MIB, 1, GIM_OTHERS),
    "bank of one text often": ("bank gim parquet", "prompt", "x" * MIB, 1_000, GIM_OTHERS),
}


@pytest.mark.parametrize("kind", HEAVY_PARQUET)
def test_a_small_parquet_that_unpacks_to_much_is_refused_in_bounded_memory(kind: str, tmp_path: Path) -> None:
    name, column, value, rows, others = HEAVY_PARQUET[kind]
    path = tmp_path / PARSERS[name].name
    path.write_bytes(repeated(column, value, rows, others))
    assert path.stat().st_size < MIB
    former = pyarrow.default_memory_pool()
    pool = pyarrow.proxy_memory_pool(former)  # counts its own most
    pyarrow.set_memory_pool(pool)
    try:
        reading = ""
        try:
            read = PARSERS[name].read(path)
            reading = str(getattr(read, "problems", ""))
        except PARSERS[name].refusals as refusal:
            reading = str(refusal)
    finally:
        pyarrow.set_memory_pool(former)
    assert "above the limit" in reading or "more than the limit" in reading
    assert pool.max_memory() < 900 * MIB
