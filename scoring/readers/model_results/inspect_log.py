"""An Inspect AI log, `.json` or `.eval`, read without Inspect.

A `.json` log is one object with `eval` and `samples`. An `.eval` log is a zip with `header.json` (of a run
that did not end, `_journal/start.json`) and one file `samples/<id>_epoch_<n>.json` per response.
A zip is read one member at a time and within limits that do not rely on what the archive says of itself.
"""

import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from formats.files import MEBIBYTE, FileRefused, in_mebibytes, json_file, parsed_json
from formats.problems import Problem
from formats.progress import Progress, unseen
from formats.sentences import error_sentence, field_path
from formats.text_faults import MAX_ID_CHARACTERS, storage_fault
from scoring.readers.model_results import records, zstandard_member
from scoring.readers.model_results.inspect_samples import (
    LogHeader,
    Sample,
    ScoreRefused,
    judge_named,
    sample_score,
)

HEADERS = ("header.json", "_journal/start.json", "start.json")
READABLE = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zstandard_member.METHOD)
UNREADABLE = (zipfile.BadZipFile, NotImplementedError, UnicodeDecodeError)  # all three of damaged bytes
CONVERT = "write it again with: inspect log convert --to json"
SHOWN_CHARACTERS = 120


@dataclass(frozen=True)
class LogLimits:
    """The largest logs that are read, in bytes; `unpacked_bytes` bounds all members of a zip together."""

    json_bytes: int = 512 * MEBIBYTE
    eval_bytes: int = 2048 * MEBIBYTE
    member_bytes: int = 64 * MEBIBYTE
    unpacked_bytes: int = 8192 * MEBIBYTE
    members: int = 500_000


DEFAULT_LOG_LIMITS = LogLimits()
Part = tuple[str, object]  # what it is called, and the JSON value


def read_inspect_log(
    path: Path,
    *,
    model: str = "",
    scorer: str = "",
    limits: LogLimits = DEFAULT_LOG_LIMITS,
    progress: Progress = unseen,
) -> records.ModelResults:
    """The responses of a log; `model` names the configuration (default: as the log does).

    Raises ModelResultsRefused with every problem, and FileRefused for a file that is no log.
    """
    found = records.Collector()
    is_zip = path.suffix.lower() == ".eval"
    parts = _zip_parts(path, limits, found, progress) if is_zip else _json_parts(path, limits, progress)
    if fault := model and _name_fault(model, records.MAX_NAME_CHARACTERS, printed=True):
        raise FileRefused(fault, field="--model", file=path.name)
    name, head = next(parts)
    model = model or _configuration(name, head)
    judge = judge_named(head, scorer)
    if judge and _name_fault(judge, records.MAX_JUDGE_CHARACTERS, printed=True):
        judge = ""
    for name, value in parts:
        _add_sample(found, name, value, model, scorer, judge)
    return found.results()


def _json_parts(path: Path, limits: LogLimits, progress: Progress) -> Iterator[Part]:
    log = json_file(path, max_bytes=limits.json_bytes, file=path.name)
    yield path.name, log
    samples = log.get("samples") if isinstance(log, dict) else None
    if not isinstance(samples, list):
        raise FileRefused("holds no samples; write the log with its samples", file=path.name)
    for number, value in enumerate(samples, start=1):
        progress(number - 1, len(samples))
        yield f"sample {number}", value


def _zip_parts(path: Path, limits: LogLimits, found: records.Collector, progress: Progress) -> Iterator[Part]:
    try:
        size = path.stat().st_size
        if size > limits.eval_bytes:
            message = f"is {in_mebibytes(size)}, above the limit of {in_mebibytes(limits.eval_bytes)}"
            raise FileRefused(message, file=path.name)
        with zipfile.ZipFile(path) as archive:
            yield from _members(archive, path.name, limits, found, progress)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise FileRefused(f"cannot be read ({reason}); check the path", file=path.name) from None
    except UNREADABLE as error:
        raise FileRefused(f"is no intact zip ({error}); copy it again", file=path.name) from None


