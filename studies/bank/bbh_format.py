"""BIG-Bench Hard: a folder with one <task>.json per task."""

from collections.abc import Mapping
from pathlib import Path

from formats.files import DEFAULT_LIMITS, Limits
from formats.problems import Problem
from studies.bank.building import BankBuilder, BankReading
from studies.bank.task_files import draft_of, read_task_file

FIELD_NAMES: Mapping[str, str] = {"text": "input", "gold_answer": "target", "criteria": "rubric"}


def read_bbh(path: Path, *, limits: Limits = DEFAULT_LIMITS) -> BankReading:
    """Every question of every task file of the folder, with ids such as bbh_navigate-0001."""
    builder = BankBuilder("bbh", path, limits, FIELD_NAMES)
    files = sorted(path.glob("*.json")) if path.is_dir() else []
    if not files:
        message = "is no folder with task files; give the folder that holds <task>.json files"
        builder.add_problem(Problem(None, None, "", message, str(path)))
    canaries = []
    for file in files:
        task = read_task_file(
            file, file=file.name, task=file.stem, id_prefix=f"bbh_{file.stem}", builder=builder
        )
        canaries += [task.canary] if task.canary else []
        for example in task.examples:
            builder.add(draft_of(example))
    return builder.reading(canaries=canaries)
