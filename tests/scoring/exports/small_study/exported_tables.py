"""Prompts of a small study, and the tables of an export."""

import csv
from pathlib import Path
from typing import Any

from psychometrics.recompute.export import table_row
from studies.bank.records import PromptRecord

SECRET_QUESTION, SECRET_ANSWER = "What does nobody know yet?", "the unpublished answer"
FORMULA = '=HYPERLINK("http://example.org")'
PROMPTS = [
    PromptRecord(prompt_id="p1", text="Question 1?", gold_answer="42", category="QR"),
    PromptRecord(prompt_id="p2", text="Question 2?", gold_answer="43", category="LR"),
    PromptRecord(prompt_id="p3", text="Question 3?", gold_answer="44", category="LR"),
    PromptRecord(
        prompt_id="hidden", text=SECRET_QUESTION, gold_answer=SECRET_ANSWER, category="SI", split="private"
    ),
]


def lines(folder: Path, table: str) -> list[dict[str, Any]]:
    text = (folder / f"{table}.jsonl").read_text(encoding="utf-8")
    return [table_row(line) for line in text.split("\n")[:-1]]


def cells(folder: Path, table: str) -> list[dict[str, str]]:
    with (folder / f"{table}.csv").open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))
