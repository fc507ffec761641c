"""Results of models as the measurement computes with them."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from psychometrics.irt.bank import ItemBank
from psychometrics.irt.transform import Array

ScoreRow = tuple[int, str, int, float | None]  # layer of the configuration, prompt id, epoch, score


@dataclass(frozen=True)
class Configuration:
    """A model as it was run. `judge`: who scored its responses, "" where that is not known.

    `published_theta` and `published_se` (logits) are of one of which only a theta is published, and `epochs`
    the number of responses per prompt that it rests on.
    """

    name: str
    family: str = ""
    source: str = ""
    judge: str = ""
    published_theta: float | None = None
    published_se: float | None = None
    epochs: int | None = None


@dataclass(frozen=True, eq=False)
class Leaderboard:
    """The configurations of one item bank.

    `scored` have scores `p` (M, J, K), one layer per configuration, rows in the order of the bank, epochs in
    their order and NaN for what is missing; `published` have no scores, only the theta somebody published.
    """

    scored: tuple[Configuration, ...]
    p: Array
    published: tuple[Configuration, ...]


def score_arrays(configurations: int, items: ItemBank, rows: Iterable[ScoreRow]) -> Array:
    """Scores (M, J, K) with K the largest number of epochs; scores on prompts outside the bank stay out."""
    if not configurations:
        return np.full((0, len(items), 0), np.nan)
    placed = [
        (layer, items.index[prompt_id], epoch, np.nan if score is None else score)
        for layer, prompt_id, epoch, score in rows
        if prompt_id in items.index
    ]
    # A configuration's epochs have the first columns in their order, whatever their numbers.
    columns: dict[tuple[int, int], int] = {}
    used: Counter[int] = Counter()
    for layer, epoch in sorted({(layer, epoch) for layer, _, epoch, _ in placed}):
        columns[layer, epoch] = used[layer]
        used[layer] += 1
    p = np.full((configurations, len(items), max(used.values(), default=0)), np.nan)
    for layer, item, epoch, score in placed:
        p[layer, item, columns[layer, epoch]] = score
    return p
