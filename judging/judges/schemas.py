"""The JSON a judge model must return (GIM paper, D.9 and E); the explanation first, to be written first."""

from functools import cache
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, create_model

from llm.replies import storable


class _Judgment(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)


_Text = Annotated[str, AfterValidator(storable)]
_Unit = Annotated[float, Field(ge=0.0, le=1.0)]

# Some endpoints take no schema of more than a hundred fields, and no judge reads on for ever.
MAX_CRITERIA = 20


class ExactJudgment(_Judgment):
    """Whether a predicted answer matches the gold target."""

    explanation: _Text = Field(description="Why the predicted answer does or does not match the gold target.")
    grade: Literal["CORRECT", "INCORRECT"] = Field(
        description="Does the predicted answer match the gold target?"
    )
    confidence: _Unit = Field(description="How sure the grade is: 0.0 is a guess, 1.0 is certain.")


class RubricJudgment(_Judgment):
    """How far a response meets one rubric criterion."""

    explanation: _Text = Field(description="Why the response does or does not meet the criterion.")
    score: _Unit = Field(description="How far the criterion is met: 0.0 not at all, 1.0 fully.")
    confidence: _Unit = Field(description="How sure the score is: 0.0 is a guess, 1.0 is certain.")


class RubricJudgments(_Judgment):
    """How far a response meets several criteria: numbered fields, for small models fill a flat form best.

    Each criterion is explained right before it is scored. A reply that lacks a field, or has one out of
    range, is no judgment on any criterion.
    """

    @property
    def each(self) -> tuple[RubricJudgment, ...]:
        """The judgments in the order of their numbers."""
        fields = self.model_dump()
        return tuple(
            RubricJudgment(
                explanation=fields[f"explanation_{number}"],
                score=fields[f"score_{number}"],
                confidence=fields[f"confidence_{number}"],
            )
            for number in range(1, len(fields) // 3 + 1)
        )


@cache
def rubric_judgments(criteria: int) -> type[RubricJudgments]:
    """The form for 2 to MAX_CRITERIA criteria, the same class each time; raises ValueError for others."""
    if not 2 <= criteria <= MAX_CRITERIA:
        raise ValueError(f"There is no form for {criteria} criteria.")
    fields: dict[str, Any] = {}
    for number in range(1, criteria + 1):
        why = f"Why the response does or does not meet criterion {number}."
        how_far = f"How far criterion {number} is met: 0.0 not at all, 1.0 fully."
        how_sure = f"How sure score {number} is: 0.0 is a guess, 1.0 is certain."
        fields[f"explanation_{number}"] = (_Text, Field(description=why))
        fields[f"score_{number}"] = (_Unit, Field(description=how_far))
        fields[f"confidence_{number}"] = (_Unit, Field(description=how_sure))
    return create_model(f"RubricJudgments{criteria}", __base__=RubricJudgments, **fields)
