"""This project's own bank format: one JSON object per line. docs/bank-format.md describes it."""

import difflib
from collections.abc import Mapping
from pathlib import Path

from formats.files import DEFAULT_LIMITS, FileRefused, JsonLine, Limits, json_lines
from formats.problems import Problem
from formats.progress import Progress, unseen
from formats.sentences import text_fault
from studies.bank.building import BankBuilder, BankReading, Draft

HEADER_FIELD = "chiron_bank"
HEADER_FIELDS = (HEADER_FIELD, "name", "canary", "categories")
VERSION = 1

# Field of PromptRecord -> field of a line.
FIELD_NAMES: Mapping[str, str] = {
    "prompt_id": "id",
    "text": "text",
    "text_format": "format",
    "gold_answer": "gold_answer",
    "criteria": "criteria",
    "category": "category",
    "subcategory": "subcategory",
    "task": "task",
    "labels": "labels",
    "split": "split",
    "attachments": "attachments",
    "solution": "solution",
    "citations": "citations",
}


def read_chiron(path: Path, *, limits: Limits = DEFAULT_LIMITS, progress: Progress = unseen) -> BankReading:
    """The prompts of a JSONL file; attachments are looked up relative to the file's folder."""
    builder = BankBuilder("chiron", path.parent, limits, FIELD_NAMES)
    name, category_names = "", dict[str, str]()
    try:
        lines = json_lines(path, max_bytes=limits.bank_bytes, progress=progress)
        for position, line in enumerate(lines):
            if position == 0 and line.value is not None and HEADER_FIELD in line.value:
                name, category_names = _read_header(line.number, line.value, builder)
            else:
                _add_line(line, builder)
    except FileRefused as error:
        builder.add_problem(error.problem)
    return builder.reading(name=name, category_names=category_names)


def _read_header(
    number: int, value: Mapping[str, object], builder: BankBuilder
) -> tuple[str, dict[str, str]]:
    """The bank's name, and what pages call categories and sub-categories, by their codes.

    No field's problem must lose the canary: the prompts are imported all the same.
    """
    problems = _unknown_fields(value, HEADER_FIELDS)
    version = value[HEADER_FIELD]
    if version != VERSION or isinstance(version, bool):
        problems.append((HEADER_FIELD, f"names a version this program does not read; write {VERSION}"))
    name = value.get("name", "")
    if fault := text_fault(name):
        problems.append(("name", fault))
    for field_name, message in problems:
        builder.add_problem(Problem(number, None, field_name, message))
    builder.add_canary(value.get("canary", ""), line=number)
    names = value.get("categories", {})
    if not isinstance(names, dict):
        wanted = "must be an object that gives each code its name"
        builder.add_problem(Problem(number, None, "categories", wanted))
        names = {}
    category_names = {}
    for code, category in names.items():
        if category_fault := text_fault(category):
            builder.add_problem(Problem(number, None, f"categories.{code}", category_fault))
        elif str(category).strip():
            category_names[code] = str(category).strip()
    return "" if fault else str(name), category_names


def _add_line(line: JsonLine, builder: BankBuilder) -> None:
    if line.value is None:
        if line.problem is not None:
            builder.add_problem(line.problem)
        return
    known = {field: line.value[name] for field, name in FIELD_NAMES.items() if name in line.value}
    attachments = known.pop("attachments", ())
    prompt_id = known.get("prompt_id")
    shown_id = prompt_id if isinstance(prompt_id, str) else None
    unknown = _unknown_fields(line.value, tuple(FIELD_NAMES.values()))
    builder.add(
        Draft(
            values=known,
            line=line.number,
            prompt_id=shown_id,
            attachments=attachments,
            bases=(builder.root,),
            problems=tuple(Problem(line.number, shown_id, name, message) for name, message in unknown),
        )
    )


def _unknown_fields(value: Mapping[str, object], known: tuple[str, ...]) -> list[tuple[str, str]]:
    problems = []
    for name in value:
        if name not in known:
            close = difflib.get_close_matches(name, known, n=1)
            remedy = f'did you mean "{close[0]}"?' if close else f"the fields are {', '.join(known)}"
            problems.append((name, f"is not a known field; {remedy}"))
    return problems
