"""Read results of models from any of the known formats.

An Inspect log has a reader of its own; in this project's files there is one response, or one published theta,
per line:

Responses, JSONL      {"model": …, "prompt_id": …, "epoch": 1, "score": 0.75 or null, "family": …,
                       "judge": …}
Published, JSONL      {"model": …, "theta": 2.04, "se": 0.06, "epochs": 5, "source": …, "family": …}
Both as CSV           the same fields as columns, `prompt_id` as `question`; an empty cell is left out

`score` must be there; null (in CSV: an empty cell) is a missing response and never counts as zero. `judge`
names the model that gave the score. `se`, `epochs`, `source`, `family` and `judge` may be left out, in CSV
`epoch`, too: it is 1 then.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, FiniteFloat, ValidationError

from formats.cells import GUARD, defused
from formats.csv_rows import strict_number
from formats.csv_tables import CsvTable, read_csv_table
from formats.files import MEBIBYTE, FileRefused, json_lines, read_content
from formats.problems import Problem
from formats.progress import Progress, unseen
from formats.texts import PromptId
from scoring.readers.model_results import records
from scoring.readers.model_results.inspect_log import read_inspect_log

MAX_BYTES = 512 * MEBIBYTE
MAX_CSV_BYTES = 16 * MEBIBYTE
MAX_THETA = 100.0  # logits; what lies beyond is a slip of the decimal point
NO_SCORE = "no score"
WHOLE_NUMBERS, NUMBERS = ("epoch", "epochs"), ("score", "theta", "se")


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
    """A zip or a whole JSON file is a log; CSV and JSONL say it in their first line."""
    suffix = path.suffix.lower()
    if suffix in {".eval", ".json"}:
        return ResultsFormat.INSPECT
    if suffix == ".csv":
        columns = _csv_columns(path) if path.is_file() else ("theta",)
        return ResultsFormat.PUBLISHED if "theta" in columns else ResultsFormat.RESPONSES
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


class _ScoreRow(_ResponseLine):
    """The same as a row of a table."""

    model_config = ConfigDict(validate_by_name=True, validate_by_alias=True)

    prompt_id: PromptId = Field(alias="question")
    epoch: records.Epoch = 1
    score: Annotated[FiniteFloat, Field(ge=0, le=1)] | None = None


class _PublishedLine(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    model: records.ConfigurationName
    theta: Annotated[FiniteFloat, Field(ge=-MAX_THETA, le=MAX_THETA)]
    se: Annotated[FiniteFloat, Field(gt=0, le=MAX_THETA)] | None = None
    epochs: Annotated[int, Field(ge=1, le=records.MAX_EPOCH)] | None = None
    source: records.Source | None = None
    family: records.Family | None = None


def read_responses(path: Path, progress: Progress = unseen) -> records.ModelResults:
    """The responses of a JSONL or CSV file.

    Raises ModelResultsRefused, and FileRefused for a file as a whole.
    """
    found = records.Collector()
    is_csv = path.suffix.lower() == ".csv"
    kind = _ScoreRow if is_csv else _ResponseLine
    rows = _csv_objects(path, found, records.SCORE_COLUMNS[:3]) if is_csv else _objects(path, found, progress)
    has_score = not is_csv
    for number, value in rows:
        try:
            line = kind.model_validate(value)
        except ValidationError as error:
            found.add_errors(error, number, value.get("prompt_id", value.get("question")))
            continue
        has_score |= line.score is not None
        response = records.ModelResponse(**{"score": math.nan, **line.model_dump(exclude_none=True)})
        found.add_response(response, why_missing=NO_SCORE, line=number)
    results = found.results()
    if not has_score:
        raise FileRefused("no line has a score; fill in the column score", file=path.name)
    return results


def _read_published(path: Path, progress: Progress) -> records.ModelResults:
    """The published thetas of a JSONL or CSV file. Raises as `read_responses` does."""
    found = records.Collector()
    is_csv = path.suffix.lower() == ".csv"
    rows = _csv_objects(path, found, ("model", "theta")) if is_csv else _objects(path, found, progress)
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


def _csv_columns(path: Path) -> tuple[str, ...]:
    lines = read_content(path, max_bytes=MAX_CSV_BYTES).lstrip().splitlines(keepends=True)
    return read_csv_table(b"".join(lines[:2]), required=("model",), codes=()).columns


def _csv_objects(
    path: Path, found: records.Collector, required: Sequence[str]
) -> Iterator[tuple[int, Mapping[str, object]]]:
    """Each row's filled cells."""
    if "prompt_id" in _csv_columns(path):  # as lines of JSON call it
        required = [{"question": "prompt_id"}.get(name, name) for name in required]
    codes = ("model", "question", "prompt_id", *WHOLE_NUMBERS, *NUMBERS)
    table = read_csv_table(read_content(path, max_bytes=MAX_CSV_BYTES), required=required, codes=codes)
    for problem in table.problems:
        found.add_problem(problem)
    for problem in _numbers_apart(table, required[-1]):
        found.add_problem(problem)
    for number, cells in table.rows:
        yield number, {name: _number(name, cell) for name, cell in cells.items() if cell}


def _numbers_apart(table: CsvTable, column: str) -> Iterator[Problem]:
    """Whole numbers that may have lost their decimals to the next column: a theta, or the score 0 of an epoch
    before which none of that model's is there.
    """
    there = {(cells["model"], _question(cells), cells.get("epoch")) for _, cells in table.rows}
    for number, cells in table.rows:
        whole, decimals = cells.get(column, ""), table.decimals_beside(cells, column)
        if column == "score" and decimals:
            goes_on = (cells["model"], _question(cells), str(int(decimals) - 1)) in there
            if whole != "0" or decimals == "1" or (goes_on and decimals == cells.get("epoch")):
                continue
        if decimals:
            message = (
                f'the number "{whole}" is followed by "{decimals}" in the next cell; write {whole}.{decimals}'
                f" if that is one number, and {whole}.0 if it is not"
            )
            yield Problem(number, None, column, message)


def _question(cells: Mapping[str, str]) -> str | None:
    return cells.get("question", cells.get("prompt_id"))


def _number(name: str, cell: str) -> object:
    """The cell as the number its column holds; a text that is none is left for the check to refuse. 0,5 is
    one: nothing that is refused above 1, or above MAX_THETA, has commas between its thousands.
    """
    if name not in (*WHOLE_NUMBERS, *NUMBERS):
        unguarded = cell.removeprefix(GUARD)  # of a name that a template of this site guarded
        return unguarded if defused(unguarded) == cell else cell
    number = strict_number(cell if name in WHOLE_NUMBERS else cell.replace(",", "."))
    if number is None:
        return cell
    return int(number) if name in WHOLE_NUMBERS and number.is_integer() else number
