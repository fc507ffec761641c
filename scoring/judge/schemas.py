"""The JSON a judge model must return (GIM paper, D.9 and E); the explanation first, to be written first."""

from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from llm.texts import storable


class _Judgment(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)


_Unit = Annotated[float, Field(ge=0.0, le=1.0)]


class ExactJudgment(_Judgment):
    """Whether a predicted answer matches the gold target."""

    explanation: Annotated[str, AfterValidator(storable)] = Field(
        description="Why the predicted answer does or does not match the gold target."
    )
    grade: Literal["CORRECT", "INCORRECT"] = Field(
        description="Does the predicted answer match the gold target?"
    )
    confidence: _Unit = Field(description="How sure the grade is: 0.0 is a guess, 1.0 is certain.")


class RubricJudgment(_Judgment):
    """How far a response meets one rubric criterion."""

    explanation: Annotated[str, AfterValidator(storable)] = Field(
        description="Why the response does or does not meet the criterion."
    )
    score: _Unit = Field(description="How far the criterion is met: 0.0 not at all, 1.0 fully.")
    confidence: _Unit = Field(description="How sure the score is: 0.0 is a guess, 1.0 is certain.")
