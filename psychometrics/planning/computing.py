"""What of a plan takes arrays: how its designs hang together, and a rehearsal with known abilities."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from psychometrics.irt.bank import ItemBank
from psychometrics.planning.designs import design_of
from psychometrics.planning.formulas import Plan, Prices
from psychometrics.planning.records import MATRIX, NESTED, Simulated
from psychometrics.planning.simulated_design import no_step, simulate_design
from psychometrics.planning.tables import NO_REHEARSAL, WANTED, Planned, Rehearsal, planned_by_formulas

DESIGN_SEED = 1


@dataclass(frozen=True, eq=False)
class NamedBank:
    """A calibrated bank to plan with, and what it is called."""

    name: str
    items: ItemBank

    @property
    def mean_square(self) -> float:
        return float((self.items.a**2).mean())


def planned(
    plan: Plan,
    kind: str,
    prices: Prices,
    wanted: tuple[float, ...] = WANTED,
    rehearsal: Rehearsal = NO_REHEARSAL,
    bank: NamedBank | None = None,
) -> Planned:
    """Compute all of a plan; the rehearsal takes about two seconds per hundred studies of the pilot's size.

    `plan` has the size and the mean squared discrimination of `bank`, if one is given.
    """
    by_formulas = planned_by_formulas(plan, kind, prices, wanted, bank.name if bank else None)
    return by_formulas.completed(simulated(plan, kind, rehearsal, bank.items if bank else None))


def simulated(
    plan: Plan,
    kind: str,
    rehearsal: Rehearsal,
    items: ItemBank | None,
    step: Callable[[int, int], None] = no_step,
) -> Simulated:
    """What the formulas do not say; `step` as in `simulate_design`."""
    designs = {
        name: design_of(
            name, people=plan.people, prompts=plan.bank_prompts, per_person=plan.prompts_per_person,
            rng=np.random.default_rng(DESIGN_SEED),
        )
        for name in (NESTED, MATRIX)
    }  # fmt: skip
    rehearsed = None
    if rehearsal.studies:
        rehearsed = simulate_design(
            plan, kind, mean=rehearsal.mean, top_size=rehearsal.top_size, studies=rehearsal.studies,
            rng=np.random.default_rng(rehearsal.seed), bank=items, step=step,
        )  # fmt: skip
    return Simulated(tuple((name, design.linkage()) for name, design in designs.items()), rehearsed)
