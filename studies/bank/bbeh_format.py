"""BIG-Bench Extra Hard: benchmark_tasks/<task>/task.json, and the mini set drawn from those tasks.

Some questions of BBEH share one text: in two tasks several entries have the same input, in one of them with
different targets. Ids count entries, so every entry is a prompt of its own.
"""

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

from formats.files import DEFAULT_LIMITS, FileRefused, Limits, json_file
from formats.problems import Problem
from formats.sentences import json_name
from studies.bank.building import BankBuilder, BankReading
from studies.bank.task_files import TaskExample, draft_of, read_task_file

FIELD_NAMES: Mapping[str, str] = {"text": "input", "gold_answer": "target", "criteria": "rubric"}
TASKS_FOLDER = "benchmark_tasks"
MINI_FILES = ("mini.json", "mini/data.json")
PREFIX = "bbeh_"


def read_bbeh(path: Path, *, mini: bool = False, limits: Limits = DEFAULT_LIMITS) -> BankReading:
    """All questions, or with `mini` (or a path to a file) those of the mini set.

    `path` is the folder that holds benchmark_tasks, that folder itself, or the mini set's file.
    """
    home = _home(path)
    builder = BankBuilder("bbeh", home, limits, FIELD_NAMES)
    examples, canaries = _all_examples(home, builder)
    if mini or path.is_file():
        mini_file = path if path.is_file() else _mini_file(home)
        examples = _mini_examples(mini_file, examples, builder)
    for example in examples:
        builder.add(draft_of(example))
    return builder.reading(canaries=canaries)


def _home(path: Path) -> Path:
    """The folder that holds benchmark_tasks, as far as the path tells."""
    folders = [path]
    if path.is_file():
        folders = [path.parent, path.parent.parent]
    elif path.name == TASKS_FOLDER:
        folders = [path.parent]
    return next((folder for folder in folders if (folder / TASKS_FOLDER).is_dir()), path)


def _mini_file(home: Path) -> Path:
    candidates = [home / name for name in MINI_FILES]
    return next((file for file in candidates if file.is_file()), candidates[0])


def _all_examples(home: Path, builder: BankBuilder) -> tuple[list[TaskExample], list[str]]:
    files = sorted((home / TASKS_FOLDER).glob("*/task.json"))
    if not files:
        message = f"holds no {TASKS_FOLDER}/<task>/task.json; give the folder that holds {TASKS_FOLDER}"
        builder.add_problem(Problem(None, None, "", message, str(home)))
    examples: list[TaskExample] = []
    canaries = []
    for file in files:
        folder = file.parent.name
        shown = file.relative_to(home).as_posix()
        task = read_task_file(
            file, file=shown, task=folder.removeprefix(PREFIX), id_prefix=folder, builder=builder
        )
        examples += task.examples
        canaries += [task.canary] if task.canary else []
    return examples, canaries


def _mini_examples(file: Path, examples: Sequence[TaskExample], builder: BankBuilder) -> list[TaskExample]:
    """The task entries the mini set's entries are: same input and target, each entry taken once, in order."""
    waiting: dict[str, list[TaskExample]] = defaultdict(list)
    for example in examples:
        waiting[json.dumps([example.input, example.target])].append(example)
    found = []
    for number, entry in enumerate(_mini_entries(file, builder), start=1):
        matches = waiting.get(_key(entry))
        if matches:
            found.append(matches.pop(0))
        else:
            message = "matches no question of the task files by input and target; get both from one version"
            builder.add_problem(Problem(None, None, f"examples[{number}]", message, file.name))
    return found


def _key(entry: object) -> str:
    return json.dumps([entry.get("input"), entry.get("target")]) if isinstance(entry, dict) else ""


def _mini_entries(file: Path, builder: BankBuilder) -> list[object]:
    shown = file.name if file.is_file() else str(file)
    try:
        content = json_file(file, max_bytes=builder.limits.bank_bytes, file=shown)
    except FileRefused as error:
        builder.add_problem(error.problem)
        return []
    entries = content.get("examples") if isinstance(content, dict) else None
    if isinstance(entries, list):
        return entries
    message = f"is {json_name(entries)}, but a list of questions is expected; is it the mini set?"
    builder.add_problem(Problem(None, None, "examples", message, shown))
    return []
