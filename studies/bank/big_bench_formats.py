"""BIG-Bench Extra Hard (BBEH) and Hard (BBH): files of `examples` (`input`, `target`) with a `canary`.

BBEH: benchmark_tasks/<task>/task.json, and the mini set drawn from those tasks. BBH: a folder with one
<task>.json per task. Some questions of BBEH share one text: in two tasks several entries have the same input,
in one of them with different targets. Ids count entries, so every entry is a prompt of its own.
"""

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from formats.files import DEFAULT_LIMITS, FileRefused, Limits, json_file
from formats.problems import Problem
from formats.sentences import json_name, text_fault
from studies.bank.building import BankBuilder, BankReading, Draft


@dataclass(frozen=True)
class TaskExample:
    """One question of a task. The id is the task's name and the place in its file, counting from 1."""

    prompt_id: str
    task: str
    subtask: object
    input: object
    target: object
    file: str


@dataclass(frozen=True)
class TaskFile:
    """The examples of one file and its canary ("" where it has none)."""

    examples: tuple[TaskExample, ...]
    canary: str


EMPTY = TaskFile(examples=(), canary="")


def _read_task_file(path: Path, *, file: str, task: str, id_prefix: str, builder: BankBuilder) -> TaskFile:
    """The file's examples; what is wrong with the file goes to the builder."""
    try:
        content = json_file(path, max_bytes=builder.limits.bank_bytes, file=file)
    except FileRefused as error:
        builder.add_problem(error.problem)
        return EMPTY
    examples = content.get("examples") if isinstance(content, dict) else None
    if not isinstance(content, dict) or not isinstance(examples, list):
        message = f"is {json_name(examples)}, but a list of questions is expected; is it a task file?"
        builder.add_problem(Problem(None, None, "examples", message, file))
        return EMPTY
    found = []
    for number, example in enumerate(examples, start=1):
        prompt_id = f"{id_prefix}-{number:04d}"
        if isinstance(example, dict):
            found.append(_example(example, prompt_id=prompt_id, task=task, file=file))
        else:
            message = f"is {json_name(example)}, but an object with input and target is expected"
            builder.add_problem(Problem(None, prompt_id, f"examples[{number}]", message, file))
    return TaskFile(examples=tuple(found), canary=_canary(content, file, builder))


def _draft_of(example: TaskExample) -> Draft:
    """The example as a prompt: its category is its task, the exact answer its target."""
    values = {
        "prompt_id": example.prompt_id,
        "text": example.input,
        "text_format": "plain",
        "gold_answer": example.target,
        "category": example.task,
        "subcategory": example.subtask,
        "task": example.task,
    }
    return Draft(values=values, file=example.file, prompt_id=example.prompt_id)


def _example(example: dict[str, object], *, prompt_id: str, task: str, file: str) -> TaskExample:
    return TaskExample(
        prompt_id=prompt_id,
        task=task,
        subtask=example.get("subtask") or "",
        input=example.get("input", ""),
        target=example.get("target", ""),
        file=file,
    )


def _canary(content: dict[str, object], file: str, builder: BankBuilder) -> str:
    canary = content.get("canary", "")
    fault = text_fault(canary)
    if not fault:
        return str(canary)
    builder.add_problem(Problem(None, None, "canary", fault, file))
    return ""


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
        builder.add(_draft_of(example))
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
        task = _read_task_file(
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


def read_bbh(path: Path, *, limits: Limits = DEFAULT_LIMITS) -> BankReading:
    """Every question of every task file of the folder, with ids such as bbh_navigate-0001."""
    builder = BankBuilder("bbh", path, limits, FIELD_NAMES)
    files = sorted(path.glob("*.json")) if path.is_dir() else []
    if not files:
        message = "is no folder with task files; give the folder that holds <task>.json files"
        builder.add_problem(Problem(None, None, "", message, str(path)))
    canaries = []
    for file in files:
        task = _read_task_file(
            file, file=file.name, task=file.stem, id_prefix=f"bbh_{file.stem}", builder=builder
        )
        canaries += [task.canary] if task.canary else []
        for example in task.examples:
            builder.add(_draft_of(example))
    return builder.reading(canaries=canaries)
