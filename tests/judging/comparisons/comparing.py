"""A comparison that is drawn, and one that is started."""

from studies.bank.records import CriterionRecord, PromptRecord


def rubric(number: int, criteria: int) -> PromptRecord:
    return PromptRecord(
        prompt_id=f"p{number:03d}",
        text=f"Question {number}?",
        gold_answer=str(number),
        criteria=tuple(CriterionRecord(text=f"Says part {c} of {number}.") for c in range(criteria)),
    )


def unseen(done: int, total: int) -> None:
    """Nobody watches a test."""
