"""The public GIM dataset: JSONL or Parquet files with a media folder (GIM paper, appendix D.2)."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from formats.files import DEFAULT_LIMITS, FileRefused, Limits, json_lines, read_content
from formats.parquet_files import read_table
from formats.problems import Problem
from studies.bank.building import BankBuilder, BankReading, Draft
from studies.bank.gim_values import NotAList, is_absent, joined_text, label_list, text_list, text_or_none

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
_SUBCATEGORY = re.compile(r"([A-Z]{2})-[A-Z]{2}")


def read_gim(path: Path, *, limits: Limits = DEFAULT_LIMITS) -> BankReading:
    """The prompts of one file, or of all JSONL and Parquet files below a folder.

    A file with the word "private" in its name or folder is the private split, unless its rows say otherwise.
    """
    root = path if path.is_dir() else path.parent
    builder = BankBuilder("gim", root, limits, FIELD_NAMES)
    for file in _data_files(path, builder):
        shown = file.relative_to(root).as_posix() if path.is_dir() else ""
        try:
            for number, row in _rows(file, shown, builder):
                builder.add(_draft(row, number, file, shown, root))
                if not is_absent(row.get("canary")):
                    builder.add_canary(row["canary"], line=number, file=shown)
        except FileRefused as error:
            builder.add_problem(error.problem)
    return builder.reading()


def _data_files(path: Path, builder: BankBuilder) -> list[Path]:
    if not path.is_dir():
        return [path]
    below = (file for file in path.rglob("*") if file.suffix.lower() in _SUFFIXES and file.is_file())
    files = sorted(file for file in below if "/." not in f"/{file.relative_to(path).as_posix()}")  # hidden
    if not files:
        message = "the folder holds no .jsonl or .parquet file; give the dataset's folder or one of its files"
        builder.add_problem(Problem(None, None, "", message))
    return files


def _rows(file: Path, shown: str, builder: BankBuilder) -> Iterator[tuple[int, dict[str, object]]]:
    max_bytes = builder.limits.bank_bytes
    if file.suffix.lower() == ".parquet":
        content = read_content(file, max_bytes=max_bytes, file=shown)
        table = read_table(content, file=shown, columns=COLUMNS, required=REQUIRED_COLUMNS)
        yield from enumerate(table.to_pylist(), start=1)
        return
    for line in json_lines(file, max_bytes=max_bytes, file=shown):
        if line.problem is not None:
            builder.add_problem(line.problem)
        if line.value is not None:
            yield line.number, line.value


def _draft(row: Mapping[str, object], number: int, file: Path, shown: str, root: Path) -> Draft:
    prompt_id = text_or_none(row.get("prompt_id"))
    shown_id = prompt_id if isinstance(prompt_id, str) else None
    lists, problems = _lists(row)
    folders = dict.fromkeys((file.parent, root))
    values: dict[str, object] = {
        "prompt_id": "" if prompt_id is None else prompt_id,
        "text": "" if is_absent(row.get("prompt")) else row.get("prompt"),
        "text_format": "markdown",
        "gold_answer": text_or_none(row.get("answer_gtfa")),
        "criteria": [{"text": text} for text in lists["criteria"]],
        "labels": lists["labels"],
        "split": text_or_none(row.get("split")) or _split_of(file, root),
        "solution": joined_text(row.get("solution_reasoning")),
        "citations": joined_text(row.get("citations")),
        **_categories(row),
    }
    return Draft(
        values=values,
        line=number,
        file=shown,
        prompt_id=shown_id,
        attachments=lists["attachments"],
        bases=tuple(base for folder in folders for base in (folder, folder / MEDIA_FOLDER)),
        problems=tuple(Problem(number, shown_id, name, message, shown) for name, message in problems),
    )


def _categories(row: Mapping[str, object]) -> dict[str, object]:
    """A sub-category code such as LR-IF also names its category, LR (GIM paper, appendix B.2)."""
    category = joined_text(row.get("category"))
    code = _SUBCATEGORY.fullmatch(category) if isinstance(category, str) else None
    return {"category": code[1], "subcategory": code[0]} if code else {"category": category}


def _lists(row: Mapping[str, object]) -> tuple[dict[str, list[object]], list[tuple[str, str]]]:
    """The columns that hold lists, by field; one that is no list is empty and named in a problem."""
    lists: dict[str, list[object]] = {}
    problems = []
    for field_name, parse in (("criteria", text_list), ("attachments", text_list), ("labels", label_list)):
        column = FIELD_NAMES[field_name]
        try:
            lists[field_name] = parse(row.get(column))
        except NotAList:
            lists[field_name] = []
            problems.append((column, "is no list of texts; write it as a list, or leave it empty"))
    return lists, problems


def _split_of(file: Path, root: Path) -> str:
    words = re.split(r"[^a-z]+", file.relative_to(root).as_posix().lower())
    return "private" if "private" in words or root.resolve().name.lower() == "private" else "public"
