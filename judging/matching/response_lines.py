"""A JSONL file of responses with their references, judged line by line.

Each line is an object with `response` (text or null), `reference` and `task`; BBEH needs no task. With the
text of the `question`, the text of one option is told from another's. Further keys are ignored. A blank
response is missing: it is not judged and counts for nothing.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from formats.files import DEFAULT_LIMITS, FileRefused, json_lines
from formats.sentences import error_sentence, field_path
from judging.matching import bbeh, bbh

MatchRules = Literal["bbeh", "bbh"]
NO_TASK = "all"


class ResponseLinesRefused(ValueError):
    """The file cannot be judged; carries every problem found, each a sentence with its line."""

    def __init__(self, problems: Iterable[str]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(self.problems))


class ResponseLine(BaseModel):
    """One response to judge."""

    model_config = ConfigDict(strict=True, frozen=True, extra="ignore")

    response: str | None
    reference: str
    task: str = NO_TASK
    question: str = ""


@dataclass(frozen=True)
class Verdict:
    """What a line came to; both fields are None for a missing response."""

    extracted: str | None
    correct: bool | None


def verdict_on(line: ResponseLine, rules: MatchRules, version: int = bbh.VERSION) -> Verdict:
    """Judge one line by the rules of its benchmark, for BBH in some version of them."""
    response = line.response or ""
    if not response.strip():
        return Verdict(None, None)
    return Verdict(
        *compared(rules, response, line.reference, line.task, question=line.question, version=version)
    )


def compared(
    rules: MatchRules,
    response: str,
    reference: str,
    task: str,
    *,
    question: str = "",
    version: int = bbh.VERSION,
) -> tuple[str, bool]:
    """What is extracted from a response by the rules of a benchmark, and whether it is correct."""
    if rules == "bbeh":
        return bbeh.extract(response), bbeh.is_correct(response, reference)
    extracted = bbh.extract(response, task, question=question, version=version)
    return extracted, bbh.is_correct(response, reference, task, question=question, version=version)


def read_response_lines(path: Path, rules: MatchRules) -> list[ResponseLine]:
    """Read a whole file; raises ResponseLinesRefused with all its problems."""
    lines: list[ResponseLine] = []
    problems: list[str] = []
    try:
        for json_line in json_lines(path, max_bytes=DEFAULT_LIMITS.bank_bytes):
            place = f"line {json_line.number}"
            if json_line.problem:
                problems.append(str(json_line.problem))
                continue
            try:
                line = ResponseLine.model_validate(json_line.value)
            except ValidationError as error:
                details = error.errors(include_url=False)
                problems += [
                    f"{place}, {field_path(each['loc'])}: {error_sentence(each)}" for each in details
                ]
                continue
            if rules == "bbh" and line.task not in bbh.PATTERNS:
                is_given = "task" in line.model_fields_set
                missing = "is missing; BIG-Bench Hard compares by task"
                problems.append(f"{place}, task: {bbh.UnknownTask(line.task) if is_given else missing}")
            else:
                lines.append(line)
    except FileRefused as refusal:
        raise ResponseLinesRefused([str(refusal)]) from None
    if problems:
        raise ResponseLinesRefused(problems)
    return lines
