"""Reads of batch plans."""

from batches.models import BatchPlan, BatchPrompt
from batches.rules.coverage import CoverageReport, coverage_report
from batches.rules.traits import PromptTraits
from psychometrics.data.categories import category_of
from studies.models import Item, Prompt, Study
from studies.protocol.settings import ProtocolSettings


def prompt_traits(study: Study) -> list[PromptTraits]:
    """What assembly knows of each prompt: item parameters where the study's item bank has them."""
    items = Item.objects.filter(item_bank=study.item_bank_id) if study.item_bank_id else Item.objects.none()
    fields = items.values_list("prompt_id", "a", "b", "subcategory")
    known = {prompt_id: (a, b, subcategory) for prompt_id, a, b, subcategory in fields}
    rows = Prompt.objects.filter(version=study.bank_version_id)
    traits = []
    for prompt_id, category, modality in rows.values_list("prompt_id", "category", "modality"):
        a, b, subcategory = known.get(prompt_id, (None, None, ""))
        category = category_of(subcategory, category)
        traits.append(PromptTraits(prompt_id=prompt_id, a=a, b=b, category=category, modality=modality))
    return traits


def plan_coverage(plan: BatchPlan) -> CoverageReport:
    """What each batch of the plan holds, and how far the batches differ."""
    batches: dict[int, list[str]] = {}
    places = BatchPrompt.objects.filter(batch__plan=plan).order_by("batch__number", "position")
    for number, prompt_id in places.values_list("batch__number", "prompt__prompt_id"):
        batches.setdefault(number, []).append(prompt_id)
    return coverage_report(
        list(batches.values()),
        prompt_traits(plan.study),
        people_per_batch=people_per_batch(plan.study.protocol),
    )


def people_per_batch(protocol: ProtocolSettings) -> int:
    """How many people work on a batch once all its places are taken."""
    return 1 if protocol.assembly == "matrix" else people_per_prompt(protocol)


def people_per_prompt(protocol: ProtocolSettings) -> int:
    """How many people are asked a prompt once all places are taken."""
    return len(protocol.profiles) * protocol.replicates_per_profile


def plan_places(protocol: ProtocolSettings) -> dict[str, object]:
    """What the slots of a plan are made from; empty where there are none."""
    if not protocol.has_fixed_places:
        return {}
    return {
        "profiles": [profile.slug for profile in protocol.profiles],
        "replicates": protocol.replicates_per_profile,
        "arms": list(protocol.arm_slugs),
    }
