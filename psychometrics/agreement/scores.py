"""What the judges of a panel gave to the same answers, as arrays."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import compress
from typing import TypeVar

import numpy as np

from psychometrics.data.cohort import Mask
from psychometrics.inference.clusters import Array, Codes
from psychometrics.inference.measure import Scope

Cell = TypeVar("Cell")


@dataclass(frozen=True, eq=False)
class PanelScores:
    """Scores of every counted answer of retained participants: a column for each run, NaN where it has none.

    `answer_scores` (answers, runs) are sample scores; `participants` and `prompt_ids` (answers,) say of what.
    `criterion_scores` (criteria, runs) are the judges' scores of rubric criteria, not multiplied with their
    confidence; `criterion_answers` (criteria,) the rows of their answers. Only the newest revision counts.
    `is_public` (answers,) says whose prompt is in the public split; in the scope `public` no other is left.
    """

    scope: Scope
    participants: Sequence[str]
    prompt_ids: Sequence[str]
    is_public: Mask
    answer_scores: Array
    criterion_answers: Codes
    criterion_scores: Array

    def within(self, scope: Scope) -> "PanelScores":
        """What rests on the answers of this scope, as if only their prompts had been asked."""
        if scope == self.scope:
            return self
        kept, criteria = self.is_public, self.is_public[self.criterion_answers]
        rows = np.cumsum(kept) - 1
        return replace(
            self,
            scope=scope,
            participants=list(compress(self.participants, kept)),
            prompt_ids=list(compress(self.prompt_ids, kept)),
            is_public=kept[kept],
            answer_scores=self.answer_scores[kept],
            criterion_answers=rows[self.criterion_answers[criteria]],
            criterion_scores=self.criterion_scores[criteria],
        )

    @property
    def people(self) -> Codes:
        """A number for the participant of every answer (answers,)."""
        codes: Codes = np.unique(np.array(self.participants, dtype=str), return_inverse=True)[1]
        return codes.astype(np.int64)


def filled(
    places: Mapping[Cell, int], columns: Mapping[int, int], scores: Iterable[tuple[int, Cell, float]]
) -> Array:
    """A table (places, columns) of the scores (run, place, score) that have a place; NaN elsewhere."""
    table = np.full((len(places), len(columns)), np.nan)
    for run, cell, score in scores:
        row = places.get(cell)
        if row is not None:
            table[row, columns[run]] = score
    return table
