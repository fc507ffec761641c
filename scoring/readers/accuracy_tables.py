"""A file with a table of accuracies, JSON as `psychometrics.benchmark.accuracy_table` describes it.

`models` and `tasks` are lists of names; `accuracy_percent` gives for each task one percentage per model, in
the order of `models`, null where not measured. `task_sizes` (questions per task) is optional: BBEH's own are
known. Other keys are ignored.
"""

from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from formats.file_kinds import ACCURACY_TABLE
from formats.files import DEFAULT_LIMITS, FileRefused, json_file
from formats.sentences import error_sentence, field_path
from psychometrics.benchmark.accuracy_table import AccuracyTable, AccuracyTableRefused

Percentage = Annotated[float, Field(ge=0, le=100, allow_inf_nan=False)]
MAX_QUESTIONS = 10**9
Names = Annotated[list[str], Field(min_length=1)]


class _File(BaseModel):
    model_config = ConfigDict(strict=True, frozen=True, extra="ignore")

    models: Names
    tasks: Names
    accuracy_percent: dict[str, list[Percentage | None]]
    task_sizes: dict[str, Annotated[int, Field(ge=1, le=MAX_QUESTIONS)]] | None = None


def read_accuracy_table(path: Path) -> AccuracyTable:
    """Read and check a whole file; raises AccuracyTableRefused with all its problems."""
    try:
        file = _File.model_validate(
            json_file(path, max_bytes=DEFAULT_LIMITS.bank_bytes, file="", document=ACCURACY_TABLE)
        )
    except FileRefused as refusal:
        raise AccuracyTableRefused([str(refusal)]) from None
    except ValidationError as error:
        sentences = []
        for detail in error.errors(include_url=False):
            place, sentence = field_path(detail["loc"]), error_sentence(detail)
            sentences.append(f"{place}: {sentence}" if place else sentence)
        raise AccuracyTableRefused(sentences) from None
    return AccuracyTable(file.models, file.tasks, file.accuracy_percent, file.task_sizes)
