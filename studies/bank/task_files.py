"""The JSON layout BBEH and BBH share: a task file holds `examples` (`input`, `target`) and a `canary`."""

from dataclasses import dataclass
from pathlib import Path

from formats.files import FileRefused, json_file
from formats.problems import Problem
from formats.sentences import json_name, text_fault
from studies.bank.building import BankBuilder, Draft


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


def read_task_file(path: Path, *, file: str, task: str, id_prefix: str, builder: BankBuilder) -> TaskFile:
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


def draft_of(example: TaskExample) -> Draft:
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
