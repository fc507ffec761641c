"""Categories and sub-categories of a study's questions: the one source for assembly, pages and results."""

from collections.abc import Iterator
from dataclasses import dataclass

from django.db.models import OuterRef, QuerySet, Subquery, Value
from django.db.models.functions import Coalesce

from presentation.codes import CodeNames
from presentation.tables import Named
from psychometrics.data.categories import Categories, categories_of, disagree, item_categories
from studies.models import BankVersion, Item, ItemBank, Prompt, Study, StudyStatus


@dataclass(frozen=True)
class Disagreement:
    """A question, by what people call it, that the question bank and the item bank put into different
    categories.
    """

    label: str
    prompt_id: str
    question_bank: Named
    item_bank: Named


def question_categories(study: Study, prompts: QuerySet[Prompt] | None = None) -> dict[str, Categories]:
    """What holds for each of these questions (default: all of the bank), by prompt id; one query."""
    rows = Prompt.objects.filter(version=study.bank_version_id) if prompts is None else prompts
    source = study.protocol.categories_hold_of
    return {
        prompt_id: categories_of(items, questions, source=source)
        for _label, prompt_id, questions, items in _of_both(rows, study.item_bank_id)
    }


def disagreements(version: BankVersion, item_bank: ItemBank | None) -> list[Disagreement]:
    """Every question whose category the two banks do not agree on, in the bank's order, by names."""
    if item_bank is None:
        return []
    names, rows = CodeNames(version.category_names), Prompt.objects.filter(version=version)
    differing = []
    for label, prompt_id, questions, items in _of_both(rows, item_bank.pk):
        if disagree(items, questions):
            # Where both name one category, it is the sub-category that they differ in.
            level = 0 if items.category != questions.category else 1
            differing.append(
                Disagreement(label, prompt_id, names.category(questions[level]), names.category(items[level]))
            )
    return differing


def undecided(study: Study) -> list[Disagreement]:
    """The disagreements of a draft whose protocol does not say yet which bank holds: a locked study keeps
    what it was made with.
    """
    if study.status != StudyStatus.DRAFT or study.protocol.category_source is not None:
        return []
    return disagreements(study.bank_version, study.item_bank)


def _of_both(
    prompts: QuerySet[Prompt], item_bank: int | None
) -> Iterator[tuple[str, str, Categories, Categories]]:
    """Label and id of each question with what the question bank and the item bank say; one query."""
    items = Item.objects.filter(item_bank=item_bank, prompt_id=OuterRef("prompt_id")).values("subcategory")
    rows = prompts.order_by("position").annotate(of_item=Coalesce(Subquery(items[:1]), Value("")))
    for label, prompt_id, category, subcategory, of_item in rows.values_list(
        "label", "prompt_id", "category", "subcategory", "of_item"
    ):
        yield label, prompt_id, Categories(category, subcategory), item_categories(of_item)
