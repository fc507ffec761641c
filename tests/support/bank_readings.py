"""Readings of banks to import."""

from pathlib import Path

from formats.problems import Problem
from studies.bank.building import BankReading
from studies.bank.records import BankRecord, PromptRecord


def prompt(prompt_id: str = "one", text: str = "Which?", **fields: object) -> PromptRecord:
    return PromptRecord.model_validate({"prompt_id": prompt_id, "text": text, "gold_answer": "this"} | fields)


def reading_of(
    *prompts: PromptRecord, problems: tuple[Problem, ...] = (), root: Path = Path()
) -> BankReading:
    bank = BankRecord(format="chiron", prompts=prompts, canaries=("canary-1",))
    return BankReading(bank=bank, problems=problems, root=root)
