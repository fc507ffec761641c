"""Plan a study: its precision before it is done."""

from dataclasses import replace

from psychometrics.irt.bank import ItemBank
from psychometrics.planning.designs import MATRIX
from psychometrics.planning.formulas import Plan, Prices
from psychometrics.planning.tables import WANTED, NamedBank, Planned, planned


def plan(
    study: Plan,
    *,
    bank: ItemBank | None = None,
    kind: str = MATRIX,
    prices: Prices | None = None,
    wanted: tuple[float, ...] = WANTED,
) -> Planned:
    """Half-widths of 95 % intervals and smallest detectable differences (logits), and alternatives.

    `bank` gives the number of prompts and their mean a^2 in place of those of `study`. `kind` is "matrix" or
    "nested". `wanted` are half-widths for which the people needed are found. ValueError for another kind.
    Formulas and assumptions stand in `psychometrics.planning.formulas` (docs/measurement/planning.md).
    """
    named = None if bank is None else NamedBank("bank", bank)
    if named is not None:
        study = replace(study, bank_prompts=len(named.items), mean_square=named.mean_square)
    return planned(study, kind, prices or Prices(), wanted, bank=named)