def _members(
    archive: zipfile.ZipFile, file: str, limits: LogLimits, found: records.Collector, progress: Progress
) -> Iterator[Part]:
    members = archive.infolist()
    if len(members) > limits.members:
        raise FileRefused(f"holds {len(members)} files, above the limit of {limits.members}", file=file)
    header = next((one for name in HEADERS for one in members if one.filename == name), None)
    if header is None:
        raise FileRefused(f"holds no header.json; is it an Inspect log? If so, {CONVERT}", file=file)
    content = _content(archive, header, limits.member_bytes)
    yield header.filename, parsed_json(content, file=header.filename)
    left = limits.unpacked_bytes - len(content)
    for position, member in enumerate(members):
        progress(position, len(members))
        if member.filename.startswith("samples/") and member.filename.endswith(".json"):
            content = _content(archive, member, min(limits.member_bytes, left))
            left -= len(content)
            name = _shown(member.filename)
            try:
                value = parsed_json(content, file=name)
            except FileRefused as refusal:
                found.add_problem(refusal.problem)
            else:
                yield name, value


def _content(archive: zipfile.ZipFile, member: zipfile.ZipInfo, most: int) -> bytes:
    """What a member unpacks to; never more than `most` bytes and one are unpacked."""
    name = _shown(member.filename)
    if member.flag_bits & 1:
        raise FileRefused("is encrypted; write the log without a password", file=name)
    if member.compress_type not in READABLE:
        message = f"is compressed by a method that is not read here ({member.compress_type}); {CONVERT}"
        raise FileRefused(message, file=name)
    try:
        if member.compress_type == zstandard_member.METHOD:
            content = zstandard_member.unpacked(archive, member, most + 1)
        else:
            with archive.open(member) as stream:
                content = stream.read(most + 1)
    except (*UNREADABLE, zlib.error, EOFError) as error:
        raise FileRefused(f"is damaged ({error}); copy the log again", file=name) from None
    if len(content) > most:
        raise FileRefused(f"unpacks to more than the {in_mebibytes(most)} left for it", file=name)
    return content


def _configuration(name: str, head: object) -> str:
    try:
        configuration = LogHeader.model_validate(head).eval.configuration
    except ValidationError as error:
        detail = error.errors(include_url=False)[0]
        raise FileRefused(error_sentence(detail), field=field_path(detail["loc"]), file=name) from None
    fault = _name_fault(configuration, records.MAX_NAME_CHARACTERS, printed=True)
    if fault:
        raise FileRefused(f"{fault}; name the configuration with --model", field="eval.model", file=name)
    return configuration


def _add_sample(
    found: records.Collector, name: str, value: object, model: str, scorer: str, judge: str
) -> None:
    try:
        sample = Sample.model_validate(value)
        prompt_id = str(sample.id)
        if fault := _name_fault(prompt_id, MAX_ID_CHARACTERS):
            raise ScoreRefused(f"its id {fault}")
        score, why = sample_score(sample, scorer)
    except ValidationError as error:
        found.add_errors(error, file=name)
    except ScoreRefused as refusal:
        found.add_problem(Problem(None, None, "", str(refusal), name))
    else:
        response = records.ModelResponse(model, prompt_id, sample.epoch, score, judge=judge)
        found.add_response(response, why_missing=why, file=name)


def _name_fault(name: str, most: int, *, printed: bool = False) -> str | None:
    if not name.strip() or name != name.strip():
        return "is blank, or begins or ends with white space"
    if printed and (fault := records.control_fault(name)):
        return fault
    return storage_fault(name) or (f"is longer than {most} characters" if len(name) > most else None)


def _shown(name: str) -> str:
    """A member's name for a sentence on a terminal."""
    return repr(name)[1:-1][:SHOWN_CHARACTERS]
