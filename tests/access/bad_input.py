"""What somebody may send who errs, is unlucky or means harm."""

import io
from collections.abc import Mapping

# One each of: NUL, a formula written from right to left, more digits than a number may have, no number, a
# sign that is a digit and no number, a number beyond the database's, the last day there is, places of
# formatting, a number below all.
TEXTS = (
    "a\0b", "\u202e=cmd|' /C calc'!A0\u2066 \u0627\u0644\u0639", "9" * 5000, "1e309", "²",
    "99999999999999999999", "9999-12-31T23:59", "%s %(x)s {x} <b>&amp;\"'", "-1",
)  # fmt: skip
# Of these, what is most likely to go wrong behind a form that takes the rest of what was sent.
ALONE = ("a\0b", "99999999999999999999", "9999-12-31T23:59")
PARAMETERS = (*TEXTS, "0", "nan", "__class__", "9999-12-31", "0001-01-01", "x" * 10_000, "csv")
ROW = b'{"id": "a", "text": "What is 1 + 1?", "gold_answer": "2"}\n'
CODES = "code,state\nP-1,paid\n"
FILES: Mapping[str, bytes] = {
    "picture.csv": b"\x89PNG\r\n\x1a\n\0\0",
    "picture.json": b"\x89PNG\r\n\x1a\n\0\0",
    "picture.zip": b"\x89PNG\r\n\x1a\n\0\0",
    "utf-16.csv": b"\xff\xfe" + CODES.encode("utf-16-le"),
    "utf-16.jsonl": ROW.decode().encode("utf-16"),
    "mark-alone.csv": b"\xef\xbb\xbf",
    "mark-alone.jsonl": b"\xef\xbb\xbf",
    "half-a-row.jsonl": ROW + ROW[:-12],
    "half-a-row.csv": (CODES + 'P-2,"pa').encode(),
    "half-a-letter.jsonl": '{"id": "é'.encode()[:-1],
    "half-a-letter.csv": "code,état".encode()[:-3],
    "half.json": b'{"models": [{"name": "a"',
    "deep.json": b'{"a":' * 50_000,
    "deep.jsonl": b"[" * 100_000,
    "no-number.json": b'{"a": NaN, "a": 1e999}',
    "long-number.json": b"9" * 5000,
    "nothing.json": b"null",
    "another-kind.json": b'{"items": [], "models": 1, "tasks": {}}',
    "another-kind.csv": b"a,a\r\n=1+1,2\r\n",
    "same-head-twice.csv": b"code,state,code\nP-1,paid,P-2\n",
    "half-characters.jsonl": b'{"id": "\\ud800", "text": "\\u0000", "gold_answer": ""}\n',
    "nul.csv": b"code,state\n\0,\0\n",
    "nul.txt": b"\0" * 100,
    "one-long-line.csv": b"code,state" + b"x" * 2_000_000,
    "no-table.parquet": b"PAR1" + b"\0" * 20 + b"PAR1",
    "half.zip": b"PK\x03\x04" + b"\0" * 50,
    "half.eval": b"PK\x03\x04" + b"\0" * 50,
    "half.py": b"def scorer(:\n",
    "\u202efdp.exe": b"MZ",
}


def upload(name: str, content: bytes) -> io.BytesIO:
    file = io.BytesIO(content)
    file.name = name
    return file
