"""Scores of answers, and a judge that fails."""

from judging.judges.reasons import UnscoredReason
from judging.models import AnswerScore
from studies.bank.records import ContainsCheck, CriterionRecord, PromptRecord
from tests.support.scripted_judge import ScriptedJudge


def prompt(number: int, *words: str) -> PromptRecord:
    criteria = [CriterionRecord(text=f"Says {word}.", check=ContainsCheck(any_of=(word,))) for word in words]
    return PromptRecord(
        prompt_id=f"p{number}", text=f"Question {number}?", criteria=tuple(criteria), gold_answer="42"
    )


PROMPTS = [prompt(1, "red", "blue"), prompt(2, "red", "blue", "green", "white"), prompt(3, "red"), prompt(4)]
ANSWERS = {"p1": "red and blue", "p2": "red", "p3": "blue", "p4": "42"}


def answers(number: int) -> dict[str, str]:
    """Texts that nobody else gives: equal ones are asked about once."""
    return {prompt_id: f"{text} {number}" for prompt_id, text in ANSWERS.items()}


def fails(reason: UnscoredReason, *where: tuple[str, int | None]) -> ScriptedJudge:
    """A judge that fails in this way, everywhere or there only."""
    return ScriptedJudge(
        lambda task, position: reason if not where or (task.prompt_id, position) in where else None
    )


def scores() -> dict[str, float | str]:
    rows = AnswerScore.objects.values_list("answer__prompt__prompt_id", "score", "unscored_reason")
    return {prompt_id: reason if score is None else score for prompt_id, score, reason in rows}
