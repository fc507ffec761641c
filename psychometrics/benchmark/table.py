"""A column of a table of models by task."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from psychometrics.benchmark.metrics import task_key
from psychometrics.inference.clusters import Array

RANDOM = "random"  # the column of a table that guesses (BBEH paper, Table 2)


@dataclass(frozen=True)
class TableColumn:
    """One configuration's accuracies in percent by the key of the task."""

    name: str
    accuracy: dict[str, float]

    @property
    def guesses(self) -> bool:
        return self.name.casefold() == RANDOM

    def on(self, tasks: tuple[str, ...]) -> Array:
        """Accuracies (T,) on tasks by their names, NaN where the table has none."""
        return np.array([self.accuracy.get(task_key(task), np.nan) for task in tasks], dtype=np.float64)


def best_on(columns: Iterable[TableColumn], task: str) -> tuple[str, float] | None:
    """The configuration that gets most of the task right, and its percentage; None if no column has it."""
    key = task_key(task)
    shares = [(one.accuracy[key], one.name) for one in columns if not one.guesses and key in one.accuracy]
    return next(((name, share) for share, name in sorted(shares, reverse=True)), None)
