"""What some steps of the set-up show besides their form."""

from collections.abc import Callable, Mapping
from typing import Any

from batches.jobs import BUILDING
from batches.models import BatchPlan
from batches.selectors.plans import plan_matches
from jobs.selectors import unless_done
from judging.selectors.judges import known_judges
from scoring.selectors.leaderboards import model_changes, models_of
from screening.offtask.facts import RULES_VERSION, OfftaskRules
from studies.models import Prompt, Study
from studies.selectors.banks import item_ids_without_prompts, prompt_ids_without_parameters
from studies.selectors.categories import disagreements

SHOWN = 12
LISTED = 1000


def step_facts(study: Study, page: str, plan: BatchPlan | None) -> dict[str, Any]:
    """Facts for the page's own part; nothing for most pages."""
    if page == "questions":
        is_current = plan is not None and plan_matches(plan, study)
        return {"plan": plan, "is_current": is_current, "job": unless_done(study, BUILDING)}
    find = FACTS.get(page)
    return find(study) if find else {}


def _items(study: Study) -> dict[str, Any]:
    if study.item_bank is None:
        prompts = Prompt.objects.filter(version=study.bank_version_id)
        return {"has_tasks": prompts.exclude(task="").exists()}
    without = prompt_ids_without_parameters(study.bank_version, study.item_bank)
    named = prompt_ids_without_parameters(study.bank_version, study.item_bank, public_only=True)
    unused = len(item_ids_without_prompts(study.bank_version, study.item_bank))
    differing = disagreements(study.bank_version, study.item_bank)
    return {
        "bank": study.item_bank,
        "without": named[:SHOWN],
        "number": len(without),
        "unused": unused,
        "models": models_of(study).count(),
        "newer": model_changes(study),
        "disagreements": differing[:LISTED],
        "disagreeing": len(differing),
        "more": max(0, len(differing) - LISTED),
    }


def _judges(_study: Study) -> dict[str, Any]:
    return {"judges": known_judges()}


def _rules(_study: Study) -> dict[str, Any]:
    return {"rules": OfftaskRules(), "version": RULES_VERSION}


FACTS: Mapping[str, Callable[[Study], dict[str, Any]]] = {
    "items": _items,
    "judge": _judges,
    "offtask": _rules,
}
