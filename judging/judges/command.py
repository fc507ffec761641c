"""A program of the site as the judge: one JSON line in, one JSON line out (docs/judge-programs.md)."""

import hashlib
import json
import os
import select
import shutil
import signal
import subprocess
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from math import ceil
from pathlib import Path
from tempfile import TemporaryFile
from typing import Self

from pydantic import Field, JsonValue

from judging.judges.interface import CriterionVerdict, JudgeTask, require_graded
from judging.judges.local_judges import LocalJudge, Programs
from judging.judges.reasons import UnscoredReason
from judging.judges.schemas import RubricJudgment
from llm import errors
from llm.replies import ReplyText, parse, storable
from studies.protocol.settings import ProtocolSettings

SETTING = "CHIRON_JUDGE_COMMANDS"
MAX_OUTPUT_BYTES = 100_000
# The shell sets the limits and becomes the program: a study's texts never come near a command line. The one
# of processor time ends what a killed worker leaves behind.
LIMITED = 'ulimit -v "$1" && ulimit -t "$2" && shift 2 && exec "$@"'


class ProgramJudgment(RubricJudgment):
    """What a program writes; one that names no confidence is certain."""

    confidence: float = Field(default=1.0, ge=0.0, le=1.0)


@dataclass(frozen=True)
class CommandJudge(LocalJudge):
    """Starts a program for each verdict, in a process group of its own and without the site's environment.

    `sha256` is that of every file among the `arguments`, the program first.
    """

    name: str
    arguments: tuple[str, ...]
    sha256: Mapping[str, str]
    seconds: float
    megabytes: int
    kind = "command"
    # One verdict may take as long as a program is given, and a lease is short.
    calls_at_once = 1

    @classmethod
    def of_study(cls, protocol: ProtocolSettings, *, rules_version: int | None, programs: Programs) -> Self:
        name = protocol.judge_command or ""
        if name not in programs.commands:
            raise ValueError(f'the operator of the site names no program "{name}" in {SETTING}.')
        arguments = tuple(programs.commands[name])
        if shutil.which(arguments[0]) is None:
            raise ValueError(f"{arguments[0]} is no program that can be started here.")
        try:
            files = {
                path: _sha256(path, os.stat(path).st_mtime_ns, os.stat(path).st_size)
                for path in arguments
                if path.startswith("/") and Path(path).is_file()
            }
        except OSError as error:
            raise ValueError(f"{error.filename} cannot be read ({error.strerror}).") from None
        return cls(name, arguments, files, programs.seconds, programs.megabytes)

    def describe(self) -> dict[str, JsonValue]:
        return {
            "kind": self.kind, "name": self.name, "arguments": [*self.arguments], "sha256": {**self.sha256},
        }  # fmt: skip

    def check(self, task: JudgeTask) -> None:
        require_graded(task)

    def verdict(self, task: JudgeTask, position: int | None) -> CriterionVerdict:
        """What the program says; whatever goes wrong with it leaves the criterion unscored."""
        given = {
            "prompt": task.question,
            "gold_answer": task.gold_answer,
            "criterion": None if position is None else task.criterion(position).text,
            "answer": task.text_to_judge,
        }
        try:
            judgment = _read(self._output(json.dumps(given).encode("ascii") + b"\n"), self.name)
        except errors.LLMError as error:
            why = f"The program {self.name} {error}"
            return CriterionVerdict(position, None, None, why, UnscoredReason(error.reason))
        return CriterionVerdict(position, judgment.score, judgment.confidence, judgment.explanation)

    def _output(self, line: bytes) -> bytes:
        """All that the program writes, which then is gone with whatever it has started in its group."""
        try:
            with self._started(line) as process:
                try:
                    output = _output_of(process, self.seconds)
                finally:
                    with suppress(ProcessLookupError):
                        os.killpg(process.pid, signal.SIGKILL)
        except OSError as error:
            raise errors.ConnectionFailed(f"could not be started ({error.strerror}).") from None
        if process.returncode:
            raise errors.ServerFailed(f"ended with exit status {process.returncode}.")
        return output

    def _started(self, line: bytes) -> "subprocess.Popen[bytes]":
        limits = (str(self.megabytes * 1024), str(ceil(self.seconds) + 1))
        # A file, unlike a pipe, is never waited for: the program need not read it, or not to its end.
        with TemporaryFile() as given:
            given.write(line)
            given.seek(0)
            return subprocess.Popen(  # noqa: S603  # the operator's program
                ["/bin/sh", "-c", LIMITED, "sh", *limits, *self.arguments],
                stdin=given,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env={"PATH": os.environ.get("PATH", os.defpath)},
                cwd="/",
                start_new_session=True,
            )


@lru_cache
def _sha256(path: str, changed_ns: int, size: int) -> str:
    """Of a file as it was at that moment: it is looked at before and after each verdict."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _output_of(process: "subprocess.Popen[bytes]", seconds: float) -> bytes:
    """What is written until the program has ended. Raises TimedOut, ReplyTooLarge."""
    until, output, written = time.monotonic() + seconds, b"", select.poll()
    stream = process.stdout.fileno() if process.stdout else -1
    written.register(stream, select.POLLIN)
    with suppress(subprocess.TimeoutExpired):
        while written.poll(max(0.0, until - time.monotonic()) * 1000):
            if not (piece := os.read(stream, MAX_OUTPUT_BYTES)):
                process.wait(max(0.0, until - time.monotonic()))
                return output
            output += piece
            if len(output) > MAX_OUTPUT_BYTES:
                raise errors.ReplyTooLarge(f"wrote more than {MAX_OUTPUT_BYTES:,} bytes.")
    raise errors.TimedOut(f"took longer than {seconds:g} seconds.")


def _read(output: bytes, name: str) -> ProgramJudgment:
    """Raises ReplyOffSchema, ReplyOutOfRange."""
    reply = ReplyText(
        storable(output.decode(errors="replace")), "", is_complete=True, received=errors.Received()
    )
    try:
        return parse(reply, ProgramJudgment, endpoint=name)
    except errors.ReplyInvalid as error:
        raise type(error)(
            f"wrote no verdict: {error.problem}.", text=error.text, problem=error.problem
        ) from None
