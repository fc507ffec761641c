"""What simulated participants must know of a study's prompts to answer them."""

from operations.rehearsal.answers import PromptKey
from studies.bank.records import CriterionRecord
from studies.models import Prompt, Study


def prompt_keys(study: Study) -> dict[str, PromptKey]:
    """Every prompt of the study by its id, with item parameters where the study's item bank has them."""
    items = {item.prompt_id: item for item in study.item_bank.items.all()} if study.item_bank else {}
    prompts = study.bank_version.prompts.prefetch_related("criteria")
    return {prompt.prompt_id: _key(prompt, items.get(prompt.prompt_id)) for prompt in prompts}


def _key(prompt: Prompt, item: object | None) -> PromptKey:
    criteria = tuple(
        CriterionRecord.model_validate({"text": criterion.text, "check": criterion.check_rule})
        for criterion in prompt.criteria.all()
    )
    return PromptKey(
        prompt_id=prompt.prompt_id,
        gold_answer=prompt.gold_answer,
        criteria=criteria,
        solution=prompt.solution,
        a=getattr(item, "a", None),
        b=getattr(item, "b", None),
    )
