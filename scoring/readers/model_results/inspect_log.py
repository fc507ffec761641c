"""An Inspect AI log, `.json` or `.eval`, read without Inspect.

A `.json` log is one object with `eval` and `samples`. An `.eval` log is a zip with `header.json` (of a run
that did not end, `_journal/start.json`) and one file `samples/<id>_epoch_<n>.json` per response.
A zip is read one member at a time and within limits that do not rely on what the archive says of itself.
"""

import math
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from pydantic import ValidationError

from formats.file_kinds import INSPECT_LOG
from formats.files import MEBIBYTE, FileRefused, in_mebibytes, json_file, parsed_json
from formats.problems import Problem
from formats.progress import Progress, unseen
from formats.sentences import error_sentence, field_path
from formats.text_faults import MAX_ID_CHARACTERS, storage_fault
from scoring.readers.model_results import records, zstandard_member
from scoring.readers.model_results.inspect_samples import (
    NO_OUTPUT,
    LogHeader,
    Sample,
    ScoreRefused,
    inner,
    judge_named,
    sample_score,
)

START = "_journal/start.json"  # of a run that did not end
HEADERS = ("header.json", START, "start.json")
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
    is_zip = path.suffix.lower() == ".eval" or (path.is_file() and zipfile.is_zipfile(path))
    parts = _zip_parts(path, limits, found, progress) if is_zip else _json_parts(path, limits, progress)
    if fault := model and _name_fault(model, records.MAX_NAME_CHARACTERS, printed=True):
        raise FileRefused(fault, field="--model", file=path.name)
    name, head = next(parts)
    judge = judge_named(head, scorer)
    if judge and _name_fault(judge, records.MAX_JUDGE_CHARACTERS, printed=True):
        judge = ""
    samples = _Samples(found, model or _configuration(name, head), scorer, judge)
    for part in parts:
        samples.add(*part)
    samples.close(_ending(name, head, samples.number))
    return found.results()


@dataclass
class _Samples:
    """Takes the samples of a log one by one.

    Those with a score and without text wait: where one of them scored above zero, the log's scores are not
    of texts (but of an agent's work), and all of theirs count; otherwise there was nothing to score.
    """

    found: records.Collector
    model: str
    scorer: str
    judge: str
    number: int = 0
    stopped: int = 0
    names: set[str] = field(default_factory=set)
    without_text: list[tuple[str, records.ModelResponse]] = field(default_factory=list)

    def add(self, name: str, value: object) -> None:
        self.number += 1
        try:
            sample = Sample.model_validate(value)
            prompt_id = str(sample.id)
            if fault := _name_fault(prompt_id, MAX_ID_CHARACTERS):
                raise ScoreRefused(f"its id {fault}")
            score, why = sample_score(sample, self.scorer)
        except ValidationError as error:
            self.found.add_errors(error, file=name)
            return
        except ScoreRefused as refusal:
            self.found.add_problem(Problem(None, None, "", str(refusal), name))
            return
        self.names.update(sample.values)
        response = records.ModelResponse(self.model, prompt_id, sample.epoch, score, judge=self.judge)
        if sample.has_no_text and not why:
            self.without_text.append((name, response))
        else:
            self.found.add_response(response, why_missing=why, file=name)
        self.stopped += sample.was_stopped and not why

    def close(self, ending: str) -> None:
        """What shows only once all were seen. Raises FileRefused where none has the score that was named."""
        if self.scorer and self.names and self.scorer not in self.names:
            names = ", ".join(sorted(map(repr, self.names)))
            raise FileRefused(f"no sample has the score {self.scorer!r}; there are {names}")
        counts = any(response.score > 0 for _, response in self.without_text)
        for name, response in self.without_text:
            kept = response if counts else replace(response, score=math.nan)
            self.found.add_response(kept, why_missing="" if counts else NO_OUTPUT, file=name)
        if counts:
            number = len(self.without_text)
            self.found.notices.append(f"responses that have a score and no text, and count: {number:,}")
        if self.stopped:
            self.found.notices.append(
                f"samples that somebody stopped, and count as they were scored: {self.stopped:,}"
            )
        if ending:
            self.found.notices.append(ending)


def _ending(name: str, head: object, number: int) -> str:
    """Where samples are missing of what was planned, or the run did not end, in words; "" otherwise."""
    status = inner(head, "status") or ("started" if name == START else "success")
    total = inner(head, "results", "total_samples")
    if not total:
        ids, samples = inner(head, "eval", "dataset", "sample_ids"), inner(head, "eval", "dataset", "samples")
        samples = len(ids) if isinstance(ids, list) else samples
        epochs = inner(head, "eval", "config", "epochs") or 1
        total = samples * epochs if isinstance(samples, int) and isinstance(epochs, int) else 0
    planned = total if isinstance(total, int) and total > number else 0
    if status != "success" and planned:
        return f"the run did not end ({status}): samples {number:,} of {planned:,}"
    if status != "success":
        return f"the run did not end ({status}): samples {number:,}"
    return f"the log does not hold every sample: {number:,} of {planned:,}" if planned else ""


def _json_parts(path: Path, limits: LogLimits, progress: Progress) -> Iterator[Part]:
    log = json_file(path, max_bytes=limits.json_bytes, file=path.name, document=INSPECT_LOG)
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
    # A sample that was run again is written again under its name; the last one counts.
    members = list({member.filename: member for member in archive.infolist()}.values())
    if len(members) > limits.members:
        raise FileRefused(f"holds {len(members):,} files, above the limit of {limits.members:,}", file=file)
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


def _name_fault(name: str, most: int, *, printed: bool = False) -> str | None:
    if not name.strip() or name != name.strip():
        return "is blank, or begins or ends with white space"
    if printed and (fault := records.control_fault(name)):
        return fault
    return storage_fault(name) or (f"is longer than {most} characters" if len(name) > most else None)


def _shown(name: str) -> str:
    """A member's name for a sentence on a terminal."""
    return repr(name)[1:-1][:SHOWN_CHARACTERS]
