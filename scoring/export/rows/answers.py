"""Prompts, answers, and what judges gave for them."""

from datetime import datetime

from pydantic import Field, FiniteFloat

from scoring.export.rows.base import Code, Label, PromptId, Row, Run


class PromptRow(Row):
    """One row per public prompt of the study's batches, without its text."""

    table = "prompts"

    prompt_id: PromptId
    label: Label
    category: str = Field(description="category in the prompt bank, as a code; see `result_category`")
    subcategory: str = Field(description="sub-category in the prompt bank, as a code")
    task: str = Field(description="task in a task benchmark")
    modality: str = Field(description="`text`, `image`, `pdf` or `mixed`")
    criteria: int = Field(description="number of rubric criteria; 0 means an exact answer is expected")
    a: FiniteFloat | None = Field(
        description="discrimination in the item bank; absent if it does not hold the prompt"
    )
    b: FiniteFloat | None = Field(description="difficulty in the item bank, in logits; absent likewise")
    result_category: str = Field(
        description="category that batches are balanced on and results are reported under: that of the "
        "bank that the protocol's `category_source` names (absent: the item bank), else the other's"
    )
    result_subcategory: str = Field(description="sub-category that results are reported under, likewise")
    labels: list[str] = Field(description="labels in the prompt bank")


class AnswerRow(Row):
    """One row per public prompt of every started session, answered or not. Texts, notes and confidences
    that a withdrawn or still running session holds are not exported.
    """

    table = "answers"

    participant: Code
    batch: int = Field(description="number of the batch")
    position: int = Field(
        description="place at which the participant saw the prompt, from 1; the place in the batch, unless "
        "the study's `prompt_order` is `random`"
    )
    prompt_id: PromptId
    label: Label
    state: str = Field(
        description="`answered`, `drafted_at_expiry`, `draft`, `blank`, `skipped`, `not_reached`, "
        "`withdrawn` or `void` (the session was voided by the study team)"
    )
    counts: bool = Field(description="the answer goes to the judge under the study's overdue rule")
    text: str | None = Field(
        description="the newest saved text; absent if nothing was saved or it is not exported, and in a "
        "public export"
    )
    note: str | None = Field(
        description="what the participant wrote they used for this prompt; absent like the text, and if the "
        "session did not ask"
    )
    confidence: int | None = Field(
        description="how sure the participant was, in percent; absent likewise, and if they did not say"
    )
    revision: int = Field(description="number of the newest accepted revision; 0 means never saved")
    first_seen_at: datetime | None = Field(
        description="when the prompt was first shown; where an open page showed it without a network, and "
        "told so before the server showed it, as the device told (event `seen_offline`)"
    )
    saved_at: datetime | None = Field(description="when the newest revision was accepted")


class ScoreRow(Row):
    """One row per judged answer to a public prompt and scoring run. An answer the judge could not score
    has a reason and no score: it is unscored, never zero. Only what counts is here: no answer of a
    withdrawn or running session, and no score of a text that was changed after it was judged.
    """

    table = "scores"

    run: Run
    participant: Code
    prompt_id: PromptId
    label: Label
    score: FiniteFloat | None = Field(description="sample score in [0, 1]; absent if unscored")
    unscored_reason: str | None = Field(description="why there is no score")
    revision: int = Field(description="the revision of the answer that was judged")
    judged_at: datetime = Field(description="when the score was stored")


class CriterionRow(Row):
    """One row per judged criterion of the answers in `scores`; an exact-answer prompt has one row."""

    table = "criteria"

    run: Run
    participant: Code
    prompt_id: PromptId
    label: Label
    criterion: int | None = Field(
        description="place of the criterion in the rubric, from 1; absent for an exact answer"
    )
    score: FiniteFloat | None = Field(description="the judge's score in [0, 1]; absent if unscored")
    confidence: FiniteFloat | None = Field(description="the judge's confidence in [0, 1]; absent if unscored")
    explanation: str | None = Field(
        description="the judge's explanation, which may quote the answer; absent in a public export"
    )
    unscored_reason: str | None = Field(description="why there is no score")
    origin: str | None = Field(
        description="`asked` (in a call of its own), `shared` (in the call of an equal request) or `cached` "
        "(from an earlier run); absent if nothing was asked because the answer no longer counted"
    )
    revision: int = Field(description="the revision of the answer that was judged")


class JudgeCallRow(Row):
    """One row per request to a judge about an answer to a public prompt, successful or not, in the order
    they were stored; the replies themselves are not exported. Requests about answers of a withdrawn or
    running session are left out.
    """

    table = "judge_calls"

    judging_run: int = Field(description="number of the judging run in the manifest")
    run: Run
    participant: Code
    prompt_id: PromptId
    label: Label
    criterion: int | None = Field(
        description="place of the first criterion that was asked about; absent for an exact answer"
    )
    request_sha256: str = Field(
        description="hash of the request with zeros for its mark; equal requests have equal ones"
    )
    mark: str = Field(
        description="the random mark of the fence around the answer in this call; empty in calls without one"
    )
    model: str = Field(description="the model that replied, by its own word if it gave one")
    outcome: str = Field(description="`ok`, or the reason code of what went wrong")
    prompt_tokens: int | None = Field(description="tokens of the request; absent if the endpoint did not say")
    completion_tokens: int | None = Field(description="tokens of the reply; absent likewise")
    cost: FiniteFloat | None = Field(
        description="by the prices of that moment, absent if they are not known; without the tokens the most "
        "that the request may have cost"
    )
    latency_ms: FiniteFloat = Field(description="milliseconds from the request to its end")
    called_at: datetime = Field(
        description="when the request was sent; of a lost one when it was put on record"
    )
