"""The rows of an export: fixed columns, each with a description. The data dictionary is made from these.

People appear under their code only. `None` means absent; it is never zero, and never an empty text.
"""

from datetime import datetime
from typing import Annotated, ClassVar

from pydantic import BaseModel, ConfigDict, Field, FiniteFloat, JsonValue

Code = Annotated[str, Field(description="code of the participant; the only name a person has in an export")]
PromptId = Annotated[str, Field(description="id of the prompt in its bank")]
Run = Annotated[int, Field(description="number of the scoring run in the manifest")]
Group = Annotated[
    str, Field(description="`average` (everyone retained) or `top` (in-sample: selected on the outcome)")
]
RulesVersion = Annotated[str, Field(description="version of the off-task rules")]


class Row(BaseModel):
    """Base of every row. `table` names the two files, `about` opens its part of the data dictionary."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    table: ClassVar[str]
    about: ClassVar[str]


class ParticipantRow(Row):
    """One person."""

    table = "participants"
    about = "One row per participant; test participants are left out."

    participant: Code
    profile: str = Field(description="slug of the participant's profile")
    vetting_status: str = Field(description="`submitted`, `approved` or `rejected`")
    submitted_at: datetime = Field(description="when the participant was submitted for approval")
    session_status: str | None = Field(
        description="`active`, `submitted`, `expired` or `withdrawn`; absent if never started"
    )
    consent: bool | None = Field(description="newest consent decision; absent before any decision")
    consent_decided_at: datetime | None = Field(description="when that decision was made")
    excluded: bool = Field(description="the newest off-task verdict confirms the exclusion")
    retained: bool = Field(
        description="the session has ended, is not withdrawn, and the person is not excluded"
    )


class SessionRow(Row):
    """One run against the clock."""

    table = "sessions"
    about = "One row per started session; every participant has at most one."

    participant: Code
    batch: int = Field(description="number of the batch")
    status: str = Field(description="`active`, `submitted`, `expired` or `withdrawn`")
    started_at: datetime = Field(description="when the participant pressed start, by the server's clock")
    deadline_at: datetime = Field(description="deadline, stored at the start")
    ended_at: datetime | None = Field(description="when the session ended; absent while it runs")
    resources: list[str] | None = Field(
        description="categories of resources the participant declared; absent if undeclared or withdrawn"
    )
    resources_note: str | None = Field(description="what the participant wrote about them; absent likewise")


class PromptRow(Row):
    """One prompt, without its text."""

    table = "prompts"
    about = "One row per public prompt of the study's batches, without its text."

    prompt_id: PromptId
    category: str = Field(description="category in the prompt bank")
    subcategory: str = Field(description="sub-category in the prompt bank")
    task: str = Field(description="task in a task benchmark")
    modality: str = Field(description="`text`, `image`, `pdf` or `mixed`")
    criteria: int = Field(description="number of rubric criteria; 0 means an exact answer is expected")
    a: FiniteFloat | None = Field(
        description="discrimination in the item bank; absent if it does not hold the prompt"
    )
    b: FiniteFloat | None = Field(description="difficulty in the item bank, in logits; absent likewise")


class AnswerRow(Row):
    """One prompt of one session."""

    table = "answers"
    about = (
        "One row per public prompt of every started session, answered or not. Text that a withdrawn or still "
        "running session holds is not exported."
    )

    participant: Code
    batch: int = Field(description="number of the batch")
    position: int = Field(description="place of the prompt in the batch, from 1")
    prompt_id: PromptId
    state: str = Field(
        description="`answered`, `drafted_at_expiry`, `draft`, `blank`, `skipped`, `not_reached`, `withdrawn`"
    )
    counts: bool = Field(description="the answer goes to the judge under the study's overdue rule")
    text: str | None = Field(
        description="the newest saved text; absent if nothing was saved or it is not exported"
    )
    revision: int = Field(description="number of the newest accepted revision; 0 means never saved")
    first_seen_at: datetime | None = Field(description="when the prompt was first shown")
    saved_at: datetime | None = Field(description="when the newest revision was accepted")


class ScoreRow(Row):
    """The sample score of one answer by one judge."""

    table = "scores"
    about = (
        "One row per judged answer to a public prompt and scoring run. An answer the judge could not score "
        "has a reason and no score: it is unscored, never zero. Scores of withdrawn sessions are left out."
    )

    run: Run
    participant: Code
    prompt_id: PromptId
    score: FiniteFloat | None = Field(description="sample score in [0, 1]; absent if unscored")
    unscored_reason: str | None = Field(description="why there is no score")
    revision: int = Field(description="the revision of the answer that was judged")
    judged_at: datetime = Field(description="when the score was stored")


class CriterionRow(Row):
    """The judge's verdict on one criterion."""

    table = "criteria"
    about = "One row per judged criterion of the answers in `scores`; an exact-answer prompt has one row."

    run: Run
    participant: Code
    prompt_id: PromptId
    criterion: int | None = Field(
        description="place of the criterion in the rubric, from 1; absent for an exact answer"
    )
    score: FiniteFloat | None = Field(description="the judge's score in [0, 1]; absent if unscored")
    confidence: FiniteFloat | None = Field(description="the judge's confidence in [0, 1]; absent if unscored")
    explanation: str = Field(description="the judge's explanation")
    unscored_reason: str | None = Field(description="why there is no score")


