"""The questions of a study and its question sets, without their texts."""

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import BooleanField, Count, Exists, ExpressionWrapper, OuterRef, Q
from django.utils.translation import gettext as _, gettext_lazy

from batches.models import BatchPlan, BatchPrompt
from batches.selectors.answers import answers_to_score
from presentation.codes import CodeNames
from presentation.tables import Named
from screening.selectors.kept import kept
from studies.models import Criterion, Item, Prompt, Study

FLAGS: Mapping[str, Any] = {
    "no_parameters": gettext_lazy("no item parameters"),
    "no_answer": gettext_lazy("no answer yet"),
    "ungraded": gettext_lazy("nothing to score by"),
    "private": gettext_lazy("private"),
}


@dataclass(frozen=True)
class Question:
    """One question of the study's bank; difficulty is None where the item bank does not know it."""

    pk: int
    label: str
    prompt_id: str
    category: str
    modality: str
    sets: tuple[int, ...]
    answers: int
    difficulty: float | None
    flags: tuple[str, ...]

    @property
    def flag_words(self) -> list[Any]:
        return [FLAGS[flag] for flag in self.flags]


SORTS: Mapping[str, Callable[[Question], Any]] = {
    "label": lambda one: one.label,
    "category": lambda one: (one.category, one.label),
    "set": lambda one: (one.sets, one.label),
    "answers": lambda one: (one.answers, one.label),
    "difficulty": lambda one: (one.difficulty is None, one.difficulty or 0.0, one.label),
}


def study_questions(study: Study) -> list[Question]:
    """Every question in the bank's order, without its text: four queries for any number."""
    answers = _answers(study)
    parameters = _difficulties(study)
    sets = _sets(study)
    criteria = Exists(Criterion.objects.filter(prompt=OuterRef("pk")))
    no_gold = ExpressionWrapper(Q(gold_answer=None), output_field=BooleanField())
    rows = Prompt.objects.filter(version=study.bank_version_id).annotate(
        has_criteria=criteria, no_gold=no_gold
    )
    found = rows.values_list(
        "pk", "label", "prompt_id", "category", "modality", "split", "no_gold", "has_criteria"
    )
    return [
        Question(
            pk, label, prompt_id, category, modality, tuple(sets[pk]), answers[pk], parameters.get(prompt_id),
            tuple(
                flag
                for flag, holds in (
                    ("no_parameters", bool(study.item_bank_id) and prompt_id not in parameters),
                    ("no_answer", not answers[pk] and study.status != "draft"),
                    ("ungraded", no_gold and not has_criteria),
                    ("private", split == "private"),
                )
                if holds
            ),
        )
        for pk, label, prompt_id, category, modality, split, no_gold, has_criteria in found
    ]  # fmt: skip


def chosen(
    questions: Sequence[Question], *, words: str, category: str, flag: str, sort: str
) -> list[Question]:
    """Those that hold the words in label, id or category; `sort` is a column, with a - from the other end."""
    needle = words.strip().casefold()
    found = [
        one
        for one in questions
        if (not category or one.category == category)
        and (not flag or flag in one.flags)
        and (
            not needle or any(needle in text.casefold() for text in (one.label, one.prompt_id, one.category))
        )
    ]
    key = SORTS.get(sort.lstrip("-"))
    return sorted(found, key=key, reverse=sort.startswith("-")) if key else found


def _answers(study: Study) -> Counter[int]:
    rows = answers_to_score(study).order_by().values_list("prompt").annotate(number=Count("pk"))
    return kept("answers of questions", study, lambda: Counter(dict(rows)))


def _difficulties(study: Study) -> dict[str, float]:
    if study.item_bank_id is None:
        return {}
    return dict(Item.objects.filter(item_bank=study.item_bank_id).values_list("prompt_id", "b"))


def _sets(study: Study) -> Mapping[int, list[int]]:
    places = BatchPrompt.objects.filter(batch__plan__study=study).order_by("batch__number")
    found: dict[int, list[int]] = defaultdict(list)
    for prompt, number in places.values_list("prompt", "batch__number"):
        found[int(prompt)].append(number)
    return found


@dataclass(frozen=True)
class SetRow:
    """One question set, as its balance report has it; `x` is its place from 0 to 100 among all, by what
    people of middling ability are expected to score.
    """

    number: int
    size: int
    difficulty: float | None
    expected: float | None
    information: float
    categories: tuple[tuple[Named, int], ...]
    x: float | None


def set_rows(plan: BatchPlan, names: CodeNames) -> list[SetRow]:
    """The stored balance report as rows, with its categories by name; no query."""
    batches = plan.report["batches"]
    middle = len(plan.report["abilities"]) // 2
    return [
        SetRow(
            number=batch["number"],
            size=batch["size"],
            difficulty=batch["mean_difficulty"],
            expected=batch["expected_raw"][middle],
            information=batch["information"],
            categories=tuple(
                (names.category(code) if code else Named(_("none"), ""), n)
                for code, n in batch["categories"].items()
                if n
            ),
            x=None if batch["expected_raw"][middle] is None else 100 * batch["expected_raw"][middle],
        )
        for batch in batches
    ]
