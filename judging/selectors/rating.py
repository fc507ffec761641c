"""An audit sample as raters work through it: without a word of any judge until they have rated."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from django.db.models import Count, Q, QuerySet

from judging.models import AuditItem, AuditSample
from judging.selectors.audits import counting_items, study_samples
from studies.models import Study
from studies.roles import Can
from studies.selectors.private_questions import is_private


@dataclass(frozen=True)
class ItemEntry:
    """One item of the list: `is_rated` by anybody, `is_mine` where the asking rater did it."""

    number: int
    label: str
    criterion: int | None
    is_rated: bool
    is_mine: bool


@dataclass(frozen=True)
class ItemShown:
    """One item with its texts; the judge's score, confidence and explanation only once it is rated."""

    item: AuditItem
    is_private: bool
    label: str
    question: str
    text_format: str
    attachments: Sequence[str]
    gold_answer: str
    criterion: str
    answer: str

    @property
    def is_rated(self) -> bool:
        return self.item.human_score is not None


def samples_with_progress(study: Study, rater: str) -> QuerySet[AuditSample]:
    """The study's samples, newest first, with items `drawn`, `rated`, and rated by this rater (`mine`)."""
    rated = Q(items__human_score__isnull=False)
    return study_samples(study).annotate(
        drawn=Count("items"), rated=Count("items", filter=rated),
        mine=Count("items", filter=rated & Q(items__rater=rater)),
    )  # fmt: skip


def item_entries(sample: AuditSample, rater: str, rights: Collection[Can]) -> list[ItemEntry]:
    """Every item that still counts and the rater may see, in the order of the numbers, which is random. One
    query.
    """
    columns = (
        "number", "row__answer__prompt__label", "row__criterion__position", "human_score", "rater",
    )  # fmt: skip
    return [
        ItemEntry(number, label, position, score is not None, score is not None and who == rater)
        for number, label, position, score, who in counting_items(sample, rights).values_list(*columns)
    ]


def item_shown(sample: AuditSample, number: int, rights: Collection[Can]) -> ItemShown | None:
    """One item with what raters read; None where it is not in the sample, counts no more or is not theirs."""
    related = ("row__answer__prompt", "row__criterion", "row__run__config")
    item = counting_items(sample, rights).select_related(*related).filter(number=number).first()
    if item is None:
        return None
    prompt, criterion = item.row.answer.prompt, item.row.criterion
    return ItemShown(
        item=item,
        is_private=is_private(prompt),
        label=prompt.label,
        question=prompt.text,
        text_format=prompt.text_format,
        attachments=[file.name for file in prompt.attachments.all()],
        gold_answer=prompt.gold_answer or "",
        criterion=criterion.text if criterion else "",
        answer=item.row.answer.text,
    )
