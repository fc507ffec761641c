"""Rows of a run that asks about several criteria a call."""

from collections import Counter

from judging.models import JudgingRun, RowState
from studies.bank.records import CriterionRecord, PromptRecord

SCORED, UNSCORED, OPEN = RowState.SCORED, RowState.UNSCORED, RowState.OPEN


def rubric(number: int, criteria: int) -> PromptRecord:
    return PromptRecord(
        prompt_id=f"p{number:03d}",
        text=f"Question {number}?",
        criteria=tuple(CriterionRecord(text=f"Says part {c} of {number}.") for c in range(criteria)),
    )


PROMPTS = [rubric(1, 5), rubric(2, 3), rubric(3, 1)]


def states(run: JudgingRun) -> Counter[tuple[str, str]]:
    return Counter(run.rows.values_list("state", "origin"))
