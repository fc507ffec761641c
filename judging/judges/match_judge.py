"""The benchmarks' own deterministic comparison as the judge (BBEH, BBH): no model is asked."""

from dataclasses import dataclass
from typing import Literal

from pydantic import JsonValue

from judging.judges.interface import CriterionVerdict, JudgeCannotScore, JudgeTask
from judging.judges.local import LocalJudge
from judging.matching import bbeh, bbh

SHOWN_CHARACTERS = 200


@dataclass(frozen=True)
class MatchJudge(LocalJudge):
    """Compares what an answer announces with the reference, by the rules of one benchmark."""

    rules: Literal["bbeh", "bbh"]
    kind = "match"

    def describe(self) -> dict[str, JsonValue]:
        described: dict[str, JsonValue] = {"kind": self.kind, "rules": self.rules}
        # Scores by other rules are those of another judge: they stay, and answers are compared anew.
        return described | ({"version": bbh.VERSION} if self.rules == "bbh" else {})

    def check(self, task: JudgeTask) -> None:
        if task.criteria:
            raise JudgeCannotScore(task.prompt_id, "it is graded by a rubric; use the llm or checks judge.")
        if not (task.gold_answer or "").strip():
            raise JudgeCannotScore(task.prompt_id, "it has no gold answer to compare with; give it one.")
        if self.rules == "bbh":
            try:
                bbh.extract("", task.task)
            except bbh.UnknownTask as error:
                raise JudgeCannotScore(task.prompt_id, f"{error}.") from None

    def verdict(self, task: JudgeTask, position: int | None) -> CriterionVerdict:
        answer, reference = task.text_to_judge, task.gold_answer or ""
        if self.rules == "bbh":
            extracted = bbh.extract(answer, task.task)
            correct = bbh.is_correct(answer, reference, task.task)
        else:
            extracted = bbeh.extract(answer)
            correct = bbeh.is_correct(answer, reference)
        relation = "equals" if correct else "is not"
        explanation = f"Extracted {_shown(extracted)}, which {relation} the reference {_shown(reference)}."
        return CriterionVerdict(position, float(correct), 1.0, explanation)


def _shown(text: str) -> str:
    return repr(text if len(text) <= SHOWN_CHARACTERS else text[:SHOWN_CHARACTERS] + " …")
