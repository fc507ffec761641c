"""Stored results of models as the measurement computes with them."""

from collections.abc import Iterator, Sequence
from dataclasses import fields

from django.db.models import Max, QuerySet

from formats.cells import csv_cell
from psychometrics.inference.measure import Block
from psychometrics.irt.bank import ItemBank as ItemArrays
from psychometrics.models.leaderboard import Configuration, Leaderboard, ScoreRow, score_arrays
from scoring.models import MeasureRow, ModelConfiguration, ModelScore, ResultSet
from scoring.readers.model_results.reading import SCORE_COLUMNS
from studies.models import ItemBank, Prompt, Study

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


def template_rows(item_bank: ItemBank) -> Iterator[tuple[str, ...]]:
    """A table to fill in with the scores of a model: a row for each question of the item bank that a question
    bank has as a public one, and none has as a private one.
    """
    prompts = Prompt.objects.filter(prompt_id__in=item_bank.items.values("prompt_id"))
    private = set(prompts.filter(split="private").values_list("prompt_id", flat=True))
    public = set(prompts.filter(split="public").values_list("prompt_id", flat=True)) - private
    yield SCORE_COLUMNS
    for question in sorted(public) or ("question-1", "question-2"):
        yield "my-model", csv_cell(question), "", "1"


def studies_measured_on(item_bank: ItemBank, among: QuerySet[Study] | None = None) -> list[str]:
    """Short names of the studies, of all or of some, whose results on this bank were measured before."""
    studies = Study.objects.all() if among is None else among
    studies = studies.filter(item_bank=item_bank, scoring_runs__result_sets__measurement__isnull=False)
    return list(studies.order_by("slug").values_list("slug", flat=True).distinct())


def imported_with(one: ModelConfiguration) -> QuerySet[ModelConfiguration]:
    """This model and all that one import brought with it."""
    return ModelConfiguration.objects.filter(item_bank=one.item_bank_id, imported_at=one.imported_at)


def studies_resting_on(models: Sequence[ModelConfiguration]) -> list[Study]:
    """The studies whose newest results of some run were measured while one of these models was there."""
    subsets = [f"model:{one.name}" for one in models]
    newest = ResultSet.objects.order_by().values("run").annotate(newest=Max("pk")).values("newest")
    rows = MeasureRow.objects.filter(results__in=newest, block=Block.MODELS, subset__in=subsets)
    bank = models[0].item_bank_id
    studies = Study.objects.filter(item_bank=bank, scoring_runs__result_sets__in=rows.values("results"))
    return list(studies.order_by("slug").distinct())


def _score_rows(scored: Sequence[int]) -> Iterator[ScoreRow]:
    layers = {pk: layer for layer, pk in enumerate(scored)}
    rows = ModelScore.objects.filter(configuration__in=scored).order_by()
    found = rows.values_list("configuration_id", "prompt_id", "epoch", "score")
    for configuration, prompt_id, epoch, score in found.iterator(CHUNK):
        yield layers[configuration], prompt_id, epoch, score
