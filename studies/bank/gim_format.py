"""The public GIM dataset: JSONL or Parquet files with a media folder (GIM paper, appendix D.2).

In its cells lists became text on the way, and absent values "nan".
"""

import ast
import json
import math
import re
import tokenize
from collections.abc import Iterator, Mapping, Sequence
from io import StringIO
from pathlib import Path

from formats.files import DEFAULT_LIMITS, FileRefused, Limits, json_lines, read_content
from formats.parquet_files import read_table
from formats.problems import Problem
from formats.progress import Progress, in_parts, unseen
from studies.bank.building import BankBuilder, BankReading, Draft

# Field of PromptRecord -> column of the dataset.
FIELD_NAMES: Mapping[str, str] = {
    "prompt_id": "prompt_id",
    "text": "prompt",
    "gold_answer": "answer_gtfa",
    "criteria": "rubrics",
    "labels": "labels",
    "category": "category",
    "split": "split",
    "attachments": "attachments",
    "solution": "solution_reasoning",
    "citations": "citations",
}
COLUMNS = (*FIELD_NAMES.values(), "canary")
REQUIRED_COLUMNS = ("prompt_id", "prompt")
MEDIA_FOLDER = "media"
_SUFFIXES = (".jsonl", ".parquet")
_ABSENT_TEXTS = frozenset({"", "nan", "none"})
_SUBCATEGORY = re.compile(r"([A-Z]{2})-[A-Z]{2}")


def read_gim(path: Path, *, limits: Limits = DEFAULT_LIMITS, progress: Progress = unseen) -> BankReading:
    """The prompts of one file, or of all JSONL and Parquet files below a folder.

    A file with the word "private" in its name or folder is the private split, unless its rows say otherwise.
    """
    root = path if path.is_dir() else path.parent
    builder = BankBuilder("gim", root, limits, FIELD_NAMES)
    files = [path]
    if path.is_dir():
        below = (file for file in path.rglob("*") if file.suffix.lower() in _SUFFIXES and file.is_file())
        # Hidden ones are not the dataset's.
        files = sorted(file for file in below if "/." not in f"/{file.relative_to(path).as_posix()}")
    if not files:
        message = "the folder holds no .jsonl or .parquet file; give the dataset's folder or one of its files"
        builder.add_problem(Problem(None, None, "", message))
    for position, file in enumerate(files):
        file_name = file.relative_to(root).as_posix() if path.is_dir() else ""
        try:
            for number, row in _rows(file, file_name, builder, in_parts(progress, position, len(files))):
                builder.add(_draft(row, number, file, file_name, root))
                if not _is_absent(row.get("canary")):
                    builder.add_canary(row["canary"], line=number, file=file_name)
        except FileRefused as error:
            builder.add_problem(error.problem)
    return builder.reading()


def _rows(
    file: Path, file_name: str, builder: BankBuilder, progress: Progress
) -> Iterator[tuple[int, dict[str, object]]]:
    max_bytes = builder.limits.bank_bytes
    if file.suffix.lower() == ".parquet":
        content = read_content(file, max_bytes=max_bytes, file=file_name)
        table = read_table(content, file=file_name, columns=COLUMNS, required=REQUIRED_COLUMNS)
        rows = table.to_pylist()
        for number, row in enumerate(rows, start=1):
            progress(number - 1, len(rows))
            yield number, row
        return
    for line in json_lines(file, max_bytes=max_bytes, file=file_name, progress=progress):
        if line.problem is not None:
            builder.add_problem(line.problem)
        if line.value is not None:
            yield line.number, line.value


