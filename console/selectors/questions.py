"""The questions of a study and its question sets, without their texts."""

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import (
    Avg,
    BooleanField,
    Count,
    Exists,
    ExpressionWrapper,
    F,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
)
from django.utils.translation import gettext as _, gettext_lazy

from batches.models import Answer, BatchPrompt
from batches.selectors.sums import sessions_to_score, written_and_seconds
from presentation.codes import CodeNames
from presentation.tables import Named
from psychometrics.data.places import PUBLIC
from studies.models import Criterion, Item, Prompt, Study
from studies.roles import Can
from studies.selectors.categories import question_categories
from studies.selectors.private_questions import seen_by

FLAGS: Mapping[str, Any] = {
    "no_parameters": gettext_lazy("no item parameters"),
    "no_answer": gettext_lazy("no answer yet"),
    "ungraded": gettext_lazy("nothing to score by"),
    "private": gettext_lazy("private"),
}


@dataclass(frozen=True)
class Question:
    """One question of the study's bank; difficulty is None where the item bank does not know it.

    `taken` is the mean time of its answers in seconds, from opening the question to the last save, None
    without any: whoever read others in between takes longer by it.
    """

    pk: int
    label: str
    prompt_id: str
    category: str
    modality: str
    sets: tuple[int, ...]
    answers: int
    difficulty: float | None
    flags: tuple[str, ...]
    taken: float | None

    @property
    def is_private(self) -> bool:
        return "private" in self.flags

    @property
    def flag_words(self) -> list[Any]:
        return [FLAGS[flag] for flag in self.flags]


def study_questions(study: Study, rights: Collection[Can]) -> list[Question]:
    """Every question that somebody with these rights sees, in the bank's order, without its text: seven
    queries for any number.
    """
    answers, taken = written_and_seconds(study, sessions_to_score(study))
    sets: dict[int, list[int]] = defaultdict(list)
    places = BatchPrompt.objects.filter(batch__plan__study=study).order_by("batch__number")
    for prompt, number in places.values_list("prompt", "batch__number"):
        sets[int(prompt)].append(number)
    held = question_categories(study)
    criteria = Exists(Criterion.objects.filter(prompt=OuterRef("pk")))
    no_gold = ExpressionWrapper(Q(gold_answer=None), output_field=BooleanField())
    prompts = seen_by(rights, Prompt.objects.filter(version=study.bank_version_id))
    items = Item.objects.filter(item_bank=study.item_bank_id, prompt_id=OuterRef("prompt_id"))
    difficulties = Subquery(items.values("b")[:1])
    annotated = prompts.annotate(has_criteria=criteria, no_gold=no_gold, difficulty=difficulties)
    rows = annotated.values_list(
        "pk", "label", "prompt_id", "modality", "split", "no_gold", "has_criteria", "difficulty"
    )
    return [
        Question(
            pk, label, prompt_id, held[prompt_id].category, modality, tuple(sets[pk]), answers[pk],
            difficulty,
            tuple(
                flag
                for flag, holds in (
                    ("no_parameters", bool(study.item_bank_id) and difficulty is None),
                    ("no_answer", not answers[pk] and study.status != "draft"),
                    ("ungraded", no_gold and not has_criteria),
                    ("private", split != PUBLIC),
                )
                if holds
            ),
            taken.get(pk),
        )
        for pk, label, prompt_id, modality, split, no_gold, has_criteria, difficulty in rows
    ]  # fmt: skip


def chosen(
    questions: Sequence[Question], names: CodeNames, *, words: str, category: str, flag: str
) -> list[Question]:
    """Those of the category with the flag that hold the words in label, id or category, by code or name."""
    needle, found = words.strip().casefold(), []
    for question in questions:
        if (category and question.category != category) or (flag and flag not in question.flags):
            continue
        texts = [question.label, question.prompt_id, question.category]
        if needle:
            texts.append(names.category(question.category))
        if any(needle in text.casefold() for text in texts):
            found.append(question)
    return found


def answers_counted(answers: QuerySet[Answer]) -> tuple[Counter[int], dict[int, float]]:
    """The number of these answers, and their mean time in seconds, by question; one query."""
    timed = Q(first_seen_at__isnull=False, saved_at__gte=F("first_seen_at"))
    time = Avg(F("saved_at") - F("first_seen_at"), filter=timed)
    rows = list(answers.order_by().values_list("prompt").annotate(number=Count("pk"), taken=time))
    taken = {prompt: mean.total_seconds() for prompt, _number, mean in rows if mean is not None}
    return Counter({prompt: number for prompt, number, _mean in rows}), taken


@dataclass(frozen=True)
class SetRow:
    """One question set, as its balance report has it; `x` is its place from 0 to 100 among all, by what
    people of middling ability are expected to score.
    """

    number: int
    size: int
    difficulty: float | None
    expected: float | None
    information: float | None
    categories: tuple[tuple[Named, int], ...]
    x: float | None


def set_rows(report: Mapping[str, Any], names: CodeNames) -> list[SetRow]:
    """The balance report as rows, with its categories by name; no query."""
    batches = report["batches"]
    middle = len(report["abilities"]) // 2
    return [
        SetRow(
            number=batch["number"],
            size=batch["size"],
            difficulty=batch["mean_difficulty"],
            expected=batch["expected_raw"][middle],
            # A sum over prompts with item parameters: without any it is no nought.
            information=None if batch["mean_difficulty"] is None else batch["information"],
            categories=tuple(
                (names.category(code) if code else Named(_("none"), ""), n)
                for code, n in batch["categories"].items()
                if n
            ),
            x=None if batch["expected_raw"][middle] is None else 100 * batch["expected_raw"][middle],
        )
        for batch in batches
    ]
