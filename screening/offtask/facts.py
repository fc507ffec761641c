"""What the off-task rules look at and what they say. Scores are not among it: screening is blind to them."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Generic, Literal, TypeVar

from batches.rules.statuses import AnswerState
from formats.wording import gettext_noop

RULES_VERSION = "offtask-1"
"""Changes whenever a pattern, a default or a rule changes, so that stored flags say what produced them."""


class _Reason(StrEnum):
    @property
    def sentence(self) -> str:
        """One sentence a reviewer can read."""
        return _SENTENCES[self]


class ReasonCode(_Reason):
    """Why a single answer looks off-task (GIM, appendix G)."""

    NO_ANSWER = "no_answer"
    MINIMAL_CONTENT = "minimal_content"
    COMMENT_ON_QUESTION = "comment_on_question"
    COMMENT_ON_MODEL = "comment_on_model"


class ParticipantReason(_Reason):
    """Why a participant is put before a reviewer."""

    MOSTLY_OFF_TASK = "mostly_off_task"
    FEW_ANSWERS = "few_answers"


R = TypeVar("R", ReasonCode, ParticipantReason)


@dataclass(frozen=True, slots=True)
class PromptFacts:
    """What was asked. Of the gold answer only its form is used, never whether an answer agrees with it."""

    prompt_id: str
    text: str
    grading: Literal["rubric", "exact"]
    gold_answer: str | None


@dataclass(frozen=True, slots=True)
class AnswerFacts:
    """One answer of an ended session."""

    answer_id: int
    prompt_id: str
    text: str
    state: AnswerState


@dataclass(frozen=True, slots=True)
class Flag(Generic[R]):
    """A rule that found an answer off-task, or proposes a participant for exclusion, which only a confirmed
    verdict is; with the words or counts it rests on.
    """

    reason: R
    evidence: str


@dataclass(frozen=True, slots=True)
class OfftaskRules:
    """The thresholds of one rule set. Give changed thresholds their own `version`.

    `minimal_words`: an answer of at most this many words is minimal where more was asked for.
    `short_gold_words`: a gold answer of at most this many words asks for a short answer.
    `comment_words`: longer answers are never comments; `comment_share`: least share of an answer's words
    that are comment. `off_task_share`: least share of off-task answers among the recorded ones, and
    `answered_share`: share of prompts with an answer below which a participant is flagged.
    """

    version: str = RULES_VERSION
    minimal_words: int = 3
    short_gold_words: int = 10
    comment_words: int = 60
    comment_share: float = 0.75
    off_task_share: float = 0.5
    answered_share: float = 0.5

    def __post_init__(self) -> None:
        """Refuse a share that is no share."""
        for name in ("comment_share", "off_task_share", "answered_share"):
            share = getattr(self, name)
            if not 0.0 < share <= 1.0:
                raise ValueError(f"{name} is {share}; set it above 0 and to at most 1.")


_SENTENCES: dict[_Reason, str] = {
    ReasonCode.NO_ANSWER: gettext_noop("Nothing visible was recorded for this question."),
    ReasonCode.MINIMAL_CONTENT: gettext_noop(
        "The answer is a placeholder, or a few words where more was asked for."
    ),
    ReasonCode.COMMENT_ON_QUESTION: gettext_noop(
        "The text comments on the question instead of answering it."
    ),
    ReasonCode.COMMENT_ON_MODEL: gettext_noop(
        "The text comments on a model or its response instead of answering."
    ),
    ParticipantReason.MOSTLY_OFF_TASK: gettext_noop("A large share of the recorded answers is off-task."),
    ParticipantReason.FEW_ANSWERS: gettext_noop("Too few questions have a recorded answer."),
}
