"""Stored results of models as the measurement computes with them."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from django.db.models import QuerySet

from psychometrics.irt.bank import ItemBank as ItemArrays
from psychometrics.irt.transform import Array
from scoring.models import ModelConfiguration, ModelScore
from studies.models import ItemBank, Study

DIGEST_CHARACTERS = 8  # fewer would rather be a mistyped name
CHUNK = 5000


@dataclass(frozen=True, eq=False)
class Leaderboard:
    """The configurations of one item bank.

    `scored` have scores `p` (M, J, K), one layer per configuration, rows in the order of the bank, epochs in
    their order and NaN for what is missing; `published` have no scores, only the theta somebody published.
    """

    scored: tuple[ModelConfiguration, ...]
    p: Array
    published: tuple[ModelConfiguration, ...]


def leaderboard_of(item_bank: ItemBank, items: ItemArrays) -> Leaderboard:
    """All configurations imported for the bank, in two queries. `items` are the arrays of the same bank."""
    configurations = list(ModelConfiguration.objects.filter(item_bank=item_bank).order_by("name"))
    scored = tuple(one for one in configurations if one.published_theta is None)
    published = tuple(one for one in configurations if one.published_theta is not None)
    return Leaderboard(scored, score_arrays(scored, items), published)


def score_arrays(scored: tuple[ModelConfiguration, ...], items: ItemArrays) -> Array:
    """Scores (M, J, K) with K the largest number of epochs; scores on prompts outside the bank stay out."""
    if not scored:
        return np.full((0, len(items), 0), np.nan)
    layers = {one.pk: layer for layer, one in enumerate(scored)}
    rows = [
        (layers[configuration], items.index[prompt_id], epoch, np.nan if score is None else score)
        for configuration, prompt_id, epoch, score in _score_rows(scored)
        if prompt_id in items.index
    ]
    columns = epoch_columns((layer, epoch) for layer, _, epoch, _ in rows)
    epochs = max(columns.values(), default=-1) + 1
    p = np.full((len(scored), len(items), epochs), np.nan)
    for layer, item, epoch, score in rows:
        p[layer, item, columns[layer, epoch]] = score
    return p


def epoch_columns(seen: Iterator[tuple[int, int]]) -> dict[tuple[int, int], int]:
    """The column of each (layer, epoch): a configuration's epochs in their order, whatever their numbers."""
    columns: dict[tuple[int, int], int] = {}
    used: dict[int, int] = {}
    for layer, epoch in sorted(set(seen)):
        columns[layer, epoch] = used.setdefault(layer, 0)
        used[layer] += 1
    return columns


def item_banks_named(name: str) -> QuerySet[ItemBank]:
    """The item banks with this short name, or else those whose digest begins so; newest first."""
    banks = ItemBank.objects.order_by("-imported_at", "-pk")
    named = banks.filter(slug=name)
    if named.exists() or len(name) < DIGEST_CHARACTERS:
        return named
    return banks.filter(digest__startswith=name.lower())


def studies_measured_on(item_bank: ItemBank) -> list[str]:
    """Short names of the studies whose results on this bank were measured before."""
    studies = Study.objects.filter(item_bank=item_bank, scoring_runs__result_sets__measurement__isnull=False)
    return list(studies.order_by("slug").values_list("slug", flat=True).distinct())


def _score_rows(scored: tuple[ModelConfiguration, ...]) -> Iterator[tuple[int, str, int, float | None]]:
    rows = ModelScore.objects.filter(configuration__in=scored).order_by()
    return rows.values_list("configuration_id", "prompt_id", "epoch", "score").iterator(CHUNK)
