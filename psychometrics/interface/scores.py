"""Scores of a group on a bank, and its ability by both estimators."""

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from formats.item_parameters import read_item_parameters
from psychometrics.data.score_table import UNKNOWN, read_score_table
from psychometrics.inference.estimates import Estimate
from psychometrics.inference.quasi_estimate import quasi_estimate
from psychometrics.interface.arguments import Table, bank_from, columns_of, numbers
from psychometrics.irt.ability import GroupAbility, group_ability
from psychometrics.irt.bank import ItemBank, item_bank_from
from psychometrics.irt.quasi_likelihood import bounds_ql
from psychometrics.irt.transform import Array, require_scores

StrPath = str | os.PathLike[str]


@dataclass(frozen=True, eq=False)
class Scores:
    """n responses of one group: scores `p` (n,) in [0, 1], NaN = missing, on bank positions `items` (n,).

    A position is -1 where the bank does not hold the prompt; such a response contributes nothing.
    """

    items: NDArray[np.int64]
    p: Array

    def __len__(self) -> int:
        return len(self.p)

    def __repr__(self) -> str:
        used = int(((self.items >= 0) & ~np.isnan(self.p)).sum())
        return f"Scores({len(self)} responses, {used} with a score on a prompt of the bank)"


def load_item_bank(path: StrPath) -> ItemBank:
    """The item bank of a JSON file as GIM publishes it (GIM paper, section 5.1 and appendix B).

    `a` > 0 and `b` in logits. Raises ItemParametersRefused with every problem of the file.
    """
    return item_bank_from(read_item_parameters(Path(path)))


def scores_of(prompt_ids: Sequence[object], p: ArrayLike, bank: ItemBank | Table) -> Scores:
    """Scores `p` (n,) in [0, 1], NaN or None = missing, of the prompts `prompt_ids` (n,).

    Lists, arrays or columns of a frame. Raises ValueError where they differ in length or hold no numbers,
    ScoreOutOfRange for a score outside [0, 1].
    """
    index = bank_from(bank).index
    scores = numbers("p", p)
    require_scores(scores)
    items = np.array([index.get(str(name), UNKNOWN) for name in prompt_ids], dtype=np.int64)
    if scores.shape != items.shape:
        raise ValueError(f"prompt_ids has {len(items)} prompts, p {len(scores)} scores; expected as many")
    return Scores(items, scores)


def scores_from(scores: Scores | Table, bank: ItemBank) -> Scores:
    """Scores as they are, or from a table with the columns prompt_id and score."""
    if isinstance(scores, Scores):
        return scores
    columns = columns_of("scores", scores, ("prompt_id", "score"))
    return scores_of(columns["prompt_id"], numbers("column score of scores", columns["score"]), bank)


def load_scores(path: StrPath, bank: ItemBank | Table) -> dict[str, Scores]:
    """The groups of a CSV table with the columns prompt_id, score and, where there are several, group.

    A table without groups has one, called "all". Raises ScoreTableRefused with every problem of the file.
    """
    groups = read_score_table(Path(path), bank_from(bank).index).groups
    return {name: Scores(group.prompt_index, group.p) for name, group in groups.items()}


def ability(scores: Scores | Table, bank: ItemBank | Table) -> GroupAbility:
    """Theta (logits) of a group by equation 2 of the GIM paper, by prompt means and by pooled responses.

    `scores` may be a table with the columns prompt_id and score, `bank` one with prompt_id, a and b.
    The interval is the published analytic one, which takes responses as independent; `measure` has honest
    ones. Everything is NaN where nothing is scored and on a logistic bank (use `quasi_likelihood`). Where all
    scores are 1, or all 0, there is a bound alone: `ci_low`, above which theta lies, or `ci_high`, below it.
    """
    items = bank_from(bank)
    own = scores_from(scores, items)
    found, known = group_ability(own.items, own.p, items), own.items >= 0
    places = own.items[known]
    bounds = None if items.is_logistic else bounds_ql(items.a[places], items.b[places], own.p[known])
    if bounds is None:
        return found
    return replace(
        found, theta=np.nan, se=np.nan, ci_low=bounds[0], ci_high=bounds[1], theta_pool=np.nan, se_pool=np.nan
    )


def quasi_likelihood(
    scores: Scores | Table, bank: ItemBank | Table, clusters: Sequence[object] | None = None
) -> Estimate:
    """theta_QL (logits) of a group with a 95 % t interval, robust to what responses of a cluster share.

    Tables as for `ability`.
    `clusters` (n,) names what each response belongs to, such as its person; None takes every response as a
    cluster of its own. Without a value where nothing is scored; where all scores are 1 `low` is a bound above
    which theta lies, where all are 0 `high` one below which. Compare
    theta_QL with theta_QL only. Raises ValueError for another number of labels. Sources: Papke and
    Wooldridge (1996) for the quasi-likelihood; Cameron, Gelbach and Miller (2011) for the sandwich.
    """
    held = bank_from(bank)
    own = scores_from(scores, held)
    labels = np.arange(len(own)) if clusters is None else np.asarray([str(name) for name in clusters])
    if len(labels) != len(own):
        raise ValueError(
            f"clusters: {len(labels)} cluster labels for {len(own)} responses; expected one each"
        )
    known = own.items >= 0
    items = own.items[known]
    return quasi_estimate(held.a[items], held.b[items], own.p[known], labels[known]).estimate
