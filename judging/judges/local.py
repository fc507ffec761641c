"""What judges that ask no model have in common: every verdict is computed here, at once."""

from abc import ABC, abstractmethod

from judging.judges.interface import CriterionVerdict, JudgeResult, JudgeTask, PlannedRequest


class LocalJudge(ABC):
    """Give it `verdict`; the rest of the interface follows."""

    @abstractmethod
    def verdict(self, task: JudgeTask, position: int | None) -> CriterionVerdict:
        """The verdict on one criterion, or on the whole answer (None)."""

    def judge_calls(self, task: JudgeTask) -> tuple[tuple[int | None, ...], ...]:
        return tuple((position,) for position in task.positions)

    def request(self, task: JudgeTask, positions: tuple[int | None, ...]) -> PlannedRequest | None:
        return None

    def ask(self, task: JudgeTask, positions: tuple[int | None, ...]) -> JudgeResult:
        return JudgeResult(tuple(self.verdict(task, position) for position in positions))