def _draft(row: Mapping[str, object], number: int, file: Path, file_name: str, root: Path) -> Draft:
    prompt_id = _text_or_none(row.get("prompt_id"))
    shown_id = prompt_id if isinstance(prompt_id, str) else None
    lists, problems = _lists(row)
    folders = dict.fromkeys((file.parent, root))
    split = _text_or_none(row.get("split"))
    if not split:
        words = re.split(r"[^a-z]+", file.relative_to(root).as_posix().lower())
        is_private = "private" in words or root.resolve().name.lower() == "private"
        split = "private" if is_private else "public"
    # A sub-category code such as LR-IF also names its category, LR (GIM paper, appendix B.2).
    category = _joined_text(row.get("category"))
    code = _SUBCATEGORY.fullmatch(category) if isinstance(category, str) else None
    values: dict[str, object] = {
        "prompt_id": "" if prompt_id is None else prompt_id,
        "text": "" if _is_absent(row.get("prompt")) else row.get("prompt"),
        "text_format": "markdown",
        "gold_answer": _text_or_none(row.get("answer_gtfa")),
        "criteria": [{"text": text} for text in lists["criteria"]],
        "labels": lists["labels"],
        "split": split,
        "solution": _joined_text(row.get("solution_reasoning")),
        "citations": _joined_text(row.get("citations")),
        **({"category": code[1], "subcategory": code[0]} if code else {"category": category}),
    }
    return Draft(
        values=values,
        line=number,
        file=file_name,
        prompt_id=shown_id,
        attachments=lists["attachments"],
        bases=tuple(base for folder in folders for base in (folder, folder / MEDIA_FOLDER)),
        problems=tuple(Problem(number, shown_id, name, message, file_name) for name, message in problems),
    )


def _lists(row: Mapping[str, object]) -> tuple[dict[str, list[object]], list[tuple[str, str]]]:
    """The columns that hold lists, by field; one that is no list is empty and named in a problem."""
    lists: dict[str, list[object]] = {}
    problems = []
    for field_name, parse in (("criteria", _text_list), ("attachments", _text_list), ("labels", _label_list)):
        column = FIELD_NAMES[field_name]
        try:
            lists[field_name] = parse(row.get(column))
        except _NotAList:
            lists[field_name] = []
            problems.append((column, "is no list of texts; write it as a list, or leave it empty"))
    return lists, problems


class _NotAList(Exception):
    """A cell should hold a list of texts and does not."""


def _is_absent(value: object) -> bool:
    """None, NaN and the texts "", "nan" and "none" in any case are no value."""
    if isinstance(value, str):
        return value.strip().lower() in _ABSENT_TEXTS
    return value is None or (isinstance(value, float) and math.isnan(value))


def _text_or_none(value: object) -> object:
    """Text without surrounding white space; None when absent; a number as its text; others unchanged.

    A whole number in a column of fractions is one still: where cells are empty, pandas makes 4 to 4.0.
    """
    if _is_absent(value):
        return None
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    return value.strip() if isinstance(value, str) else value


def _joined_text(value: object) -> object:
    """As _text_or_none with "" for absent; a list of texts becomes one text with a line each."""
    if isinstance(value, list) and all(isinstance(part, str) for part in value):
        return "\n".join(value)
    text = _text_or_none(value)
    return "" if text is None else text


def _text_list(value: object) -> list[object]:
    """A list, or the text of a JSON or Python list, without its absent entries. Raises _NotAList."""
    if _is_absent(value):
        return []
    entries = _parsed_list(value.strip()) if isinstance(value, str) else value
    if not isinstance(entries, Sequence) or isinstance(entries, str | bytes):
        raise _NotAList
    return [entry for entry in entries if not _is_absent(entry)]


def _label_list(value: object) -> list[object]:
    """As _text_list; any other text is split at its commas."""
    if isinstance(value, str) and not value.strip().startswith("["):
        return [part.strip() for part in value.split(",") if not _is_absent(part)]
    return _text_list(value)


def _parsed_list(text: str) -> object:
    if not text.startswith("["):
        raise _NotAList
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        pass
    try:
        entries = ast.literal_eval(text)
        strings = sum(
            token.type == tokenize.STRING for token in tokenize.generate_tokens(StringIO(text).readline)
        )
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError, tokenize.TokenError):
        raise _NotAList from None
    if strings > len(entries):  # ['a' 'b'], as numpy prints an array, would read as the one text "ab"
        raise _NotAList
    return entries