class FlagRow(Row):
    """What an off-task rule found."""

    table = "flags"
    about = "One row per off-task flag on an answer to a public prompt or on a participant; none excludes."

    participant: Code
    prompt_id: str | None = Field(description="id of the flagged answer's prompt; absent for a participant")
    rules_version: RulesVersion
    reason: str = Field(description="reason code of the rule")
    evidence: str = Field(description="what the rule saw")
    flagged_at: datetime = Field(description="when the rules ran")


class VerdictRow(Row):
    """A reviewer's decision."""

    table = "verdicts"
    about = "One row per decision of a reviewer about a participant's flags; the newest one counts."

    participant: Code
    rules_version: RulesVersion
    decision: str = Field(description="`confirm` (excluded) or `overturn` (retained)")
    reason: str = Field(description="the reviewer's reason")
    reviewer: int = Field(description="number of the reviewer within this export")
    decided_at: datetime = Field(description="when the decision was made")


class EstimateRow(Row):
    """Ability of one group."""

    table = "estimates"
    about = (
        "One row per scoring run, group and category, from the newest computation of the run. Answers to "
        "private prompts are part of these aggregates. expected = missing + unscored + pairs + unknown_items."
    )

    run: Run
    group: Group
    category: str = Field(description="category; empty for all prompts together")
    participants: int = Field(description="number of people in the group")
    theta: FiniteFloat | None = Field(description="ability in logits, from the mean score of each prompt")
    se: FiniteFloat | None = Field(description="analytic standard error of theta")
    ci_low: FiniteFloat | None = Field(description="lower end of the 95 % interval of theta")
    ci_high: FiniteFloat | None = Field(description="upper end of the 95 % interval of theta")
    theta_pool: FiniteFloat | None = Field(description="ability in logits, every answer its own observation")
    se_pool: FiniteFloat | None = Field(description="analytic standard error of theta_pool")
    ci_low_pool: FiniteFloat | None = Field(description="lower end of the 95 % interval of theta_pool")
    ci_high_pool: FiniteFloat | None = Field(description="upper end of the 95 % interval of theta_pool")
    pairs: int = Field(
        description="scored answers to prompts of the item bank; without an item bank, all scored ones"
    )
    prompts: int = Field(description="distinct prompts among the pairs")
    responses_per_prompt: FiniteFloat | None = Field(description="pairs / prompts")
    raw_mean: FiniteFloat | None = Field(description="mean score of the pairs")
    coverage: FiniteFloat | None = Field(
        description="prompts / items of the item bank (without one: the study's prompts) in the category"
    )
    expected: int = Field(description="participants times the prompts of their batches")
    missing: int = Field(
        description="expected answers that are not there: blank, skipped, not reached, not submitted"
    )
    unscored: int = Field(description="answers that are there and have no score")
    unknown_items: int = Field(description="scored answers to prompts the item bank does not hold")


class TaskRow(Row):
    """Accuracy on one task."""

    table = "task_accuracies"
    about = "One row per scoring run, group and task of a task benchmark."

    run: Run
    group: Group
    task: str = Field(description="task of the benchmark")
    responses: int = Field(description="scored answers")
    accuracy: FiniteFloat | None = Field(description="accuracy in percent; absent if nothing is scored")


class MetricRow(Row):
    """A summary over tasks."""

    table = "metrics"
    about = "One row per scoring run, group and metric of a task benchmark."

    run: Run
    group: Group
    name: str = Field(description="`macro`, `micro` or `adjusted_harmonic_mean`")
    value: FiniteFloat | None = Field(description="value in percent; absent if it cannot be computed")


class EventRow(Row):
    """One entry of the trail."""

    table = "events"
    about = "One row per recorded event of the study and its sessions; test participants are left out."

    scope: str = Field(description="`study` or `session`")
    participant: str | None = Field(description="code of the participant; absent for an event of the study")
    kind: str = Field(description="what happened")
    details: dict[str, JsonValue] = Field(description="facts of the event that identify nobody")
    happened_at: datetime = Field(description="when it happened, by the server's clock")
    recorded_at: datetime | None = Field(description="when it was written, where that can differ")


ROW_TYPES: tuple[type[Row], ...] = (
    ParticipantRow,
    SessionRow,
    PromptRow,
    AnswerRow,
    ScoreRow,
    CriterionRow,
    FlagRow,
    VerdictRow,
    EstimateRow,
    TaskRow,
    MetricRow,
    EventRow,
)
