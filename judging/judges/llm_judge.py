"""A language model as the judge: one request per criterion, one for an exact answer (GIM paper, D.8-D.9).

As an option, several criteria of one answer share a request, in a text of this project's own; a criterion
that is alone in its request is asked about in the study's text.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from secrets import token_hex

from pydantic import JsonValue

from judging.judges import neutralise
from judging.judges.interface import (
    FIRST_ASKING,
    Asking,
    CriterionVerdict,
    JudgeResult,
    JudgeTask,
    require_graded,
)
from judging.judges.reasons import UnscoredReason
from judging.judges.schemas import (
    MAX_CRITERIA,
    ExactJudgment,
    RubricJudgment,
    RubricJudgments,
    rubric_judgments,
)
from llm.client import ChatClient
from llm.errors import ErrorStatus, LLMError, Received, ReplyInvalid
from llm.replies import parse, reply_text
from llm.requests import ChatRequest, FramedText, Marked, Message, Reask, Sending
from studies.protocol.judge_defaults import BATCHED_RUBRIC_TEXT
from studies.protocol.judge_texts import BATCHED_TEXT_SHA256, JudgeTexts, fill
from studies.protocol.settings import ProtocolSettings

JudgmentType = type[ExactJudgment] | type[RubricJudgment] | type[RubricJudgments]

# All criteria of an answer are asked about in a row, and each request is written to plan, to name and to ask.
_neutral = lru_cache(maxsize=256)(neutralise.neutralise)


@dataclass(frozen=True)
class Question:
    """One call in words, the shape of its reply, and the text that was filled in."""

    messages: tuple[Message, ...]
    schema: JudgmentType
    template: str


class LLMJudge:
    """Asks `client` in the words of `texts`. Threads may share it as far as they may share the client.

    Up to `criteria_per_call` criteria of an answer share a request; ValueError if that is no possible number.

    The gold answer, the question and the criterion are the study's own and go in as they are; the answer is
    untrusted and is neutralised, by some version of the rules, and fenced, for each call with a mark from
    `new_mark`.
    """

    kind = "llm"

    def __init__(
        self,
        *,
        client: ChatClient,
        texts: JudgeTexts,
        criteria_per_call: int = 1,
        neutralising: int = neutralise.VERSION,
        new_mark: Callable[[], str] = neutralise.random_mark,
    ) -> None:
        if not 1 <= criteria_per_call <= MAX_CRITERIA:
            raise ValueError(f"Criteria per call: between 1 and {MAX_CRITERIA}, not {criteria_per_call}.")
        self._client = client
        self._texts = texts
        self._criteria_per_call = criteria_per_call
        self._neutralising = neutralising
        self._new_mark = new_mark

    @staticmethod
    def rules_versions(_protocol: ProtocolSettings) -> tuple[int | None, ...]:
        """Those by which answers are neutralised for it, the newest first."""
        return (neutralise.VERSION, *neutralise.EARLIER)

    def describe(self) -> dict[str, JsonValue]:
        own_text = {"batched_text_sha256": BATCHED_TEXT_SHA256} if self._criteria_per_call > 1 else {}
        return {
            "kind": self.kind,
            **self._client.describe(),
            "texts_sha256": self._texts.sha256,
            "neutralising": self._neutralising,
            "criteria_per_call": self._criteria_per_call,
            **own_text,
        }

    def check(self, task: JudgeTask) -> None:
        require_graded(task)

    def judge_calls(self, task: JudgeTask) -> tuple[tuple[int | None, ...], ...]:
        positions, size = task.positions, self._criteria_per_call
        return tuple(positions[start : start + size] for start in range(0, len(positions), size))

    def request(self, task: JudgeTask, positions: tuple[int | None, ...]) -> ChatRequest:
        question = self._question(task, positions, neutralise.NO_MARK)
        return self._client.request(question.messages, question.schema)

    def names(self, task: JudgeTask, positions: tuple[int | None, ...]) -> Callable[[str], tuple[bytes, int]]:
        gap = token_hex()  # in no text of the study
        question = self._question(replace(task, answer=gap), positions, neutralise.NO_MARK)
        frame = self._client.frame(question.messages, question.schema, gap)

        def named(answer: str) -> tuple[bytes, int]:
            return frame.named(_framed(answer, template=question.template, version=self._neutralising))

        return named

    def ask(
        self, task: JudgeTask, positions: tuple[int | None, ...], how: Asking = FIRST_ASKING
    ) -> JudgeResult:
        mark = how.mark or self._new_mark()
        question = self._question(task, positions, mark)
        named = Marked(mark, self._question(task, positions, neutralise.NO_MARK).messages)
        reask = self._reask_of(how.unusable, question.schema) if how.unusable else None
        sending = Sending(plain=how.plain, reask=reask)
        try:
            completion = self._client.complete(
                question.messages, response_schema=question.schema, marked=named, sending=sending
            )
        except LLMError as error:
            reason = UnscoredReason(error.reason)
            failed = (CriterionVerdict(position, None, None, str(error), reason) for position in positions)
            retry_after = error.retry_after if isinstance(error, ErrorStatus) else None
            return JudgeResult(tuple(failed), error.attempt, retry_after)
        # One verdict on each position, in the terms all judges share: CORRECT is 1, else 0.
        parsed, verdicts = completion.parsed, []
        judgments = parsed.each if isinstance(parsed, RubricJudgments) else (parsed,)
        for position, judgment in zip(positions, judgments, strict=True):
            if isinstance(judgment, ExactJudgment):
                score = float(judgment.grade == "CORRECT")
            else:
                score = judgment.score
            verdicts.append(CriterionVerdict(position, score, judgment.confidence, judgment.explanation))
        return JudgeResult(tuple(verdicts), completion.attempt)

    def _reask_of(self, raw: str, schema: JudgmentType) -> Reask | None:
        """What was wrong with a reply, from its record; None where the record no longer has it."""
        try:
            parse(reply_text(Received(200, raw), endpoint=""), schema, endpoint="")
        except ReplyInvalid as error:
            return Reask(error.text, error.problem, error.is_prose)
        except LLMError:
            return None
        return None

    def _question(self, task: JudgeTask, positions: tuple[int | None, ...], mark: str) -> Question:
        texts = [task.criterion(position).text for position in positions if position is not None]
        if len(texts) > 1:
            numbered = "\n\n".join(
                f'<criterion number="{number}">\n{text}\n</criterion>'
                for number, text in enumerate(texts, start=1)
            )
            criteria = {"criteria": numbered, "number_of_criteria": str(len(texts))}
            return self._filled(BATCHED_RUBRIC_TEXT, rubric_judgments(len(texts)), task, mark, **criteria)
        if texts:
            return self._filled(self._texts.rubric, RubricJudgment, task, mark, rubric_string=texts[0])
        template, question = self._texts.exact, task.question
        return self._filled(template, ExactJudgment, task, mark, "predicted_answer", question=question)

    def _filled(
        self,
        template: str,
        schema: JudgmentType,
        task: JudgeTask,
        mark: str,
        slot: str = "model_response",
        **values: str,
    ) -> Question:
        """`template` with the gold answer, `values` and, in `slot`, the answer neutralised in its fence."""
        answer = _neutral(task.text_to_judge, template=template, version=self._neutralising)
        block = neutralise.data_block(answer, template=template, slot=slot, mark=mark)
        prompt = fill(template, answer=task.gold_answer or "", **{slot: block}, **values)
        return Question((Message("user", prompt),), schema, template)


@lru_cache(maxsize=256)
def _framed(answer: str, *, template: str, version: int) -> FramedText:
    return FramedText.of(_neutral(answer, template=template, version=version))
