"""Read results of models from any of the known formats."""

from enum import StrEnum
from pathlib import Path

from formats.files import FileRefused, json_lines
from scoring.readers.model_results.inspect_log import read_inspect_log
from scoring.readers.model_results.line_files import MAX_BYTES, read_published, read_responses
from scoring.readers.model_results.records import ModelResults, ModelResultsRefused


class ResultsFormat(StrEnum):
    """What a file of model results holds."""

    RESPONSES = "responses"
    PUBLISHED = "published"
    INSPECT = "inspect"


def read_model_results(
    path: Path, *, of: ResultsFormat | None = None, model: str = "", scorer: str = ""
) -> ModelResults:
    """What the file holds; without a format it is told by the file's name and its first line.

    `model` and `scorer` are for Inspect logs: the configuration's name, and which scorer counts.
    Raises ModelResultsRefused with every problem.
    """
    try:
        match of or format_of(path):
            case ResultsFormat.RESPONSES:
                return read_responses(path)
            case ResultsFormat.PUBLISHED:
                return read_published(path)
            case ResultsFormat.INSPECT:
                return read_inspect_log(path, model=model, scorer=scorer)
    except FileRefused as refusal:
        raise ModelResultsRefused([refusal.problem]) from None


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
