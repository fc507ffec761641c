"""What a study asks, over which of it there are numbers, and which of them may leave the site
(`psychometrics.measures.disclosure`).
"""

from collections import Counter
from collections.abc import Callable, Iterable
from functools import partial

from django.db.models import QuerySet

from batches.models import BatchPrompt
from psychometrics.data.categories import items_by_category
from psychometrics.inference.measure import Block, Measure, Scope
from psychometrics.measures.disclosure import disclosure_of
from scoring.models import ResultSet
from studies.models import Item, Prompt, Study
from studies.selectors.categories import question_categories
from studies.selectors.private_questions import known_private, of_public

Rule = Callable[[Block, Scope], Callable[[Measure], bool]]


def study_prompts(study: Study) -> QuerySet[Prompt]:
    """The prompts of the study's batches."""
    placed = BatchPrompt.objects.filter(batch__plan__study=study)
    return Prompt.objects.filter(pk__in=placed.values("prompt"))


def hidden_items(study: Study) -> QuerySet[Item]:
    """Items of private prompts, as the study's own bank has it."""
    private = known_private(study).values("prompt_id")
    return Item.objects.filter(item_bank=study.item_bank_id, prompt_id__in=private)


def bank_sizes(study: Study) -> Counter[str]:
    """How many items the study's bank has of each category; none without a bank."""
    held = question_categories(study, study_prompts(study))
    of_prompt = {prompt_id: categories.category for prompt_id, categories in held.items()}
    items = Item.objects.filter(item_bank=study.item_bank_id).values_list("prompt_id", "subcategory")
    return items_by_category(items, of_prompt)


def study_scopes(study: Study) -> tuple[Scope, ...]:
    """All answers and, where its batches hold private prompts, those to public ones: a report's."""
    private = study_prompts(study).exclude(of_public())
    return (Scope.ALL, Scope.PUBLIC) if private.exists() else (Scope.ALL,)


def scope_to_leave(study: Study) -> Scope:
    """The only one in which agreement of judges, audits and what is by task leave the site.

    Beside the public scope, which people can compute again from the tables, the other would tell of private
    prompts by the difference.
    """
    return study_scopes(study)[-1]


def results_disclosure(results: ResultSet, headlines: Iterable[Measure]) -> Rule:
    """For a block and a scope of these results, which measures may leave.

    `headlines` are those over all answers.
    """
    study = results.run.study
    public = Prompt.objects.filter(of_public(), version=study.bank_version).values_list(
        "prompt_id", flat=True
    )
    split = Scope.PUBLIC in study_scopes(study)
    rule = disclosure_of(headlines, split=split, public=public)
    return lambda block, scope: partial(rule.may_leave, block, scope)
