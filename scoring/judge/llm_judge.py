"""A language model as the judge: one request per criterion, one for an exact answer (GIM paper, D.8-D.9)."""

from collections.abc import Callable
from typing import TypeVar

from pydantic import BaseModel, JsonValue

from llm.attempts import Attempt
from llm.client import ChatClient
from llm.errors import LLMError
from llm.requests import Message
from scoring.judge import neutralise
from scoring.judge.interface import CriterionVerdict, JudgeCannotScore, JudgeTask
from scoring.judge.reasons import UnscoredReason
from scoring.judge.schemas import ExactJudgment, RubricJudgment
from studies.protocol.judge_texts import JudgeTexts, fill

Judgment = TypeVar("Judgment", bound=BaseModel)


class LLMJudge:
    """Asks `client` in the words of `texts`. Threads may share it as far as they may share the client.

    The gold answer, the question and the criterion are the study's own and go in as they are; the answer is
    untrusted and is neutralised.
    """

    kind = "llm"

    def __init__(self, *, client: ChatClient, texts: JudgeTexts) -> None:
        self._client = client
        self._texts = texts

    def describe(self) -> dict[str, JsonValue]:
        return {
            "kind": self.kind,
            "model": self._client.model,
            "base_url": self._client.base_url,
            "parameters": dict(self._client.parameters),
            "texts_sha256": self._texts.sha256,
            "neutralising": neutralise.VERSION,
            "criteria_per_call": 1,
        }

    def check(self, task: JudgeTask) -> None:
        if not task.criteria and not (task.gold_answer or "").strip():
            raise JudgeCannotScore(task.prompt_id, "it has neither a gold answer nor a rubric; give it one.")

    def verdict(self, task: JudgeTask, position: int | None) -> CriterionVerdict:
        calls: list[Attempt] = []
        try:
            if position is None:
                score, confidence, explanation = self._exact(task, calls.append)
            else:
                score, confidence, explanation = self._rubric(task, position, calls.append)
        except LLMError as error:
            return CriterionVerdict(
                position, None, None, str(error), UnscoredReason(error.reason), calls=tuple(calls)
            )
        return CriterionVerdict(position, score, confidence, explanation, calls=tuple(calls))

    def _exact(self, task: JudgeTask, on_attempt: Callable[[Attempt], None]) -> tuple[float, float, str]:
        template = self._texts.exact
        answer = neutralise.neutralise(task.text_to_judge, template=template)
        prompt = fill(
            template, question=task.question, answer=task.gold_answer or "", predicted_answer=answer
        )
        judgment = self._ask(prompt, ExactJudgment, on_attempt)
        score = 1.0 if judgment.grade == "CORRECT" else 0.0
        return score, judgment.confidence, judgment.explanation

    def _rubric(
        self, task: JudgeTask, position: int, on_attempt: Callable[[Attempt], None]
    ) -> tuple[float, float, str]:
        template = self._texts.rubric
        answer = neutralise.neutralise(task.text_to_judge, template=template)
        criterion = task.criterion(position).text
        prompt = fill(template, answer=task.gold_answer or "", model_response=answer, rubric_string=criterion)
        judgment = self._ask(prompt, RubricJudgment, on_attempt)
        return judgment.score, judgment.confidence, judgment.explanation

    def _ask(self, prompt: str, schema: type[Judgment], on_attempt: Callable[[Attempt], None]) -> Judgment:
        messages = [Message("user", prompt)]
        return self._client.complete(messages, response_schema=schema, on_attempt=on_attempt).parsed
