"""BIG-Bench Extra Hard (BBEH) and Hard (BBH): files of `examples` (`input`, `target`) with a `canary`.

BBEH: benchmark_tasks/<task>/task.json, and the mini set drawn from those tasks. BBH: a folder with one
<task>.json per task. On Hugging Face both are Parquet: BBEH one table with the columns `task`, `input`,
`target` and `mini`, BBH a table for each task, named or in a folder named after it. Some questions of BBEH
share one text: in two tasks several entries have the same input, in one of them with different targets. Ids
count entries, so every entry is a prompt of its own.
"""

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from formats.file_kinds import TASK_FILE
from formats.files import DEFAULT_LIMITS, FileRefused, Limits, json_file, read_content
from formats.parquet_files import read_table
from formats.problems import Problem
from formats.progress import Progress, unseen
from formats.sentences import json_name
from studies.bank.building import BankBuilder, BankReading, Draft

FIELD_NAMES: Mapping[str, str] = {"text": "input", "gold_answer": "target", "criteria": "rubric"}
TASKS_FOLDER = "benchmark_tasks"
ONE_FILE = (
    "is one file of BIG-Bench Extra Hard, whose questions have their ids from their place among all: give "
    "the folder that holds benchmark_tasks (as a zip on the page), or the Parquet file from Hugging Face"
)
# How Hugging Face names the parts of a table; the folder has the name then.
SHARD = re.compile(r"(train|test|validation|data)(-\d+-of-\d+)?")
MINI_FILES = ("mini.json", "mini/data.json")


def read_bbeh(
    path: Path, *, mini: bool = False, limits: Limits = DEFAULT_LIMITS, progress: Progress = unseen
) -> BankReading:
    """All questions, or with `mini` (or a path to a file) those of the mini set.

    `path` is the folder that holds benchmark_tasks, that folder itself, or the mini set's file.
    """
    home = _home(path)
    builder = BankBuilder("bbeh", home, limits, FIELD_NAMES)
    if not (home / TASKS_FOLDER).is_dir() and (tables := _tables(path)):
        for draft in _table_drafts(tables, "bbeh_{}", builder, mini=mini):
            builder.add(draft)
        return builder.reading()
    if path.is_file() and not (home / TASKS_FOLDER).is_dir():
        builder.add_problem(Problem(None, None, "", ONE_FILE, path.name))
        return builder.reading()
    files = sorted((home / TASKS_FOLDER).glob("*/task.json"))
    if not files:
        message = f"holds no {TASKS_FOLDER}/<task>/task.json; give the folder that holds {TASKS_FOLDER}"
        builder.add_problem(Problem(None, None, "", message, str(home)))
    drafts: list[Draft] = []
    for file in files:
        folder, file_name = file.parent.name, file.relative_to(home).as_posix()
        drafts += _task_drafts(file, file_name, folder.removeprefix("bbeh_"), folder, builder)
    if mini or path.is_file():
        candidates = [path] if path.is_file() else [home / name for name in MINI_FILES]
        mini_file = next((file for file in candidates if file.is_file()), candidates[0])
        drafts = _mini_drafts(mini_file, drafts, builder)
    for position, draft in enumerate(drafts):
        progress(position, len(drafts))
        builder.add(draft)
    return builder.reading()


def read_bbh(path: Path, *, limits: Limits = DEFAULT_LIMITS, progress: Progress = unseen) -> BankReading:
    """Every question of every task file of the folder, with ids such as bbh_navigate-0001."""
    builder = BankBuilder("bbh", path, limits, FIELD_NAMES)
    if (path.is_file() or not list(path.glob("*.json"))) and (tables := _tables(path)):
        for draft in _table_drafts(tables, "bbh_{}", builder):
            builder.add(draft)
        return builder.reading()
    files = sorted(path.glob("*.json")) if path.is_dir() else []
    if not files:
        message = "is no folder with task files; give the folder that holds <task>.json files"
        builder.add_problem(Problem(None, None, "", message, str(path)))
    for position, file in enumerate(files):
        progress(position, len(files))
        for draft in _task_drafts(file, file.name, file.stem, f"bbh_{file.stem}", builder):
            builder.add(draft)
    return builder.reading()


def _home(path: Path) -> Path:
    """The folder that holds benchmark_tasks, as far as the path tells."""
    folders = [path]
    if path.is_file():
        folders = [path.parent, path.parent.parent]
    elif path.name == TASKS_FOLDER:
        folders = [path.parent]
    return next((folder for folder in folders if (folder / TASKS_FOLDER).is_dir()), path)


