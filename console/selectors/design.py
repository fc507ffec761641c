"""What a study's design can show, from its settings by the planner's formulas."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

from django.db.models import Avg, F

from psychometrics.planning.formulas import Plan, Prices, cost_of, precision
from studies.models import Item, Study, StudyEvent
from studies.services.events import StudyEventKind


@dataclass(frozen=True)
class Assumptions:
    """What cannot be known before a study: about its people, and prices. Defaults are the planner's."""

    between_sd: float = 0.9
    missing: float = 0.066
    pay: float = 0.0
    judge_call: float = 0.0
    calls_per_answer: float = 1.0


@dataclass(frozen=True)
class Design:
    """Half-width of the 95 % interval of Average, the smallest difference between two profiles that is found
    four times in five (both in logits, None where there is no number), cost and time.
    """

    people: int
    half_width: float | None
    difference: float | None
    paid_hours: float
    judge_cost: float
    pay: float
    on_item_bank: bool


def planned_people(study: Study, prompts: int) -> int:
    """How many people the settings ask for over so many questions; none without questions."""
    protocol = study.protocol
    if not prompts:
        return 0
    plan = Plan(people=1, prompts_per_person=min(protocol.batch_size, prompts), bank_prompts=prompts)
    return plan.batches * len(protocol.profiles) * protocol.replicates_per_profile


def design_of(study: Study, prompts: int, assumed: Assumptions) -> Design | None:
    """What the study's settings give; None without questions, and where the plan is not for its item bank.

    One query.
    """
    protocol = study.protocol
    if not prompts or (study.item_bank and study.item_bank.is_logistic):
        return None
    people = planned_people(study, prompts)
    plan = Plan(
        people=people,
        prompts_per_person=min(protocol.batch_size, prompts),
        bank_prompts=prompts,
        balanced=protocol.assembly == "balanced",
        between_sd=assumed.between_sd,
        missing=assumed.missing,
    )
    plan = replace(plan, mean_square=_mean_square(study) or plan.mean_square)
    found = precision(plan)
    prices = Prices(assumed.pay, 0.0, assumed.judge_call, assumed.calls_per_answer)
    of_two = precision(replace(plan, people=2 * people // len(protocol.profiles)))
    cost = cost_of(plan, prices)
    return Design(
        people=people,
        half_width=_known(found.half_width),
        difference=_known(of_two.detectable_halves) if len(protocol.profiles) > 1 else None,
        paid_hours=people * protocol.time_budget_minutes / 60,
        judge_cost=cost.judge if protocol.judge_kind == "llm" else 0.0,
        pay=cost.people,
        on_item_bank=study.item_bank is not None,
    )


def kept_plan(study: Study) -> StudyEvent | None:
    """The newest plan that was kept with the study: what was assumed, and what came of it then."""
    return study.events.filter(kind=StudyEventKind.PLANNED).select_related("actor").order_by("-id").first()


def assumptions_of(kept: StudyEvent | None) -> Assumptions:
    """Those of the kept plan, or the planner's own."""
    stored: Mapping[str, float] = kept.details["assumed"] if kept else {}
    return Assumptions(**stored)


def _mean_square(study: Study) -> float | None:
    if study.item_bank is None:
        return None
    items = Item.objects.filter(item_bank=study.item_bank)
    mean: float | None = items.aggregate(mean=Avg(F("a") * F("a")))["mean"]
    return mean


def _known(value: float) -> float | None:
    return None if math.isnan(value) else value
