"""What a study's design can show, from its settings by the planner's formulas."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

from django.db.models import Avg, F

from judging.selectors.planned_cost import PlannedJudging
from psychometrics.planning.formulas import Plan, Prices, cost_of, precision
from studies.models import Item, Study, StudyEvent
from studies.protocol.settings import ProtocolSettings
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


def planned_people(protocol: ProtocolSettings, prompts: int) -> int:
    """How many people the settings ask for over so many questions: one for each place of each set, built or
    not. Every page counts by this.
    """
    return math.ceil(prompts / protocol.batch_size) * len(protocol.profiles) * protocol.replicates_per_profile


def design_of(
    study: Study, prompts: int, assumed: Assumptions, judging: PlannedJudging | None = None
) -> Design | None:
    """What the study's settings give; None without questions, and where the plan is not for its item bank.

    A study without item parameters has no ability, and so no width of it. Judging costs what `judging`
    says by the prices of the study's judge, else what is assumed. One query.
    """
    protocol = study.protocol
    if not prompts or (study.item_bank and study.item_bank.is_logistic):
        return None
    plan = _plan(study, prompts, assumed)
    width = precision(plan)
    of_two = precision(replace(plan, people=2 * plan.people // len(protocol.profiles)))
    cost = cost_of(plan, Prices(assumed.pay, 0.0, assumed.judge_call, assumed.calls_per_answer))
    known = judging.cost if judging else None
    has_ability = study.item_bank is not None
    return Design(
        people=plan.people,
        half_width=_known(width.half_width) if has_ability else None,
        difference=_known(of_two.detectable_halves) if has_ability and len(protocol.profiles) > 1 else None,
        paid_hours=plan.people * protocol.time_budget_minutes / 60,
        judge_cost=0.0 if protocol.judge_kind != "llm" else float(known) if known is not None else cost.judge,
        pay=cost.people,
    )


def width_with(study: Study, prompts: int, in_set: int) -> float | None:
    """Half-width of Average's interval with so many questions in a set and the people that are planned; None
    where there is none.
    """
    if study.item_bank is None or study.item_bank.is_logistic:
        return None
    return _known(
        precision(replace(_plan(study, prompts, Assumptions()), prompts_per_person=in_set)).half_width
    )


def _plan(study: Study, prompts: int, assumed: Assumptions) -> Plan:
    protocol = study.protocol
    plan = Plan(
        people=planned_people(protocol, prompts),
        prompts_per_person=min(protocol.batch_size, prompts),
        bank_prompts=prompts,
        balanced=protocol.assembly == "balanced",
        between_sd=assumed.between_sd,
        missing=assumed.missing,
    )
    if study.item_bank is None:
        return plan
    items = Item.objects.filter(item_bank=study.item_bank)
    mean_square: float | None = items.aggregate(mean=Avg(F("a") * F("a")))["mean"]
    return replace(plan, mean_square=mean_square or plan.mean_square)


def kept_plan(study: Study) -> StudyEvent | None:
    """The newest plan that was kept with the study: what was assumed, and what came of it then."""
    return study.events.filter(kind=StudyEventKind.PLANNED).select_related("actor").order_by("-id").first()


def assumptions_of(kept: StudyEvent | None) -> Assumptions:
    """Those of the kept plan, or the planner's own."""
    stored: Mapping[str, float] = kept.details["assumed"] if kept else {}
    return Assumptions(**stored)


def _known(value: float) -> float | None:
    return None if math.isnan(value) else value
