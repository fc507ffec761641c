"""The item bank and models on it as export rows: what the measurement puts beside the cohort."""

from collections.abc import Iterator

from django.db.models import Q

from batches.models import BatchPrompt
from scoring.export.rows.results import ItemRow, ModelRow, ModelScoreRow
from scoring.models import ModelConfiguration, ModelScore
from scoring.selectors.bank_items import hidden_items
from scoring.selectors.export_answers import public_labels
from studies.models import Item, Study

CHUNK = 2000
MODEL_FACTS = ("name", "family", "source", "judge", "published_theta", "published_se", "epochs", "sha256")


def item_rows(study: Study) -> Iterator[ItemRow]:
    """Every item of the study's bank but those of private prompts, in the order of their import."""
    labels = public_labels(study)
    items = Item.objects.filter(item_bank=study.item_bank_id).exclude(pk__in=hidden_items(study).values("pk"))
    for prompt_id, a, b in items.order_by("pk").values_list("prompt_id", "a", "b").iterator(CHUNK):
        yield ItemRow(prompt_id=prompt_id, label=labels.get(prompt_id), a=a, b=b)


def private_items(study: Study) -> int:
    """How many items of the study's bank are of private prompts."""
    return hidden_items(study).count()


def model_rows(study: Study) -> Iterator[ModelRow]:
    """Every configuration of the study's item bank, by name."""
    found = ModelConfiguration.objects.filter(item_bank=study.item_bank_id).order_by("name")
    for values in found.values_list(*MODEL_FACTS):
        yield ModelRow(**dict(zip(ModelRow.model_fields, values, strict=True)))


def model_score_rows(study: Study) -> Iterator[ModelScoreRow]:
    """Their scores on what the tables `items` and `prompts` hold."""
    labels = public_labels(study)
    placed = BatchPrompt.objects.filter(batch__plan__study=study, prompt__split="public")
    items = Item.objects.filter(item_bank=study.item_bank_id)
    scores = ModelScore.objects.filter(
        Q(prompt_id__in=placed.values("prompt__prompt_id")) | Q(prompt_id__in=items.values("prompt_id")),
        configuration__item_bank=study.item_bank_id,
    ).exclude(prompt_id__in=hidden_items(study).values("prompt_id"))
    rows = scores.order_by("configuration__name", "prompt_id", "epoch")
    columns = ("configuration__name", "prompt_id", "epoch", "score")
    for model, prompt_id, epoch, score in rows.values_list(*columns).iterator(CHUNK):
        label = labels.get(prompt_id)
        yield ModelScoreRow(model=model, prompt_id=prompt_id, label=label, epoch=epoch, score=score)
