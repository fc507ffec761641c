"""Everything a planner is told about one plan: precision, alternatives, costs, by formulas in plain Python.

How its designs hang together and what a rehearsal recovers is computed in `computing`.
"""

import math
from dataclasses import dataclass, replace
from typing import TypeVar

from formats.canonical import JsonValue
from psychometrics.inference.readable import number_text, table_text
from psychometrics.planning import formulas
from psychometrics.planning.formulas import Cost, Plan, Precision, Prices
from psychometrics.planning.records import Linkage, Simulated, SimulatedDesign, as_json

PEOPLE = (6, 12, 15, 30, 60, 100, 195, 246, 500)
REPLICATES = (1, 2, 3, 6, 12, 24)
PROMPTS_PER_PERSON = (5, 10, 20, 40)
BETWEEN_SDS = (0.35, 0.6, 0.9, 1.2)
WANTED = (0.1, 0.15, 0.2, 0.3, 0.5)
Number = TypeVar("Number", int, float)


@dataclass(frozen=True)
class Rehearsal:
    """What is to be rehearsed; 0 `studies` for nothing."""

    studies: int = 0
    mean: float = 0.0
    top_size: int = 15
    seed: int = 2026


NO_REHEARSAL = Rehearsal()


@dataclass(frozen=True)
class Alternative:
    """The plan with one thing changed to `value`; `people` and `prompts_per_person` as they then are."""

    value: float
    people: int
    prompts_per_person: int
    precision: Precision
    cost: Cost


@dataclass(frozen=True)
class BatchLine:
    """`replicates` people on one batch: half-width of the batch's theta and of one prompt's mean score."""

    replicates: int
    half_width: float
    prompt_half_width: float


@dataclass(frozen=True)
class Planned:
    """All tables of a plan. `needed` pairs wanted half-widths with people, None where no number suffices.

    `item_bank` names the bank that is planned with, None for a synthetic one. `linkage` is empty, and
    `rehearsed` None, until they are computed.
    """

    plan: Plan
    kind: str
    item_bank: str | None
    precision: Precision
    cost: Cost
    needed: tuple[tuple[float, int | None], ...]
    by_people: tuple[Alternative, ...]
    by_replicates: tuple[Alternative, ...]
    by_prompts: tuple[Alternative, ...]
    by_sd: tuple[Alternative, ...]
    per_batch: tuple[BatchLine, ...]
    linkage: tuple[tuple[str, Linkage], ...] = ()
    rehearsed: SimulatedDesign | None = None

    def __repr__(self) -> str:
        widths = [(number_text(width), "no number" if n is None else str(n)) for width, n in self.needed]
        precision = self.precision
        return (
            f"{self.plan.people} people x {self.plan.prompts_per_person} prompts of "
            f"{self.plan.bank_prompts} ({self.kind}): half-width {number_text(precision.half_width)}, "
            f"smallest difference {number_text(precision.detectable)}, between halves "
            f"{number_text(precision.detectable_halves)} logits\n"
            f"{table_text(('half-width', 'people needed'), widths)}"
        )

    def as_json(self) -> dict[str, JsonValue]:
        """The same as JSON holds it; NaN is null."""
        return as_json(self)

    def completed(self, simulated: Simulated) -> "Planned":
        """With what takes arrays."""
        return replace(self, linkage=simulated.linkage, rehearsed=simulated.rehearsed)


def planned_by_formulas(
    plan: Plan,
    kind: str,
    prices: Prices,
    wanted: tuple[float, ...] = WANTED,
    item_bank: str | None = None,
) -> Planned:
    """All but the linkage of the designs and the rehearsal; at once."""
    # Other numbers of prompts per person with as many answers in all, up to one person.
    answers = plan.people * plan.prompts_per_person
    same_answers: list[tuple[float, Plan]] = [
        (k, replace(plan, prompts_per_person=int(k), people=max(math.ceil(answers / k), 1)))
        for k in _with(PROMPTS_PER_PERSON, plan.prompts_per_person)
        if k <= plan.bank_prompts
    ]
    return Planned(
        plan=plan,
        kind=kind,
        item_bank=item_bank,
        precision=formulas.precision(plan),
        cost=formulas.cost_of(plan, prices),
        needed=tuple((width, formulas.people_for(width, plan)) for width in wanted),
        by_people=_alternatives(prices, [(n, replace(plan, people=n)) for n in _with(PEOPLE, plan.people)]),
        by_replicates=_alternatives(
            prices, [(r, replace(plan, people=r * plan.batches)) for r in REPLICATES]
        ),
        by_prompts=_alternatives(prices, same_answers),
        by_sd=_alternatives(
            prices, [(sd, replace(plan, between_sd=sd)) for sd in _with(BETWEEN_SDS, plan.between_sd)]
        ),
        per_batch=tuple(
            BatchLine(m, formulas.batch_half_width(m, plan), formulas.prompt_half_width(m))
            for m in REPLICATES
        ),
    )


def _alternatives(prices: Prices, plans: list[tuple[float, Plan]]) -> tuple[Alternative, ...]:
    return tuple(
        Alternative(
            value,
            plan.people,
            plan.prompts_per_person,
            formulas.precision(plan),
            formulas.cost_of(plan, prices),
        )
        for value, plan in plans
    )


def _with(values: tuple[Number, ...], own: Number) -> list[Number]:
    return sorted(set(values) | {own})
