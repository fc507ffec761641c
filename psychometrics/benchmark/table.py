"""A column of a table of models by task."""

from collections.abc import Iterable
from dataclasses import dataclass

from psychometrics.benchmark.metrics import task_key

RANDOM = "random"  # the column of a table that guesses (BBEH paper, Table 2)


@dataclass(frozen=True)
class TableColumn:
    """One configuration's accuracies in percent by the key of the task."""

    name: str
    accuracy: dict[str, float]

    @property
    def guesses(self) -> bool:
        return self.name.casefold() == RANDOM


def best_on(columns: Iterable[TableColumn], task: str) -> tuple[str, float] | None:
    """The configuration that gets most of the task right, and its percentage; None if no column has it."""
    key = task_key(task)
    shares = [
        (column.accuracy[key], column.name)
        for column in columns
        if not column.guesses and key in column.accuracy
    ]
    return next(((name, share) for share, name in sorted(shares, reverse=True)), None)
