"""A language model as the judge: one request per criterion, one for an exact answer (GIM paper, D.8-D.9).

As an option, several criteria of one answer share a request, in a text of this project's own; a criterion
that is alone in its request is asked about in the study's text.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from pydantic import JsonValue

from judging.judges import neutralise
from judging.judges.fencing import NO_MARK, data_block, random_mark
from judging.judges.interface import (
    CallStopped,
    CriterionVerdict,
    JudgeCannotScore,
    JudgeResult,
    JudgeTask,
    PlannedRequest,
)
from judging.judges.reasons import UnscoredReason
from judging.judges.schemas import (
    MAX_CRITERIA,
    ExactJudgment,
    RubricJudgment,
    RubricJudgments,
    rubric_judgments,
)
from llm.attempts import Attempt
from llm.client import ChatClient
from llm.errors import LLMError
from llm.gates import GateClosed
from llm.requests import Marked, Message
from studies.protocol.judge_defaults import BATCHED_RUBRIC_TEXT
from studies.protocol.judge_texts import BATCHED_TEXT_SHA256, JudgeTexts, fill

Judgment = ExactJudgment | RubricJudgment | RubricJudgments


# All criteria of an answer are asked about in a row, and each request is written to plan, to name and to ask.
_neutral = lru_cache(maxsize=256)(neutralise.neutralise)


@dataclass(frozen=True)
class Question:
    """One call in words, and the shape of its reply."""

    messages: tuple[Message, ...]
    schema: type[ExactJudgment] | type[RubricJudgment] | type[RubricJudgments]


class LLMJudge:
    """Asks `client` in the words of `texts`. Threads may share it as far as they may share the client.

    Up to `criteria_per_call` criteria of an answer share a request; ValueError if that is no possible number.

    The gold answer, the question and the criterion are the study's own and go in as they are; the answer is
    untrusted and is neutralised and fenced, for each call with a mark from `new_mark`.
    """

    kind = "llm"

    def __init__(
        self,
        *,
        client: ChatClient,
        texts: JudgeTexts,
        criteria_per_call: int = 1,
        new_mark: Callable[[], str] = random_mark,
    ) -> None:
        if not 1 <= criteria_per_call <= MAX_CRITERIA:
            raise ValueError(f"Criteria per call: between 1 and {MAX_CRITERIA}, not {criteria_per_call}.")
        self._client = client
        self._texts = texts
        self._criteria_per_call = criteria_per_call
        self._new_mark = new_mark

    def describe(self) -> dict[str, JsonValue]:
        own_text = {"batched_text_sha256": BATCHED_TEXT_SHA256} if self._criteria_per_call > 1 else {}
        return {
            "kind": self.kind,
            **self._client.describe(),
            "texts_sha256": self._texts.sha256,
            "neutralising": neutralise.VERSION,
            "criteria_per_call": self._criteria_per_call,
            **own_text,
        }

    def check(self, task: JudgeTask) -> None:
        if not task.criteria and not (task.gold_answer or "").strip():
            raise JudgeCannotScore(task.prompt_id, "it has neither a gold answer nor a rubric; give it one.")

    def judge_calls(self, task: JudgeTask) -> tuple[tuple[int | None, ...], ...]:
        return tuple(batched(task.positions, self._criteria_per_call))

    def request(self, task: JudgeTask, positions: tuple[int | None, ...]) -> PlannedRequest:
        question = self._question(task, positions, NO_MARK)
        request = self._client.request(question.messages, question.schema)
        return PlannedRequest(request.sha256, request.prompt_tokens_estimate)

    def ask(self, task: JudgeTask, positions: tuple[int | None, ...]) -> JudgeResult:
        mark = self._new_mark()
        question = self._question(task, positions, mark)
        calls: list[Attempt] = []
        try:
            judgment = self._client.complete(
                question.messages,
                response_schema=question.schema,
                on_attempt=calls.append,
                marked=Marked(mark, self._question(task, positions, NO_MARK).messages),
            ).parsed
        except GateClosed:
            raise CallStopped(tuple(calls)) from None
        except LLMError as error:
            reason = UnscoredReason(error.reason)
            failed = (CriterionVerdict(position, None, None, str(error), reason) for position in positions)
            return JudgeResult(tuple(failed), tuple(calls))
        return JudgeResult(verdicts_of(positions, judgment), tuple(calls))

    def _question(self, task: JudgeTask, positions: tuple[int | None, ...], mark: str) -> Question:
        first, *others = positions
        if others:
            return self._batched_rubric(task, positions, mark)
        return self._exact(task, mark) if first is None else self._rubric(task, first, mark)

    def _exact(self, task: JudgeTask, mark: str) -> Question:
        template = self._texts.exact
        prompt = fill(
            template,
            question=task.question,
            answer=task.gold_answer or "",
            predicted_answer=block_of(task, template, "predicted_answer", mark),
        )
        return Question((Message("user", prompt),), ExactJudgment)

    def _rubric(self, task: JudgeTask, position: int, mark: str) -> Question:
        template = self._texts.rubric
        prompt = fill(
            template,
            answer=task.gold_answer or "",
            model_response=block_of(task, template, "model_response", mark),
            rubric_string=task.criterion(position).text,
        )
        return Question((Message("user", prompt),), RubricJudgment)

    def _batched_rubric(self, task: JudgeTask, positions: tuple[int | None, ...], mark: str) -> Question:
        template = BATCHED_RUBRIC_TEXT
        texts = [task.criterion(position).text for position in positions if position is not None]
        prompt = fill(
            template,
            answer=task.gold_answer or "",
            model_response=block_of(task, template, "model_response", mark),
            criteria=_numbered(texts),
            number_of_criteria=str(len(texts)),
        )
        return Question((Message("user", prompt),), rubric_judgments(len(texts)))


def block_of(task: JudgeTask, template: str, slot: str, mark: str) -> str:
    """The answer of `task`, neutralised and in its fence, for `{slot}` of `template`."""
    return data_block(
        _neutral(task.text_to_judge, template=template), template=template, slot=slot, mark=mark
    )


def batched(positions: tuple[int | None, ...], size: int) -> Iterator[tuple[int | None, ...]]:
    """`positions` in order, at most `size` together."""
    for start in range(0, len(positions), size):
        yield positions[start : start + size]


def _numbered(criteria: Sequence[str]) -> str:
    """The criteria as the batched text announces them."""
    return "\n\n".join(
        f'<criterion number="{number}">\n{text}\n</criterion>'
        for number, text in enumerate(criteria, start=1)
    )


def verdicts_of(positions: tuple[int | None, ...], judgment: Judgment) -> tuple[CriterionVerdict, ...]:
    """A judgment as one verdict on each position."""
    each = judgment.each if isinstance(judgment, RubricJudgments) else (judgment,)
    return tuple(verdict_of(position, one) for position, one in zip(positions, each, strict=True))


def verdict_of(position: int | None, judgment: ExactJudgment | RubricJudgment) -> CriterionVerdict:
    """A judgment in the terms every judge shares: CORRECT is 1, INCORRECT is 0."""
    if isinstance(judgment, ExactJudgment):
        score = 1.0 if judgment.grade == "CORRECT" else 0.0
    else:
        score = judgment.score
    return CriterionVerdict(position, score, judgment.confidence, judgment.explanation)
