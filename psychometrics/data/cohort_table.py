"""A cohort from columns or from a CSV table: one row is one prompt that one person was asked.

Columns `person`, `prompt_id` and `score` (0 to 1, empty where there is none), optionally `batch`, `profile`,
`category`, `outcome` (a value of `Outcome`), `criteria` and `confidence`, in any order; others are ignored.

`criteria` is the number by which answers to a prompt are judged, 1 where they are right or wrong, and
`confidence` the judge's with which a score was given: the score over what it is with every confidence at 1.
Without criteria there is no person fit and no DIF; without confidences they are taken as 1.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from psychometrics.data.cohort import Cohort, cohort_of
from psychometrics.data.places import AskedPrompt, Outcome, Person
from psychometrics.data.tables import MAX_PROBLEMS, TableRefused, read_table, score_in
from psychometrics.irt.bank import ItemBank
from psychometrics.irt.transform import require_scores

REQUIRED = ("person", "prompt_id", "score")
OPTIONAL = ("batch", "profile", "category", "outcome")
ROUNDED = 0.005  # of a score: two decimals, as tables have them


class CohortRefused(TableRefused):
    """The rows are no cohort."""


@dataclass(frozen=True)
class AnswerRow:
    """One prompt that one person was asked; `score` is NaN where there is none."""

    person: str
    prompt_id: str
    score: float
    batch: str = ""
    profile: str = ""
    category: str = ""
    outcome: str = ""
    criteria: int | None = None
    confidence: float | None = None

    @property
    def problem(self) -> str | None:
        """Why the score cannot be of so many criteria, judged with this confidence."""
        where = f"{self.person} on {self.prompt_id!r}"
        if self.confidence is not None and not 0 < self.confidence <= 1:
            return f"{where}: the confidence {self.confidence:g} is not above 0 and at most 1"
        if self.criteria is not None and self.criteria < 1:
            return f"{where}: {self.criteria} criteria; write 1 where an answer is right or wrong"
        if self.confidence is not None and self.score > self.confidence + ROUNDED:
            return f"{where}: the score {self.score:g} is above the confidence {self.confidence:g}"
        if self.criteria is None or self.confidence is not None or self.score != self.score:
            return None
        met = self.score * self.criteria
        if abs(met - round(met)) <= ROUNDED * self.criteria:
            return None
        return (
            f"{where}: the score {self.score:g} is no whole number of {self.criteria} criteria; give the "
            "judge's confidence, too (the column confidence), or leave criteria out"
        )


def cohort_from_columns(
    person: Sequence[object],
    prompt_id: Sequence[object],
    score: ArrayLike,
    bank: ItemBank | None = None,
    *,
    batch: Sequence[object] | None = None,
    profile: Sequence[object] | None = None,
    category: Sequence[object] | None = None,
    criteria: ArrayLike | None = None,
    confidence: ArrayLike | None = None,
) -> Cohort:
    """A cohort of rows (n,): who answered, which prompt, the score in [0, 1] (NaN = none).

    Columns are lists, arrays or columns of a frame. `criteria` and `confidence` (NaN = none): see the module;
    person fit and DIF need the first. `batch` names the set of prompts that people were given together;
    without it everybody has one of their own, as in matrix sampling. `profile` belongs to a person,
    `category` to a prompt. Rows stand in the order in which people saw the prompts. Raises CohortRefused
    where a person has a prompt twice, columns differ in length or numbers contradict each other,
    ScoreOutOfRange for a score outside [0, 1].
    """
    p = np.asarray(score, dtype=np.float64)
    require_scores(p)
    # Numbers, None for NaN.
    n_criteria, sure = (
        column
        if column is None
        else [None if value != value else value for value in np.asarray(column, dtype=np.float64).tolist()]
        for column in (criteria, confidence)
    )
    given = {
        "person": person, "prompt_id": prompt_id, "score": p.tolist(), "batch": batch, "profile": profile,
        "category": category, "criteria": n_criteria, "confidence": sure,
    }  # fmt: skip
    lengths = {name: len(column) for name, column in given.items() if column is not None}
    if len(set(lengths.values())) > 1:
        told = ", ".join(f"{name} {length}" for name, length in lengths.items())
        raise CohortRefused([f"columns have different lengths: {told}"])
    absent: dict[str, object] = dict.fromkeys(given, "") | {"criteria": None, "confidence": None}
    columns = [[absent[name]] * len(p) if column is None else list(column) for name, column in given.items()]
    rows = [
        AnswerRow(
            str(who), str(what), score, str(where), str(profile), str(category),
            criteria=None if of is None else int(of), confidence=sure,
        )
        for who, what, score, where, profile, category, of, sure in zip(*columns, strict=True)
    ]  # fmt: skip
    return _cohort_of_rows(rows, bank)


def read_cohort(path: Path, bank: ItemBank | None = None) -> Cohort:
    """Read a whole CSV table; raises CohortRefused with all its problems."""
    rows: list[AnswerRow] = []

    def add_row(cells: Mapping[str, str]) -> str | None:
        row = _row_of({name: cell.strip() for name, cell in cells.items()})
        if isinstance(row, str):
            return row
        rows.append(row)
        return None

    read_table(path, REQUIRED, add_row, CohortRefused)
    return _cohort_of_rows(rows, bank)


def _cohort_of_rows(rows: Sequence[AnswerRow], bank: ItemBank | None) -> Cohort:
    """People, prompts and batches are numbered in the order in which they first appear."""
    if problems := [*_contradictions(rows)][:MAX_PROBLEMS]:
        raise CohortRefused(problems)
    people = {row.person: Person(row.person, row.profile) for row in reversed(rows)}
    prompts = {
        row.prompt_id: AskedPrompt(row.prompt_id, row.category, criteria=row.criteria)
        for row in reversed(rows)
    }
    person, prompt = _numbered(row.person for row in rows), _numbered(row.prompt_id for row in rows)
    batch = _numbered(row.batch or f"\0{row.person}" for row in rows)
    seen = {name: count(1) for name in person}
    return cohort_of(
        people=[people[name] for name in person],
        prompts=[prompts[name] for name in prompt],
        bank=bank,
        rows=[
            (person[row.person], prompt[row.prompt_id], batch[row.batch or f"\0{row.person}"],
             next(seen[row.person]), row.score, min(row.score / (row.confidence or 1), 1.0),
             row.outcome or (Outcome.SCORED if row.score == row.score else Outcome.UNSCORED))
            for row in rows
        ],
    )  # fmt: skip


def _contradictions(rows: Sequence[AnswerRow]) -> Iterator[str]:
    """Rows that occur twice; those whose numbers do not go together, or with others of the same prompt."""
    seen: set[tuple[str, str]] = set()
    for row in rows:
        if (row.person, row.prompt_id) in seen:
            yield f"{row.person} has the prompt {row.prompt_id!r} twice; keep one"
        seen.add((row.person, row.prompt_id))
    criteria = {row.prompt_id: row.criteria for row in reversed(rows)}
    for row in rows:
        if row.criteria != criteria[row.prompt_id]:
            yield (
                f"{row.prompt_id!r} has {criteria[row.prompt_id]} criteria in one row and {row.criteria} in "
                "another; a prompt has one number"
            )
        elif problem := row.problem:
            yield problem


def _numbered(names: Iterable[str]) -> dict[str, int]:
    return {name: number for number, name in enumerate(dict.fromkeys(names))}


def _row_of(cells: Mapping[str, str]) -> AnswerRow | str:
    """One row, or what is wrong with it."""
    for name in ("person", "prompt_id"):
        if not cells[name]:
            return f"the {name} is empty"
    score = score_in(cells["score"])
    if isinstance(score, str):
        return score
    outcome = cells.get("outcome", "")
    if outcome and outcome not in set(Outcome):
        return f"the outcome {outcome[:40]!r} is none of {', '.join(Outcome)}"
    if outcome and (outcome == Outcome.SCORED) != (score == score):
        return f"the outcome is {outcome}, but the score is {cells['score'] or 'empty'}"
    try:
        criteria = int(cells["criteria"]) if cells.get("criteria") else None
    except ValueError:
        return f"the criteria {cells['criteria'][:40]!r} are no whole number"
    sure = score_in(cells.get("confidence", ""))
    if isinstance(sure, str):
        return f"the confidence {cells['confidence'][:40]!r} is no number from 0 to 1"
    batch, profile, category, _ = (cells.get(name, "") for name in OPTIONAL)
    confidence = None if sure != sure else sure
    return AnswerRow(
        cells["person"], cells["prompt_id"], score, batch, profile, category, outcome, criteria, confidence
    )
