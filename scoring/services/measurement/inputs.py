"""What every block of the measurement is given. Blocks read nothing else of the cohort, and store nothing."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ParamSpec, TypeVar

import numpy as np

from psychometrics.data.cohort import Cohort, Mask
from psychometrics.inference.measure import Measure, Scope
from psychometrics.irt.bank import ItemBank
from psychometrics.top.ranking import by_raw_mean
from scoring.models import ResultSet
from studies.models import Study
from studies.protocol.settings import ProtocolSettings

P = ParamSpec("P")
T = TypeVar("T")
Progress = Callable[[int, int], None]  # done, of how many


class Readings:
    """What blocks read beside the cohort and is the same whatever the scope: each is read once."""

    def __init__(self) -> None:
        self._found: dict[tuple[object, ...], Any] = {}

    def once(self, read: Callable[P, T], *args: P.args, **named: P.kwargs) -> T:
        """`read(...)`, as it was found the first time."""
        key = (read, *args, *named.items())
        if key not in self._found:
            self._found[key] = read(*args, **named)
        found: T = self._found[key]
        return found


@dataclass(frozen=True, eq=False)
class Inputs:
    """One set of results to be measured. `everyone` holds the excluded, too; `cohort` only who is retained.

    In the public scope neither has a prompt of a private split, and blocks read nothing about any.
    `rng` is this block's own stream: what one block draws changes no number of another.
    """

    results: ResultSet
    everyone: Cohort
    items: ItemBank | None
    rng: np.random.Generator
    resamples: int
    progress: Progress
    scope: Scope = Scope.ALL
    readings: Readings = field(default_factory=Readings)

    @property
    def public_only(self) -> bool:
        return self.scope == Scope.PUBLIC

    @property
    def study(self) -> Study:
        return self.results.run.study

    @property
    def protocol(self) -> ProtocolSettings:
        return self.study.protocol

    @cached_property
    def cohort(self) -> Cohort:
        return self.everyone.retained

    @cached_property
    def top(self) -> Mask:
        """(P,): the people of the stored Top group, chosen by raw mean; nobody where there are too few."""
        return top_members(self.cohort, self.protocol.top_size)


BlockFunction = Callable[[Inputs], Iterator[Measure]]


def top_members(cohort: Cohort, size: int) -> Mask:
    """The `size` people with the highest mean of their scored answers, ties by code (GIM paper, section 6).

    Scores on prompts without item parameters count, as they do in the published rule. Nobody where fewer than
    `size` people have a score. Selected on the outcome: what is computed for these people is in-sample.
    """
    order = by_raw_mean(cohort)
    chosen = np.zeros(len(cohort.people), dtype=bool)
    if len(order) >= size:
        chosen[order[:size]] = True
    return chosen
