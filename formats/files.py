"""Reading a bank's files within limits; trouble with a whole file is a Problem, not a traceback."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from formats.file_kinds import CHOOSE, JSON, JSONL, document_fault, kind_fault
from formats.problems import Problem
from formats.progress import Progress, unseen
from formats.sentences import TOO_MANY_DIGITS, json_name
from formats.text_faults import NUL

MEBIBYTE = 1024 * 1024
BYTE_ORDER_MARK = b"\xef\xbb\xbf"


@dataclass(frozen=True)
class Limits:
    """The largest files that are read, in bytes."""

    bank_bytes: int = 256 * MEBIBYTE
    attachment_bytes: int = 20 * MEBIBYTE


DEFAULT_LIMITS = Limits()
MAX_UNREADABLE_LINES = 1_000


class FileRefused(Exception):
    """A whole file, or one line of it, cannot be used; carries the problem."""

    def __init__(self, message: str, *, field: str = "", line: int | None = None, file: str = "") -> None:
        self.problem = Problem(line=line, prompt_id=None, field=field, message=message, file=file)
        super().__init__(str(self.problem))


class _RepeatedField(ValueError):
    """An object has a field twice; carries its name."""


@dataclass(frozen=True)
class JsonLine:
    """One line of a JSONL file: its object, or the problem that kept it from being read."""

    number: int
    value: dict[str, object] | None
    problem: Problem | None


def read_content(path: Path, *, max_bytes: int, file: str = "") -> bytes:
    """The whole file, called `file` in problems (default: the path as given).

    Raises FileRefused when it is missing, empty, unreadable or too large.
    """
    content = read_bytes(path, max_bytes=max_bytes, file=file)
    if not content.strip():
        raise FileRefused("is empty; is it the right file?", file=file or str(path))
    return content


def read_bytes(path: Path, *, max_bytes: int, file: str = "") -> bytes:
    """The same, empty or not."""
    name = file or str(path)
    try:
        if path.is_dir():
            raise FileRefused("is a folder, but a file is expected; name the file in it", file=name)
        size = path.stat().st_size
        content = path.read_bytes() if size <= max_bytes else b""
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise FileRefused(f"cannot be read ({reason}); check the path and its rights", file=name) from None
    if size > max_bytes:
        message = f"is {in_mebibytes(size)}, above the limit of {in_mebibytes(max_bytes)}; split it"
        raise FileRefused(message, file=name)
    return content


def json_lines(
    path: Path, *, max_bytes: int, file: str = "", progress: Progress = unseen
) -> Iterator[JsonLine]:
    """Every line that is not blank. Lines end with LF or CR LF only, so U+2028 in a text is no line end.

    A file with MAX_UNREADABLE_LINES lines of something else is read no further, and says so.
    """
    content = _content(path, max_bytes, file, JSONL)
    unreadable, known = 0, False
    lines = content.split(b"\n")
    for number, raw in enumerate(lines, start=1):
        progress(number - 1, len(lines))
        if not raw.strip():
            continue
        line = _json_line(raw.removeprefix(BYTE_ORDER_MARK) if number == 1 else raw, number, file)
        if not known and (fault := _document_fault(line, content)):
            raise FileRefused(fault, file=file or str(path))
        known = True
        yield line
        unreadable += line.problem is not None
        if unreadable == MAX_UNREADABLE_LINES:
            message = f"is the {unreadable:,}th line that is none; the rest of the file was not read"
            problem = Problem(line=number, prompt_id=None, field="JSON", message=message, file=file)
            yield JsonLine(number, None, problem)
            return


def json_file(path: Path, *, max_bytes: int, file: str, document: str = "") -> object:
    """The value of a JSON file, which must not be of another kind than `document`, where that is known.

    Raises FileRefused, with the line where it breaks.
    """
    content = _content(path, max_bytes, file, JSON)
    value = parsed_json(content.removeprefix(BYTE_ORDER_MARK), file=file)
    if document and (fault := document_fault(value, document)):
        raise FileRefused(fault, file=file)
    return value


def parsed_json(raw: bytes, *, file: str, line: int | None = None) -> object:
    """The value of UTF-8 JSON, called `file` in problems; `line` is its place if it is one of many lines.

    Raises FileRefused, also for a field that appears twice in one object.
    """
    text = _decoded(raw, file=file, line=line)
    try:
        return json.loads(text, object_pairs_hook=_object)
    except json.JSONDecodeError as error:
        message = f"breaks off at column {error.colno} ({error.msg}); correct the JSON"
        line = line or error.lineno
    except RecursionError:
        message = "is nested too deeply; flatten it"
    except _RepeatedField as error:
        message = f'cannot be used: the field "{error}" appears twice in one object; keep one'
    except ValueError:  # Python converts no whole number of more than 4,300 digits
        message = TOO_MANY_DIGITS
    raise FileRefused(message, field="JSON", line=line, file=file)


def in_mebibytes(size: int) -> str:
    """A file size for a sentence."""
    return f"{size / MEBIBYTE:.1f} MiB" if size >= MEBIBYTE else f"{size} bytes"


def _content(path: Path, max_bytes: int, file: str, wanted: str) -> bytes:
    content = read_content(path, max_bytes=max_bytes, file=file)
    if fault := kind_fault(content, wanted):
        raise FileRefused(fault, file=file or str(path))
    return content


def _document_fault(first: JsonLine, content: bytes) -> str | None:
    """What keeps a file with this first line from being JSONL: it is one whole document, over some lines."""
    value: object = first.value
    whole = content.strip()
    if value is None and b"\n" in whole:
        try:
            value = json.loads(content)
        except (ValueError, RecursionError):
            return None
        if fault := document_fault(value, JSONL):
            return fault
        return f"is one JSON document, but {JSONL} is expected: an object a line; {CHOOSE}"
    return document_fault(value, JSONL)


def _json_line(raw: bytes, number: int, file: str) -> JsonLine:
    try:
        value = parsed_json(raw, file=file, line=number)
        if not isinstance(value, dict):
            message = f"is {json_name(value)}, but an object in braces is expected"
            raise FileRefused(message, field="JSON", line=number, file=file)
    except FileRefused as error:
        return JsonLine(number, None, error.problem)
    return JsonLine(number, value, None)


def _decoded(raw: bytes, *, file: str, line: int | None) -> str:
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        if fault := kind_fault(raw, JSON):
            raise FileRefused(fault, field="encoding", line=line, file=file) from None
        at_line = line or raw.count(b"\n", 0, error.start) + 1
        column = error.start - raw.rfind(b"\n", 0, error.start)
        message = (
            f"has the byte 0x{raw[error.start]:02x} at position {column}, which is not UTF-8; save as UTF-8"
        )
        raise FileRefused(message, field="encoding", line=at_line, file=file) from None
    if "\0" in text:
        at_line = line or raw.count(b"\n", 0, raw.index(b"\0")) + 1
        raise FileRefused(NUL, field="encoding", line=at_line, file=file)
    return text


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """A JSON object; a key that appears twice would silently lose its first value."""
    value = dict(pairs)
    if len(value) < len(pairs):
        names = [name for name, _ in pairs]
        repeated = next(name for name in names if names.count(name) > 1)
        raise _RepeatedField(repeated)
    return value
