"""The tables items and model_scores as arrays, and what models give per item."""

import math
from dataclasses import dataclass
from functools import cache
from itertools import combinations

import numpy as np

from scoring.export.recomputing.reading import PRIVATE, Array, Export, NotHere, Run, Values

MOST_SETS = 100  # of epochs: above, as many are drawn


@dataclass(frozen=True, eq=False)
class Bank:
    """Items in their order; scores (J, K) of each model, its epochs as columns and NaN for none."""

    names: list[str]
    place: dict[str, int]
    a: Array
    b: Array
    scores: dict[str, Array]


@cache
def bank_of(export: Export) -> Bank:
    """The bank with its models that have scores, by name."""
    items = export.table("items")
    place = {one["prompt_id"]: j for j, one in enumerate(items)}
    a, b = (np.array([one[name] for one in items], dtype=float) for name in ("a", "b"))
    cells: dict[str, list[tuple[int, int, float]]] = {
        one["model"]: [] for one in export.table("models") if one["published_theta"] is None
    }
    for one in export.table("model_scores"):
        if one["prompt_id"] in place:
            p = math.nan if one["score"] is None else one["score"]
            cells[one["model"]].append((place[one["prompt_id"]], one["epoch"], p))
    epochs = {model: sorted({epoch for _, epoch, _ in own}) for model, own in cells.items()}
    most = max(map(len, epochs.values()), default=0)
    scores = {}
    for model, own in cells.items():
        column = {epoch: k for k, epoch in enumerate(epochs[model])}
        scores[model] = np.full((len(items), most), math.nan)
        for j, epoch, p in own:
            scores[model][j, column[epoch]] = p
    return Bank(list(place), place, a, b, scores)


def whole_bank(run: Run, row: Values) -> Bank:
    """For a number that rests on all of its items."""
    if row["scope"] == "all" and run.export.manifest["omitted"]["private_items"]:
        raise NotHere(PRIVATE)
    return bank_of(run.export)


def mean_of_epochs(values: Array) -> Array:
    """(J,): means of what there is of each row (J, K), NaN where nothing is."""
    there = ~np.isnan(values)
    number = there.sum(axis=1)
    return np.where(number > 0, np.where(there, values, 0).sum(axis=1) / np.maximum(number, 1), math.nan)


def matched_logits(run: Run, p: Array, wanted: Array, rng: np.random.Generator) -> Array:
    """(J,): expected logit of the mean of min(wanted, scores there are) epochs; NaN where that is none."""
    of_item, found = np.minimum(wanted, (~np.isnan(p)).sum(axis=1)), np.full(len(p), math.nan)
    for k in np.unique(of_item[of_item > 0]).tolist():
        own = p[of_item == k]
        if math.comb(p.shape[1], k) <= MOST_SETS:
            means = [own[:, list(chosen)].mean(axis=1) for chosen in combinations(range(p.shape[1]), k)]
        else:
            means = [first_of_shuffled(own, k, rng) for _ in range(MOST_SETS)]
        found[of_item == k] = mean_of_epochs(run.logit(np.stack(means, axis=1)))
    return found


def first_of_shuffled(p: Array, k: int, rng: np.random.Generator) -> Array:
    """The mean of k scores of each row, chosen at random."""
    keys = np.where(np.isnan(p), np.inf, rng.random(p.shape))
    return np.take_along_axis(p, np.argsort(keys, axis=1)[:, :k], axis=1).mean(axis=1)
