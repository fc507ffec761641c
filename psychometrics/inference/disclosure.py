"""What is too few to be told: one rule, over the whole table of parts of a result.

No number is one person's or one prompt's own, and scores on public prompts are exported, so that what is left
of a number without them would be its private prompts':

    a part is told          with scores of MIN_PEOPLE people, on MIN_PROMPTS prompts, of a private split
                            none or MIN_PRIVATE
    its neighbours are not  while all that is untold of a whole would itself be too few: the whole less what
                            is told would give it away, so the next smallest that mends this is withheld, too

Average and Top as a whole are parts like any other: Average of everything, Top of Average.

Whoever stands in a table of parts asks `withheld`; stored rows of what is withheld have no value, and one of
the reasons of WITHHELD. Pages, figures, reports, terminals and exports show what the rows say.
"""

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np

from psychometrics.data.cohort import Codes, Cohort, Mask
from psychometrics.data.places import PUBLIC
from psychometrics.inference.estimates import MIN_PEOPLE, MIN_PROMPTS, Reason, few_private

N = TypeVar("N", bound=Hashable)


@dataclass(frozen=True, eq=False)
class Answers:
    """The answers (n,) that numbers rest on: the rows of a cohort that are `counted`."""

    person: Codes
    prompt: Codes
    private: Mask
    counted: Mask

    def people(self, rows: Mask) -> int:
        return _distinct(self.person[rows & self.counted])

    def prompts(self, rows: Mask) -> int:
        return _distinct(self.prompt[rows & self.counted])

    def private_prompts(self, rows: Mask) -> int:
        return _distinct(self.prompt[rows & self.counted & self.private])

    def why_untold(self, rows: Mask, *, only_private: bool = False) -> Reason | None:
        """Why no number is told of these rows (n,); None, too, where there is none."""
        if 0 < self.people(rows) < MIN_PEOPLE and not only_private:
            return Reason.TOO_FEW_PEOPLE
        if few_private(self.private_prompts(rows)):
            return Reason.TOO_FEW_PRIVATE
        if 0 < self.prompts(rows) < MIN_PROMPTS and not only_private:
            return Reason.TOO_FEW_PROMPTS
        return None


def answers_of(cohort: Cohort, counted: Mask) -> Answers:
    return Answers(cohort.person, cohort.prompt, is_private(cohort)[cohort.prompt], counted)


def is_private(cohort: Cohort) -> Mask:
    """(J,): prompts of a private split."""
    return np.array([prompt.split != PUBLIC for prompt in cohort.prompts], dtype=bool)


@dataclass(frozen=True, eq=False)
class Whole(Generic[N]):
    """The rows (n,) of something that is told under `name`, and its parts, no two of which share a row.

    `only_private`: of its parts, and of what is untold of it, only private prompts matter. `beside`: parts
    are not shown themselves, but what others leave that are.
    """

    name: N
    rows: Mask
    parts: Mapping[N, Mask]
    only_private: bool = False
    beside: bool = False


def withheld(answers: Answers, table: Iterable[Whole[N]]) -> dict[N, Reason]:
    """Which names of a table must not be told, each with the reason; wholes stand before their parts.

    Withholding more later on takes nothing away from what was found before: what is untold only grows.
    """
    found: dict[N, Reason] = {}
    for whole in table:
        of_neighbour = found.get(whole.name) == Reason.COMPLEMENT
        for name, rows in whole.parts.items():
            why = None if whole.beside else answers.why_untold(rows, only_private=whole.only_private)
            if name not in found and (why or (of_neighbour and answers.people(rows))):
                found[name] = why or Reason.COMPLEMENT  # all parts of a hidden neighbour would tell it
        if whole.name not in found:
            _withhold_neighbours(answers, whole, found)
    return found


def _withhold_neighbours(answers: Answers, whole: Whole[N], found: dict[N, Reason]) -> None:
    """The smallest parts, until nothing is untold of the whole or enough."""
    told = {name: rows for name, rows in whole.parts.items() if name not in found and answers.people(rows)}
    untold = whole.rows & ~np.any([*told.values(), np.zeros_like(whole.rows)], axis=0)
    while told:
        if few_private(answers.private_prompts(untold)):
            size_of = answers.private_prompts
        elif whole.only_private or not answers.why_untold(untold):
            return
        else:
            few_people = answers.people(untold) < MIN_PEOPLE
            size_of = answers.people if few_people else answers.prompts
        before = size_of(untold)
        sizes = {name: size_of(rows) for name, rows in told.items() if size_of(rows | untold) > before}
        if not sizes:
            return
        smallest = min(sizes, key=lambda name: (sizes[name], str(name)))
        found[smallest] = Reason.COMPLEMENT
        untold = untold | told.pop(smallest)


def _distinct(codes: Codes) -> int:
    return int(np.count_nonzero(np.bincount(codes))) if len(codes) else 0
