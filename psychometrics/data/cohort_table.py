"""A cohort from columns or from a CSV table: one row is one prompt that one person was asked.

Columns `person`, `prompt_id` and `score` (0 to 1, empty where there is none), optionally `batch`, `profile`,
`category` and `outcome` (a value of `Outcome`), in any order; others are ignored.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from psychometrics.data.cohort import AskedPrompt, Cohort, Outcome, Person, cohort_of
from psychometrics.data.tables import TableRefused, read_table, score_in
from psychometrics.irt.bank import ItemBank
from psychometrics.irt.transform import require_scores

REQUIRED = ("person", "prompt_id", "score")
OPTIONAL = ("batch", "profile", "category", "outcome")


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


def cohort_from_columns(
    person: Sequence[object],
    prompt_id: Sequence[object],
    score: ArrayLike,
    bank: ItemBank | None = None,
    *,
    batch: Sequence[object] | None = None,
    profile: Sequence[object] | None = None,
    category: Sequence[object] | None = None,
) -> Cohort:
    """A cohort of rows (n,): who answered, which prompt, the score in [0, 1] (NaN = none).

    `batch` names the set of prompts that people were given together; without it everybody has one of their
    own, as in matrix sampling. `profile` belongs to a person, `category` to a prompt. Rows stand in the order
    in which people saw the prompts. Raises CohortRefused where a person has a prompt twice or columns differ
    in length, ScoreOutOfRange for a score outside [0, 1].
    """
    p = np.asarray(score, dtype=np.float64)
    require_scores(p)
    given = [person, prompt_id, p.tolist(), batch, profile, category]
    lengths = sorted({len(column) for column in given if column is not None})
    if len(lengths) > 1:
        raise CohortRefused([f"columns have different lengths: {', '.join(map(str, lengths))}"])
    columns = [[""] * len(p) if column is None else list(column) for column in given]
    rows = [
        AnswerRow(str(who), str(what), score, str(where), str(profile), str(category))
        for who, what, score, where, profile, category in zip(*columns, strict=True)
    ]
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
    if problems := _repeated(rows):
        raise CohortRefused(problems)
    people = {one.person: Person(one.person, one.profile) for one in reversed(rows)}
    prompts = {one.prompt_id: AskedPrompt(one.prompt_id, one.category) for one in reversed(rows)}
    person, prompt = _numbered(one.person for one in rows), _numbered(one.prompt_id for one in rows)
    batch = _numbered(one.batch or f"\0{one.person}" for one in rows)
    seen = {name: count(1) for name in person}
    return cohort_of(
        people=[people[name] for name in person],
        prompts=[prompts[name] for name in prompt],
        bank=bank,
        rows=[
            (person[one.person], prompt[one.prompt_id], batch[one.batch or f"\0{one.person}"],
             next(seen[one.person]), one.score, one.score, _outcome(one))
            for one in rows
        ],
    )  # fmt: skip


def _repeated(rows: Sequence[AnswerRow]) -> list[str]:
    seen: set[tuple[str, str]] = set()
    problems = []
    for one in rows:
        if (one.person, one.prompt_id) in seen:
            problems.append(f"{one.person} has the prompt {one.prompt_id!r} twice; keep one")
        seen.add((one.person, one.prompt_id))
    return problems


def _numbered(names: Iterable[str]) -> dict[str, int]:
    return {name: number for number, name in enumerate(dict.fromkeys(names))}


def _outcome(row: AnswerRow) -> str:
    return row.outcome or (Outcome.SCORED if row.score == row.score else Outcome.UNSCORED)


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
    return AnswerRow(cells["person"], cells["prompt_id"], score, *(cells.get(name, "") for name in OPTIONAL))
