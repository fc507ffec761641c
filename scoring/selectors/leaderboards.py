"""Stored results of models as the measurement computes with them."""

from collections.abc import Iterator, Sequence
from dataclasses import fields

from django.db.models import QuerySet

from psychometrics.irt.bank import ItemBank as ItemArrays
from psychometrics.models.leaderboard import Configuration, Leaderboard, ScoreRow, score_arrays
from scoring.models import ModelConfiguration, ModelScore
from studies.models import ItemBank, Study

DIGEST_CHARACTERS = 8  # fewer would rather be a mistyped name
CHUNK = 5000
COLUMNS = [field.name for field in fields(Configuration)]


def leaderboard_of(item_bank: ItemBank, items: ItemArrays) -> Leaderboard:
    """All configurations imported for the bank, in two queries. `items` are the arrays of the same bank."""
    rows = ModelConfiguration.objects.filter(item_bank=item_bank).order_by("name")
    configurations = {pk: Configuration(*values) for pk, *values in rows.values_list("pk", *COLUMNS)}
    scored = [pk for pk, one in configurations.items() if one.published_theta is None]
    p = score_arrays(len(scored), items, _score_rows(scored))
    published = tuple(one for one in configurations.values() if one.published_theta is not None)
    return Leaderboard(tuple(configurations[pk] for pk in scored), p, published)


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


def _score_rows(scored: Sequence[int]) -> Iterator[ScoreRow]:
    layers = {pk: layer for layer, pk in enumerate(scored)}
    rows = ModelScore.objects.filter(configuration__in=scored).order_by()
    found = rows.values_list("configuration_id", "prompt_id", "epoch", "score")
    for configuration, prompt_id, epoch, score in found.iterator(CHUNK):
        yield layers[configuration], prompt_id, epoch, score
