"""A CSV table of scores, read into groups of prompt-response pairs.

Columns `prompt_id`, `score` and optionally `group`, in any order; others are ignored. One row is one
response. An empty or NaN score is missing. Without a group column every row belongs to one group.
"""

from array import array
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from psychometrics.data.tables import TableRefused, read_table, score_in
from psychometrics.irt.transform import Array

REQUIRED = ("prompt_id", "score")
ONLY_GROUP = "all"
UNKNOWN = -1


class ScoreTableRefused(TableRefused):
    """The table cannot be scored."""


@dataclass
class GroupScores:
    """The pairs of one group in file order, 12 bytes each: a table may hold millions."""

    items: "array[int]" = field(default_factory=lambda: array("i"))
    scores: "array[float]" = field(default_factory=lambda: array("d"))

    @property
    def prompt_index(self) -> NDArray[np.int64]:
        """Bank position of each pair's prompt, (n,); UNKNOWN where the bank does not hold it."""
        return np.array(self.items, dtype=np.int64)

    @property
    def p(self) -> Array:
        """Score of each pair, (n,); NaN where missing."""
        return np.array(self.scores, dtype=np.float64)


@dataclass
class ScoreTable:
    """Groups in order of first appearance, and what of the file takes no part in them."""

    groups: dict[str, GroupScores] = field(default_factory=dict)
    unknown_rows: int = 0
    unknown_ids: set[str] = field(default_factory=set)
    ignored_columns: tuple[str, ...] = ()

    def add(self, group: str, prompt_id: str, score: float, index: Mapping[str, int]) -> None:
        pairs = self.groups.setdefault(group, GroupScores())
        pairs.items.append(index.get(prompt_id, UNKNOWN))
        pairs.scores.append(score)
        if prompt_id not in index:
            self.unknown_rows += 1
            self.unknown_ids.add(prompt_id)


def read_score_table(path: Path, index: Mapping[str, int]) -> ScoreTable:
    """Read a whole table; `index` gives the bank position of each known prompt id.

    Raises ScoreTableRefused with all its problems.
    """
    table = ScoreTable()

    def add_row(cells: Mapping[str, str]) -> str | None:
        score = score_in(cells["score"])
        if isinstance(score, str):
            return score
        prompt_id = cells["prompt_id"].strip()
        if not prompt_id:
            return "the prompt_id is empty"
        group = cells.get("group", ONLY_GROUP).strip()
        if not group:
            return "the group is empty; name one or leave the whole column out"
        table.add(group, prompt_id, score, index)
        return None

    header = read_table(path, REQUIRED, add_row, ScoreTableRefused)
    if not table.groups:
        raise ScoreTableRefused(["the file holds no scores; write one line per response"])
    table.ignored_columns = tuple(name for name in header if name not in (*REQUIRED, "group"))
    return table