def _tables(path: Path) -> list[Path]:
    if path.is_file():
        return [path] if path.suffix.lower() == ".parquet" else []
    return sorted(file for file in path.rglob("*.parquet") if file.is_file())


def _table_drafts(
    tables: Sequence[Path], id_prefix: str, builder: BankBuilder, *, mini: bool = False
) -> Iterator[Draft]:
    """The rows of the tables as prompts; an id is the task, and the place among its rows. With `mini` those
    that are marked so.
    """
    numbers: Counter[str] = Counter()
    for file in tables:
        try:
            content = read_content(file, max_bytes=builder.limits.bank_bytes, file=file.name)
            needed = ("input", "target", *(("mini",) if mini else ()))
            table = read_table(content, file=file.name, columns=(*needed, "task"), required=needed)
        except FileRefused as error:
            builder.add_problem(error.problem)
            continue
        named = file.parent.name if SHARD.fullmatch(file.stem) else file.stem
        for line, row in enumerate(table.to_pylist(), start=1):
            task = re.sub(r"[\s-]+", "_", str(row.get("task") or named).strip().lower())
            task = task.removeprefix(id_prefix.format(""))
            numbers[task] += 1
            if mini and row["mini"] not in (1, True, "1"):
                continue
            prompt_id = f"{id_prefix.format(task)}-{numbers[task]:04d}"
            values = {
                "prompt_id": prompt_id, "text": row["input"] or "", "text_format": "plain",
                "gold_answer": row["target"] or "", "category": task, "subcategory": "", "task": task,
            }  # fmt: skip
            yield Draft(values=values, line=line, file=file.name, prompt_id=prompt_id)


def _task_drafts(path: Path, file_name: str, task: str, id_prefix: str, builder: BankBuilder) -> list[Draft]:
    """The examples of a task's file as prompts, whose exact answers are the targets and category the task.

    An id is `id_prefix` and the place in the file, counting from 1. What is wrong with the file, and its
    canary, go to the builder.
    """
    content = _examples_file(path, file_name, "a task file", builder)
    drafts = []
    for number, example in enumerate(content.get("examples", ()), start=1):
        prompt_id = f"{id_prefix}-{number:04d}"
        if not isinstance(example, dict):
            message = f"is {json_name(example)}, but an object with input and target is expected"
            builder.add_problem(Problem(None, prompt_id, f"examples[{number}]", message, file_name))
            continue
        values = {
            "prompt_id": prompt_id,
            "text": example.get("input", ""),
            "text_format": "plain",
            "gold_answer": example.get("target", ""),
            "category": task,
            "subcategory": example.get("subtask") or "",
            "task": task,
        }
        drafts.append(Draft(values=values, file=file_name, prompt_id=prompt_id))
    builder.add_canary(content.get("canary", ""), file=file_name)
    return drafts


def _mini_drafts(file: Path, drafts: Sequence[Draft], builder: BankBuilder) -> list[Draft]:
    """The prompts that the mini set's entries are: same input and target, each taken once, in order."""
    waiting: dict[str, list[Draft]] = defaultdict(list)
    for draft in drafts:
        waiting[json.dumps([draft.values["text"], draft.values["gold_answer"]])].append(draft)
    file_name = file.name if file.is_file() else str(file)
    entries = _examples_file(file, file_name, "the mini set", builder).get("examples", ())
    chosen = []
    for number, entry in enumerate(entries, start=1):
        key = json.dumps([entry.get("input"), entry.get("target")]) if isinstance(entry, dict) else ""
        if matches := waiting.get(key):
            chosen.append(matches.pop(0))
        else:
            message = "matches no question of the task files by input and target; get both from one version"
            builder.add_problem(Problem(None, None, f"examples[{number}]", message, file.name))
    return chosen


def _examples_file(path: Path, file_name: str, kind: str, builder: BankBuilder) -> dict[str, Any]:
    """A file's object, if it has a list of `examples`; else it is empty, and the builder is told why."""
    try:
        content = json_file(path, max_bytes=builder.limits.bank_bytes, file=file_name, document=TASK_FILE)
    except FileRefused as error:
        builder.add_problem(error.problem)
        return {}
    examples = content.get("examples") if isinstance(content, dict) else None
    if isinstance(content, dict) and isinstance(examples, list):
        return content
    message = f"is {json_name(examples)}, but a list of questions is expected; is it {kind}?"
    builder.add_problem(Problem(None, None, "examples", message, file_name))
    return {}
