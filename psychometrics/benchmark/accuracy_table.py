"""A table of accuracies, tasks by models, as BBEH's Table 2 is kept, and one column of such a table.

A model with no accuracy above 1 is refused: those are shares, not percentages.
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from psychometrics.benchmark.metrics import adjusted_harmonic_mean, bbeh_task_sizes, macro, micro, task_key

RANDOM = "random"  # the column of a table that guesses (BBEH paper, Table 2)


class AccuracyTableRefused(ValueError):
    """The file is no accuracy table; carries every problem found, each a sentence."""

    def __init__(self, problems: Iterable[str]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(self.problems))


@dataclass(frozen=True)
class ModelMetrics:
    """One model's metrics in percent, NaN where nothing is measured or (micro) the sizes are unknown.

    They are over the tasks that are measured; `not_measured` names the others.
    """

    model: str
    macro: float
    micro: float
    adjusted_harmonic_mean: float
    not_measured: tuple[str, ...]


@dataclass(frozen=True)
class AccuracyTable:
    """Accuracies in percent: `accuracy_percent[task][m]` is that of `models[m]`, None where not measured.

    `task_sizes` are questions per task; without them BBEH's own are used where the tasks are BBEH's.
    Raises AccuracyTableRefused where names and rows do not fit together.
    """

    models: Sequence[str]
    tasks: Sequence[str]
    accuracy_percent: Mapping[str, Sequence[float | None]]
    task_sizes: Mapping[str, int] | None = None

    def __post_init__(self) -> None:
        rows, named = self.accuracy_percent, (("models", self.models), ("tasks", self.tasks))
        problems = [
            f"{field}: {name!r} occurs twice; keep one"
            for field, names in named
            for name, times in sorted(Counter(names).items())
            if times > 1
        ]
        missing = sorted(set(self.tasks) - set(rows))
        problems += [f"accuracy_percent: the task {task!r} is missing" for task in missing]
        for task, row in rows.items():
            if task not in self.tasks:
                problems.append(f"accuracy_percent: {task!r} is not among the tasks")
            if len(row) != len(self.models):
                problems.append(
                    f"accuracy_percent: {task!r} has {len(row):,} where the models are {len(self.models):,}"
                )
        unsized = sorted(set(self.tasks) - set(self.task_sizes or self.tasks))
        problems += [f"task_sizes: the task {task!r} is missing" for task in unsized]
        # Whether numbers are percentages is looked at in a table that has all of them.
        for position, model in enumerate(() if problems else self.models):
            if 0 < max(row[position] or 0.0 for row in rows.values()) <= 1:
                problems.append(
                    f"accuracy_percent: no accuracy of {model!r} is above 1, so they look like shares; write "
                    "percentages (45 for 0.45)"
                )
        if problems:
            raise AccuracyTableRefused(problems)

    @property
    def sizes(self) -> Mapping[str, int] | None:
        """Questions per task, from the file or BBEH's own; None where neither gives them all."""
        return self.task_sizes or bbeh_task_sizes(self.tasks)

    def metrics(self) -> list[ModelMetrics]:
        """Macro, micro and adjusted harmonic mean of every model, in file order."""
        of_models = []
        for position, model in enumerate(self.models):
            column = {task: self.accuracy_percent[task][position] for task in self.tasks}
            accuracies = {task: math.nan if value is None else value for task, value in column.items()}
            of_models.append(
                ModelMetrics(
                    model=model,
                    macro=macro(accuracies),
                    micro=micro(accuracies, self.sizes) if self.sizes else math.nan,
                    adjusted_harmonic_mean=adjusted_harmonic_mean(accuracies),
                    not_measured=tuple(task for task, value in column.items() if value is None),
                )
            )
        return of_models


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
