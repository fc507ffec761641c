"""Prompts with a rubric, and what is stored of the agreement of a panel."""

from typing import Any

from scoring.models import JudgeComparison
from studies.bank.records import CriterionRecord, PromptRecord

Value = float | None


def rubric_prompts(number: int, criteria: int) -> list[PromptRecord]:
    return [
        PromptRecord(
            prompt_id=f"p{n:03d}",
            text=f"Question {n}?",
            gold_answer=str(n),
            criteria=tuple(CriterionRecord(text=f"Says part {c} of {n}.") for c in range(criteria)),
        )
        for n in range(1, number + 1)
    ]


def stored(level: str, **which: Any) -> dict[str, Any]:
    values: dict[str, Any] = JudgeComparison.objects.get(level=level, **which).values
    return values


def statistic(level: str, name: str, **which: Any) -> dict[str, Any]:
    found: dict[str, Any] = stored(level, **which)["statistics"][name]
    return found
