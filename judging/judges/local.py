"""What judges that ask no model have in common: every verdict is computed here, at once."""

from abc import ABC, abstractmethod

from judging.judges.interface import Asked, CriterionVerdict, JudgeTask, PlannedRequest


class LocalJudge(ABC):
    """Give it `verdict`; the rest of the interface follows."""

    @abstractmethod
    def verdict(self, task: JudgeTask, position: int | None) -> CriterionVerdict:
        """The verdict on one criterion, or on the whole answer (None)."""

    def askings(self, task: JudgeTask) -> tuple[tuple[int | None, ...], ...]:
        return tuple((position,) for position in task.positions)

    def request(self, task: JudgeTask, positions: tuple[int | None, ...]) -> PlannedRequest | None:
        return None

    def ask(self, task: JudgeTask, positions: tuple[int | None, ...]) -> Asked:
        return Asked(tuple(self.verdict(task, position) for position in positions))
