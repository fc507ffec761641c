"""Schemas, reasons, the scoring rule, and judging an answer in more than one pass."""

import json
from collections.abc import Iterator

import pytest
from pydantic import BaseModel, JsonValue, ValidationError

from llm import errors
from scoring.judge.answers import judge_answer, sample_score
from scoring.judge.interface import AnswerVerdict, CriterionTask, CriterionVerdict, Judge, JudgeTask
from scoring.judge.reasons import UnscoredReason
from scoring.judge.schemas import ExactJudgment, RubricJudgment


def scored(position: int | None, score: float, confidence: float) -> CriterionVerdict:
    return CriterionVerdict(position, score, confidence, "because")


def unscored(position: int | None, reason: UnscoredReason = UnscoredReason.TIMED_OUT) -> CriterionVerdict:
    return CriterionVerdict(position, None, None, "failed", reason)


def task(criteria: int = 3, *, answer: str = "Mars") -> JudgeTask:
    texts = tuple(CriterionTask(position, f"criterion {position}") for position in range(criteria))
    return JudgeTask("p1", "Which planet?", "Mars", texts, answer)


class ScriptedJudge:
    """Gives the verdicts it was told to, and remembers what it was asked."""

    kind = "scripted"

    def __init__(self, *verdicts: CriterionVerdict) -> None:
        self.verdicts = {verdict.position: verdict for verdict in verdicts}
        self.asked: list[int | None] = []

    def describe(self) -> dict[str, JsonValue]:
        return {"kind": self.kind}

    def check(self, task: JudgeTask) -> None:
        """Score everything."""

    def verdict(self, task: JudgeTask, position: int | None) -> CriterionVerdict:
        self.asked.append(position)
        return self.verdicts[position]


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


def test_every_criterion_is_judged_in_order_and_handed_on_at_once() -> None:
    judge = ScriptedJudge(scored(0, 1.0, 1.0), scored(1, 0.0, 1.0), scored(2, 0.5, 1.0))
    handed_on: list[tuple[CriterionVerdict, int]] = []
    verdict = judge_answer(
        judge, task(), on_verdict=lambda verdict: handed_on.append((verdict, len(judge.asked)))
    )
    assert verdict.score == 0.5
    assert [(one.position, asked) for one, asked in handed_on] == [(0, 1), (1, 2), (2, 3)]


def test_a_second_pass_asks_only_for_what_failed() -> None:
    first = judge_answer(ScriptedJudge(scored(0, 1.0, 1.0), unscored(1), scored(2, 1.0, 1.0)), task())
    assert (first.score, first.reason) == (None, UnscoredReason.TIMED_OUT)
    judge = ScriptedJudge(scored(1, 0.4, 1.0))
    second = judge_answer(judge, task(), accepted={verdict.position: verdict for verdict in first.criteria})
    assert judge.asked == [1]
    assert second.score == pytest.approx(0.8)
    assert [verdict.position for verdict in second.criteria] == [0, 1, 2]


@pytest.mark.parametrize("reason", UnscoredReason)
def test_only_a_failure_that_fails_all_stops_an_answer(reason: UnscoredReason) -> None:
    judge = ScriptedJudge(unscored(0, reason), scored(1, 1.0, 1.0), scored(2, 1.0, 1.0))
    verdict = judge_answer(judge, task())
    stops = reason in {UnscoredReason.CONNECTION_FAILED, UnscoredReason.ACCESS_DENIED}
    assert judge.asked == ([0] if stops else [0, 1, 2])
    rest = (reason, reason) if stops else (None, None)
    assert tuple(one.reason for one in verdict.criteria) == (reason, *rest)
    assert (verdict.score, verdict.reason) == (None, reason)


def test_two_criteria_at_one_position_are_refused() -> None:
    with pytest.raises(ValueError, match="Prompt p1 has two criteria at one position"):
        JudgeTask("p1", "?", None, (CriterionTask(1, "a"), CriterionTask(1, "b")), "x")


@pytest.mark.parametrize("answer", ["", " \n\t\u00a0"])
def test_a_blank_answer_is_missing_and_not_judged(answer: str) -> None:
    with pytest.raises(ValueError, match="blank"):
        assert task(answer=answer).text_to_judge


def test_every_reason_has_a_sentence_and_every_llm_error_a_reason() -> None:
    def leaves(error: type[errors.LLMError]) -> Iterator[type[errors.LLMError]]:
        children = error.__subclasses__()
        yield from (leaf for child in children for leaf in leaves(child)) if children else (error,)

    assert {UnscoredReason(error.reason) for error in leaves(errors.LLMError)} == set(UnscoredReason)
    assert all(reason.sentence.endswith(".") for reason in UnscoredReason)
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


def test_the_scripted_judge_of_these_tests_is_a_judge() -> None:
    judge: Judge = ScriptedJudge()
    assert judge.kind == "scripted"
