"""What every judge takes and gives back.

A verdict is about one criterion of one answer, or, for a prompt graded against a gold answer, about the
answer as a whole (position None). The unit of work is one judge call: the verdicts that come from it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import fsum
from typing import Protocol

from pydantic import JsonValue

from judging.judges.reasons import UnscoredReason
from llm.requests import Attempt, ChatRequest
from studies.bank.records import Check


class JudgeCannotScore(Exception):
    """This kind of judge cannot score this prompt, whatever the answer. Found before anything is judged."""

    def __init__(self, prompt_id: str, why: str) -> None:
        super().__init__(f"Prompt {prompt_id}: {why}")
        self.prompt_id = prompt_id


@dataclass(frozen=True)
class CriterionTask:
    """One rubric criterion; `position` tells the criteria of a prompt apart."""

    position: int
    text: str
    check: Check | None = None


@dataclass(frozen=True)
class JudgeTask:
    """One answer to one prompt. With criteria it is graded by them, else against `gold_answer`.

    `task` is the benchmark's name for the kind of question (BBEH, BBH), else "".
    """

    prompt_id: str
    question: str
    gold_answer: str | None
    criteria: tuple[CriterionTask, ...]
    answer: str
    task: str = ""

    def __post_init__(self) -> None:
        positions = [criterion.position for criterion in self.criteria]
        if len(set(positions)) < len(positions):
            raise ValueError(f"Prompt {self.prompt_id} has two criteria at one position.")

    @property
    def positions(self) -> tuple[int | None, ...]:
        """What must be judged before the answer has a score."""
        return tuple(criterion.position for criterion in self.criteria) or (None,)

    @property
    def text_to_judge(self) -> str:
        """The answer. Raises ValueError when it is blank: that is missing, which no judge decides."""
        if not self.answer.strip():
            raise ValueError(f"The answer to prompt {self.prompt_id} is blank: it is missing, not judged.")
        return self.answer

    def criterion(self, position: int) -> CriterionTask:
        return next(criterion for criterion in self.criteria if criterion.position == position)


def require_graded(task: JudgeTask) -> None:
    """Raise JudgeCannotScore where there is nothing to grade an answer by."""
    if not task.criteria and not (task.gold_answer or "").strip():
        raise JudgeCannotScore(task.prompt_id, "it has neither a gold answer nor a rubric; give it one.")


@dataclass(frozen=True)
class CriterionVerdict:
    """The judge's word on one criterion: score and confidence in [0, 1], or why there is neither."""

    position: int | None
    score: float | None
    confidence: float | None
    explanation: str
    reason: UnscoredReason | None = None

    def __post_init__(self) -> None:
        scored = self.score is not None and self.confidence is not None
        if scored == (self.reason is not None) or (self.score is None) != (self.confidence is None):
            raise ValueError("A verdict has a score and a confidence, or a reason for having neither.")


@dataclass(frozen=True)
class JudgeResult:
    """What one call brought: a verdict on each position that was asked about, in that order.

    `attempt` is the request that was made for it, None for judges that ask no model; `retry_after` the
    seconds for which the endpoint asks to be left alone.
    """

    verdicts: tuple[CriterionVerdict, ...]
    attempt: Attempt | None = None
    retry_after: float | None = None


@dataclass(frozen=True)
class AnswerVerdict:
    """The sample score of one answer in [0, 1], or the reason why there is none yet."""

    score: float | None
    reason: UnscoredReason | None
    criteria: tuple[CriterionVerdict, ...]


@dataclass(frozen=True)
class Asking:
    """How a model is asked this time: with a `mark` of this call's own around the answer, "" to draw one;
    `plain` leaves out the schema; `unusable` is the raw reply that is shown with what is wrong with it.
    """

    mark: str = ""
    plain: bool = False
    unusable: str = ""


FIRST_ASKING = Asking()


class Judge(Protocol):
    """Scores answers; safe to share between threads."""

    @property
    def kind(self) -> str:
        """The value of the study's `judge_kind` setting."""

    def describe(self) -> dict[str, JsonValue]:
        """Everything that decides the scores, for the record of a run; no secret is in it."""

    def check(self, task: JudgeTask) -> None:
        """Look at the prompt's side of `task` only; its answer may still be empty.

        Raises:
            JudgeCannotScore: naming the prompt and the remedy.
        """

    def judge_calls(self, task: JudgeTask) -> tuple[tuple[int | None, ...], ...]:
        """The positions of `task`, those that are asked about in one call together."""

    def request(self, task: JudgeTask, positions: tuple[int | None, ...]) -> ChatRequest | None:
        """The request of one call, of which nothing is sent; None for judges that ask no model."""

    def names(
        self, task: JudgeTask, positions: tuple[int | None, ...]
    ) -> Callable[[str], tuple[bytes, int]] | None:
        """What names the request of this call for any answer: its sha256 and its prompt's tokens, about.

        None for judges that ask no model. The answer in `task` does not matter.
        """

    def ask(
        self, task: JudgeTask, positions: tuple[int | None, ...], how: Asking = FIRST_ASKING
    ) -> JudgeResult:
        """Judge the positions of one call about a task that has passed `check`: one request at most.

        Raises:
            ValueError: the answer is blank; it is missing and is never judged.
        """


def sample_score(criteria: tuple[CriterionVerdict, ...]) -> AnswerVerdict:
    """Combine the verdicts on all criteria of one answer (GIM paper, D.8).

    Rubric:  (1/n) sum_i score_i * confidence_i over all n criteria. Exact answers are the case n = 1 with
    score 1 for CORRECT and 0 for INCORRECT: the confidence if correct, else 0.
    One unscored criterion leaves the answer unscored: it is neither a zero nor left out of n.
    """
    reasons = [verdict.reason for verdict in criteria if verdict.reason is not None]
    if reasons:
        return AnswerVerdict(score=None, reason=reasons[0], criteria=criteria)
    weighted = [(verdict.score or 0.0) * (verdict.confidence or 0.0) for verdict in criteria]
    return AnswerVerdict(score=fsum(weighted) / len(weighted), reason=None, criteria=criteria)
