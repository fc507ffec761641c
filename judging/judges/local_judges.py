"""Judges that ask no model: machine checks, and the benchmarks' own deterministic comparison (BBEH, BBH)."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Self

from pydantic import JsonValue

from judging.judges.interface import (
    FIRST_ASKING,
    Asking,
    CriterionVerdict,
    JudgeCannotScore,
    JudgeResult,
    JudgeTask,
    require_graded,
)
from judging.matching import bbh, checks
from judging.matching.response_lines import MatchRules, compared
from llm.requests import ChatRequest
from studies.protocol.settings import ProtocolSettings


@dataclass(frozen=True)
class Programs:
    """What the operator lets judges start: lists of arguments by name, and the limits of each start."""

    commands: Mapping[str, Sequence[str]]
    seconds: float
    megabytes: int


class LocalJudge(ABC):
    """Give it `kind`, `describe`, `check` and `verdict`; the rest of the interface follows.

    `calls_at_once` are claimed together, for the time of a lease.
    """

    kind = ""
    calls_at_once = 200

    @classmethod
    def of_study(cls, protocol: ProtocolSettings, *, rules_version: int | None, programs: Programs) -> Self:
        """The judge that a protocol means, by a version of its rules (None: the newest).

        Raises:
            ValueError: it cannot be used on this site; the rest of a sentence says why.
        """
        return cls()

    @staticmethod
    def rules_versions(protocol: ProtocolSettings) -> tuple[int | None, ...]:
        """Versions of its rules that a run may have been begun by, the newest first; None: it has none."""
        return (None,)

    @abstractmethod
    def describe(self) -> dict[str, JsonValue]:
        """Everything that decides the verdicts."""

    @abstractmethod
    def check(self, task: JudgeTask) -> None:
        """Raise JudgeCannotScore for a prompt that it cannot score, whatever the answer."""

    @abstractmethod
    def verdict(self, task: JudgeTask, position: int | None) -> CriterionVerdict:
        """The verdict on one criterion, or on the whole answer (None)."""

    def judge_calls(self, task: JudgeTask) -> tuple[tuple[int | None, ...], ...]:
        return tuple((position,) for position in task.positions)

    def request(self, task: JudgeTask, positions: tuple[int | None, ...]) -> ChatRequest | None:
        return None

    def names(self, task: JudgeTask, positions: tuple[int | None, ...]) -> None:
        return None

    def ask(
        self, task: JudgeTask, positions: tuple[int | None, ...], how: Asking = FIRST_ASKING
    ) -> JudgeResult:
        return JudgeResult(tuple(self.verdict(task, position) for position in positions))


class ChecksJudge(LocalJudge):
    """Each criterion by its own check; an exact answer by normalised equality. Scores are 0 or 1."""

    kind = "checks"

    def describe(self) -> dict[str, JsonValue]:
        return {"kind": self.kind}

    def check(self, task: JudgeTask) -> None:
        without = [str(criterion.position) for criterion in task.criteria if criterion.check is None]
        if without:
            raise JudgeCannotScore(
                task.prompt_id,
                f"no machine check on criterion {', '.join(without)}; add it or use the llm judge.",
            )
        require_graded(task)

    def verdict(self, task: JudgeTask, position: int | None) -> CriterionVerdict:
        if position is None:
            gold = task.gold_answer or ""
            equal = checks.is_equal(task.text_to_judge, gold)
            relation = "equals" if equal else "is not"
            return CriterionVerdict(
                None, float(equal), 1.0, f"The answer {relation} the gold answer {gold!r}."
            )
        check = task.criterion(position).check
        if check is None:
            raise JudgeCannotScore(task.prompt_id, f"no machine check on criterion {position}.")
        passed = checks.passes(check, task.text_to_judge)
        outcome = "passes" if passed else "fails"
        rule = check.model_dump_json()
        return CriterionVerdict(position, float(passed), 1.0, f"The answer {outcome} the check {rule}.")


SHOWN_CHARACTERS = 200


@dataclass(frozen=True)
class MatchJudge(LocalJudge):
    """Compares what an answer says with the reference, by the rules of one benchmark, in their `version`."""

    rules: MatchRules
    version: int = bbh.VERSION
    kind = "match"

    @classmethod
    def of_study(cls, protocol: ProtocolSettings, *, rules_version: int | None, programs: Programs) -> Self:
        if protocol.match_rules is None:
            raise ValueError("the protocol names no match_rules.")
        return cls(protocol.match_rules, rules_version or bbh.VERSION)

    @staticmethod
    def rules_versions(protocol: ProtocolSettings) -> tuple[int | None, ...]:
        return (bbh.VERSION, *bbh.EARLIER) if protocol.match_rules == "bbh" else (None,)

    def describe(self) -> dict[str, JsonValue]:
        described: dict[str, JsonValue] = {"kind": self.kind, "rules": self.rules}
        # Scores by other rules are those of another judge: they stay, and answers are compared anew.
        return described | ({"version": self.version} if self.rules == "bbh" else {})

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
        reference = task.gold_answer or ""
        extracted, correct = compared(
            self.rules, task.text_to_judge, reference, task.task, question=task.question, version=self.version
        )
        relation = "equals" if correct else "is not"
        explanation = f"Extracted {_shown(extracted)}, which {relation} the reference {_shown(reference)}."
        return CriterionVerdict(position, float(correct), 1.0, explanation)


def _shown(text: str) -> str:
    return repr(text if len(text) <= SHOWN_CHARACTERS else text[:SHOWN_CHARACTERS] + " …")
