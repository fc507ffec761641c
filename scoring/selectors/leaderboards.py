"""Stored results of models as the measurement computes with them; what the newest would change in a study."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from django.db.models import F, Max, Q, QuerySet

from formats.cells import csv_cell
from psychometrics.inference.measure import Block
from scoring.models import MeasureRow, ModelConfiguration, ResultSet
from scoring.readers.model_results.records import SCORE_COLUMNS
from studies.models import ItemBank, Prompt, Study
from studies.selectors.private_questions import of_public

DIGEST_CHARACTERS = 8  # fewer would rather be a mistyped name


def models_on(item_bank: int | None, version: int | None = None) -> QuerySet[ModelConfiguration]:
    """The models on the item bank with this key, as of a version of them; None: those that no later import
    has replaced, which drafts have and the site's pages list.
    """
    rows = ModelConfiguration.objects.filter(item_bank=item_bank)
    if version is None:
        return rows.filter(until=None)
    return rows.filter(Q(until=None) | Q(until__gt=version), since__lte=version)


def models_of(study: Study) -> QuerySet[ModelConfiguration]:
    """The models that a study is compared with: of a locked one those of the version it is pinned to."""
    return models_on(study.item_bank_id, study.models_version)


def studies_comparing(models: Iterable[ModelConfiguration]) -> QuerySet[Study]:
    """The studies that are compared with any of these models of one item bank, measured or not."""
    found, banks = Q(pk=None), set()
    for since, until, bank in {(model.since, model.until, model.item_bank_id) for model in models}:
        banks.add(bank)
        before = Q(models_version=None) if until is None else Q(models_version__lt=until)
        after = Q(models_version__gte=since)
        found |= (before | after) if until is None else (before & after)
    return Study.objects.filter(found, item_bank__in=banks).order_by("slug")


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
    private = prompts.exclude(of_public()).values("prompt_id")
    public = prompts.filter(of_public()).exclude(prompt_id__in=private).values_list("prompt_id", flat=True)
    yield SCORE_COLUMNS
    for question in sorted(set(public)) or ("question-1", "question-2"):
        yield "my-model", csv_cell(question), "", "1"


def studies_keeping(item_bank: ItemBank, among: QuerySet[Study] | None = None) -> list[str]:
    """Short names of the studies, of all or of some, that are pinned to an earlier version on this bank."""
    studies = Study.objects.all() if among is None else among
    studies = studies.filter(item_bank=item_bank, models_version__lt=F("item_bank__models_version"))
    return list(studies.order_by("slug").values_list("slug", flat=True))


def imported_with(model: ModelConfiguration) -> QuerySet[ModelConfiguration]:
    """This model and all that one import brought with it."""
    return models_on(model.item_bank_id).filter(imported_at=model.imported_at)


def studies_resting_on(models: Sequence[ModelConfiguration]) -> list[Study]:
    """The studies whose newest results of some run were measured while one of these models was there."""
    subsets = [f"model:{model.name}" for model in models]
    newest = ResultSet.objects.order_by().values("run").annotate(newest=Max("pk")).values("newest")
    rows = MeasureRow.objects.filter(results__in=newest, block=Block.MODELS, subset__in=subsets)
    measured = studies_comparing(models).filter(scoring_runs__result_sets__in=rows.values("results"))
    return list(measured.distinct())


@dataclass(frozen=True)
class ModelChanges:
    """Of the bank's newest `version`: the names of models that are new to the study, and those of which there
    are other results than it has.
    """

    item_bank: str
    version: int
    added: list[str]
    replaced: list[str]


def model_changes(study: Study) -> ModelChanges | None:
    """None where the study has the newest already, as every draft does."""
    pinned, bank = study.models_version, study.item_bank
    if pinned is None or bank is None or pinned >= bank.models_version:
        return None
    rows = ModelConfiguration.objects.filter(item_bank=bank).order_by("name")
    new = list(rows.filter(until=None, since__gt=pinned).values_list("name", flat=True))
    if not new:
        return None
    kept = set(rows.filter(since__lte=pinned, until__gt=pinned).values_list("name", flat=True))
    return ModelChanges(
        item_bank=bank.slug,
        version=bank.models_version,
        added=[name for name in new if name not in kept],
        replaced=[name for name in new if name in kept],
    )
