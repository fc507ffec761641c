"""Schemas, reasons, and the scoring rule."""

import json
from collections.abc import Iterator

import pytest
from pydantic import BaseModel, JsonValue, ValidationError

from judging.judges.interface import AnswerVerdict, CriterionTask, CriterionVerdict, JudgeTask, sample_score
from judging.judges.reasons import UnscoredReason
from judging.judges.schemas import ExactJudgment, RubricJudgment
from llm import errors


def scored(position: int | None, score: float, confidence: float) -> CriterionVerdict:
    return CriterionVerdict(position, score, confidence, "because")


def unscored(position: int | None, reason: UnscoredReason = UnscoredReason.TIMED_OUT) -> CriterionVerdict:
    return CriterionVerdict(position, None, None, "failed", reason)


def task(criteria: int = 3, *, answer: str = "Mars") -> JudgeTask:
    texts = tuple(CriterionTask(position, f"criterion {position}") for position in range(criteria))
    return JudgeTask("p1", "Which planet?", "Mars", texts, answer)


def test_a_rubric_score_is_the_mean_of_score_times_confidence() -> None:
    verdicts = (scored(0, 1.0, 0.9), scored(1, 0.5, 0.8), scored(2, 0.0, 1.0), scored(3, 1.0, 0.7))
    assert sample_score(verdicts) == AnswerVerdict(0.5, None, verdicts)


def test_an_exact_answer_scores_its_confidence_or_nothing() -> None:
    assert sample_score((scored(None, 1.0, 0.85),)).score == 0.85
    assert sample_score((scored(None, 0.0, 0.85),)).score == 0.0


def test_one_unscored_criterion_leaves_the_answer_unscored_and_not_zero() -> None:
    verdicts = (scored(0, 1.0, 1.0), unscored(1), unscored(2, UnscoredReason.REPLY_EMPTY))
    assert sample_score(verdicts) == AnswerVerdict(None, UnscoredReason.TIMED_OUT, verdicts)


@pytest.mark.parametrize(
    ("score", "confidence", "reason"),
    [
        (None, None, None),
        (0.5, None, None),
        (None, 0.5, UnscoredReason.TIMED_OUT),
        (0.0, 0.0, UnscoredReason.TIMED_OUT),
    ],
)
def test_a_verdict_has_a_score_or_a_reason(
    score: float | None, confidence: float | None, reason: UnscoredReason | None
) -> None:
    with pytest.raises(ValueError, match="or a reason"):
        CriterionVerdict(0, score, confidence, "", reason)


def test_two_criteria_at_one_position_are_refused() -> None:
    with pytest.raises(ValueError, match="Prompt p1 has two criteria at one position"):
        JudgeTask("p1", "?", None, (CriterionTask(1, "a"), CriterionTask(1, "b")), "x")


@pytest.mark.parametrize("answer", ["", " \n\t\u00a0"])
def test_a_blank_answer_is_missing_and_not_judged(answer: str) -> None:
    with pytest.raises(ValueError, match="blank"):
        assert task(answer=answer).text_to_judge


def test_every_llm_error_has_a_reason_that_can_be_stored() -> None:
    def leaves(error: type[errors.LLMError]) -> Iterator[type[errors.LLMError]]:
        children = error.__subclasses__()
        yield from (leaf for child in children for leaf in leaves(child)) if children else (error,)

    not_the_judges_doing = {UnscoredReason.NO_LONGER_COUNTS}
    of_errors = {UnscoredReason(error.reason) for error in leaves(errors.LLMError)}
    assert of_errors == set(UnscoredReason) - not_the_judges_doing
    assert all(len(reason) <= 40 for reason in UnscoredReason)


GOOD: dict[type[BaseModel], dict[str, JsonValue]] = {
    ExactJudgment: {"explanation": "same", "grade": "CORRECT", "confidence": 1},
    RubricJudgment: {"explanation": "met", "score": 0.25, "confidence": 0.5},
}


@pytest.mark.parametrize("schema", GOOD)
@pytest.mark.parametrize(
    "change",
    [
        {"confidence": 1.01}, {"confidence": -0.1}, {"confidence": "0.5"}, {"confidence": None},
        {"explanation": 7}, {"grade": "correct"}, {"score": 1.5}, {"score": True}, {"extra": 1},
    ],
)  # fmt: skip
def test_a_judgment_out_of_form_is_refused(schema: type[BaseModel], change: dict[str, JsonValue]) -> None:
    assert schema.model_validate_json(json.dumps(GOOD[schema]))
    with pytest.raises(ValidationError):
        schema.model_validate_json(json.dumps({**GOOD[schema], **change}))


@pytest.mark.parametrize("number", ["NaN", "Infinity", "1e999"])
def test_a_number_that_is_not_finite_is_refused(number: str) -> None:
    with pytest.raises(ValidationError):
        RubricJudgment.model_validate_json(f'{{"explanation": "", "score": {number}, "confidence": 1}}')


def test_an_explanation_can_be_stored() -> None:
    judgment = RubricJudgment.model_validate_json('{"explanation": "a\\u0000b", "score": 1, "confidence": 1}')
    assert judgment.explanation == "a\ufffdb"
