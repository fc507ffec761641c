"""Read results of models from any of the known formats.

An Inspect log has a reader of its own; in this project's files there is one response, or one published theta,
per line:

Responses, JSONL      {"model": …, "prompt_id": …, "epoch": 1, "score": 0.75 or null, "family": …,
                       "judge": …}
Published, JSONL      {"model": …, "theta": 2.04, "se": 0.06, "epochs": 5, "source": …, "family": …}
Published, CSV        the same fields as columns; an empty cell is left out

`score` must be there; null is a missing response and never counts as zero. `judge` names the model that gave
the score. `se`, `epochs`, `source`, `family` and `judge` may be left out.
"""

import csv
import io
import math
from collections.abc import Iterator, Mapping
from enum import StrEnum
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, FiniteFloat, ValidationError

from formats.csv_rows import strict_number
from formats.files import BYTE_ORDER_MARK, MEBIBYTE, FileRefused, json_lines, read_content
from formats.problems import Problem
from formats.progress import Progress, unseen
from formats.texts import PromptId
from scoring.readers.model_results import records
from scoring.readers.model_results.inspect_log import read_inspect_log

MAX_BYTES = 512 * MEBIBYTE
MAX_CSV_BYTES = 16 * MEBIBYTE
MAX_THETA = 100.0  # logits; what lies beyond is a slip of the decimal point
NO_SCORE = "no score"
WHOLE_NUMBERS, NUMBERS = ("epochs",), ("theta", "se")


class ResultsFormat(StrEnum):
    """What a file of model results holds."""

    RESPONSES = "responses"
    PUBLISHED = "published"
    INSPECT = "inspect"


def read_model_results(
    path: Path,
    *,
    of: ResultsFormat | None = None,
    model: str = "",
    scorer: str = "",
    progress: Progress = unseen,
) -> records.ModelResults:
    """What the file holds; without a format it is told by the file's name and its first line.

    `model` and `scorer` are for Inspect logs: the configuration's name, and which scorer counts.
    Raises ModelResultsRefused with every problem.
    """
    try:
        match of or format_of(path):
            case ResultsFormat.RESPONSES:
                return read_responses(path, progress)
            case ResultsFormat.PUBLISHED:
                return _read_published(path, progress)
            case ResultsFormat.INSPECT:
                return read_inspect_log(path, model=model, scorer=scorer, progress=progress)
    except FileRefused as refusal:
        raise records.ModelResultsRefused([refusal.problem]) from None


def format_of(path: Path) -> ResultsFormat:
    """A zip or a whole JSON file is a log, CSV is published; a JSONL file says it in its first line."""
    suffix = path.suffix.lower()
    if suffix in {".eval", ".json"}:
        return ResultsFormat.INSPECT
    if suffix == ".csv":
        return ResultsFormat.PUBLISHED
    first = next(json_lines(path, max_bytes=MAX_BYTES), None)
    if first is not None and first.value is not None and "theta" in first.value:
        return ResultsFormat.PUBLISHED
    return ResultsFormat.RESPONSES


class _ResponseLine(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    model: records.ConfigurationName
    prompt_id: PromptId
    epoch: records.Epoch
    score: Annotated[FiniteFloat, Field(ge=0, le=1)] | None
    family: records.Family | None = None
    judge: records.JudgeName | None = None


class _PublishedLine(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    model: records.ConfigurationName
    theta: Annotated[FiniteFloat, Field(ge=-MAX_THETA, le=MAX_THETA)]
    se: Annotated[FiniteFloat, Field(gt=0, le=MAX_THETA)] | None = None
    epochs: Annotated[int, Field(ge=1, le=records.MAX_EPOCH)] | None = None
    source: records.Source | None = None
    family: records.Family | None = None


def read_responses(path: Path, progress: Progress = unseen) -> records.ModelResults:
    """The responses of a JSONL file. Raises ModelResultsRefused, and FileRefused for a file as a whole."""
    found = records.Collector()
    for number, value in _objects(path, found, progress):
        try:
            line = _ResponseLine.model_validate(value)
        except ValidationError as error:
            found.add_errors(error, number, value.get("prompt_id"))
            continue
        response = records.ModelResponse(**{"score": math.nan, **line.model_dump(exclude_none=True)})
        found.add_response(response, why_missing=NO_SCORE, line=number)
    return found.results()


def _read_published(path: Path, progress: Progress) -> records.ModelResults:
    """The published thetas of a JSONL or CSV file. Raises as `read_responses` does."""
    found = records.Collector()
    is_csv = path.suffix.lower() == ".csv"
    rows = _csv_objects(path, found) if is_csv else _objects(path, found, progress)
    for number, value in rows:
        try:
            line = _PublishedLine.model_validate(value)
        except ValidationError as error:
            found.add_errors(error, number)
            continue
        found.add_published(records.PublishedAbility(**line.model_dump(exclude_none=True)), number)
    return found.results()


def _objects(
    path: Path, found: records.Collector, progress: Progress
) -> Iterator[tuple[int, Mapping[str, object]]]:
    for line in json_lines(path, max_bytes=MAX_BYTES, progress=progress):
        if line.value is not None:
            yield line.number, line.value
        elif line.problem is not None:
            found.add_problem(line.problem)


def _csv_objects(path: Path, found: records.Collector) -> Iterator[tuple[int, Mapping[str, object]]]:
    content = read_content(path, max_bytes=MAX_CSV_BYTES)
    try:
        text = content.removeprefix(BYTE_ORDER_MARK).decode("utf-8")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise FileRefused("is not UTF-8; save it as UTF-8", line=line) from None
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        header = [name.strip() for name in next(reader, [])]
        if len(set(header)) < len(header):
            raise FileRefused("a column occurs twice; keep one", line=1)
        for cells in reader:
            if len(cells) == len(header):
                yield reader.line_num, _values(header, cells)
            elif any(cells):
                message = f"has {len(cells)} cells where the header has {len(header)}"
                found.add_problem(Problem(reader.line_num, None, "", message))
    except csv.Error as error:
        found.add_problem(Problem(reader.line_num, None, "", f"not valid CSV ({error}); quote the cell"))


def _values(header: list[str], cells: list[str]) -> dict[str, object]:
    filled = {name: cell.strip() for name, cell in zip(header, cells, strict=True) if cell.strip()}
    return {name: _number(name, cell) for name, cell in filled.items()}


def _number(name: str, cell: str) -> object:
    """The cell as the number its column holds; a text that is none is left for the check to refuse."""
    number = strict_number(cell) if name in (*WHOLE_NUMBERS, *NUMBERS) else None
    if number is None:
        return cell
    return int(number) if name in WHOLE_NUMBERS and number.is_integer() else number
