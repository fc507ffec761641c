"""Inspect AI logs as Inspect writes them today: zips whose members are compressed by Zstandard."""

import json
import struct
import zipfile
import zlib
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest

from formats.files import FileRefused
from scoring.readers.model_results.inspect_log import DEFAULT_LOG_LIMITS, read_inspect_log

HEAD = {"eval": {"model": "m"}}
# Where method, check sum and size stand in the two places in which a zip describes a member.
LOCAL, CENTRAL = (8, 14, 22), (10, 16, 24)


def zstandard_zip(path: Path, members: dict[str, bytes]) -> Path:
    """A zip of Zstandard frames; Python's zipfile stores them, and what it says of them is corrected."""
    packed = {name: pa.compress(content, codec="zstd", asbytes=True) for name, content in members.items()}
    with zipfile.ZipFile(path, "w") as archive:
        for name, frames in packed.items():
            archive.writestr(name, frames)
        places = [(one.filename, one.header_offset) for one in archive.infolist()]
        central = archive.start_dir
    raw = bytearray(path.read_bytes())
    for name, start in places:
        describe(raw, start, LOCAL, members[name])
        central = raw.index(b"PK\x01\x02", central)
        describe(raw, central, CENTRAL, members[name])
        central += 4
    path.write_bytes(raw)
    return path


def describe(raw: bytearray, start: int, fields: tuple[int, int, int], content: bytes) -> None:
    method, check_sum, size = (start + field for field in fields)
    struct.pack_into("<H", raw, method, 93)
    struct.pack_into("<I", raw, check_sum, zlib.crc32(content))
    struct.pack_into("<I", raw, size, len(content))


def sample(score: object, note: str = "") -> bytes:
    facts = {"id": "q1", "epoch": 1, "scores": {"match": {"value": score}}, "note": note}
    return json.dumps({**facts, "output": {"completion": "Four."}}).encode()


def log(tmp_path: Path, one: bytes) -> Path:
    members = {"header.json": json.dumps(HEAD).encode(), "samples/q1_epoch_1.json": one}
    return zstandard_zip(tmp_path / "log.eval", members)


def test_a_log_compressed_by_zstandard_is_read(tmp_path: Path) -> None:
    path = log(tmp_path, sample(0.25, note="x" * 300_000))
    assert path.stat().st_size < 3_000
    [response] = read_inspect_log(path).responses
    assert (response.model, response.prompt_id, response.score) == ("m", "q1", 0.25)


def test_it_unpacks_within_the_limits(tmp_path: Path) -> None:
    path = log(tmp_path, sample(1, note="x" * 300_000))
    with pytest.raises(FileRefused, match=r"q1_epoch_1\.json: unpacks to more than the 200000 bytes left"):
        read_inspect_log(path, limits=replace(DEFAULT_LOG_LIMITS, member_bytes=200_000))


def test_damaged_frames_are_refused_by_their_name(tmp_path: Path) -> None:
    path = log(tmp_path, sample(1, note="abc"))
    whole = path.read_bytes()
    middle = whole.index(b"q1_epoch_1.json") + 60
    path.write_bytes(whole[:middle] + bytes([whole[middle] ^ 1]) + whole[middle + 1 :])
    with pytest.raises(FileRefused, match=r"q1_epoch_1\.json: is damaged"):
        read_inspect_log(path)
    path.write_bytes(whole.replace(b"\x28\xb5\x2f\xfd", b"\x00\x00\x00\x00"))
    with pytest.raises(FileRefused, match=r"header\.json: is damaged"):
        read_inspect_log(path)
