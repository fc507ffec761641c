"""How theta depends on the number of responses that are averaged before the logit, and theta_QL does not.

Run:  python -m benchmarks.measurement.k_effect [--examinees 600] [--seed 20]

One examinee answers the whole bank (820 items, DGP-R of `psychometrics/irt/responses.py`) ten times. theta by
equation 2 of the GIM paper and theta_QL use the mean of the first k responses to each item; the table has
their means over examinees of equal ability. k = 1 is also what pooling single responses gives. Stated values
are those of the design, section A3; theta_QL is to move by at most 0.01 from k = 5. Every ten examinees have
items and criteria of their own.
"""

import argparse

import numpy as np

from benchmarks.measurement.stated import Tally, simulated
from benchmarks.measurement.top_estimators import bank_of
from psychometrics.irt.ability import abilities_of
from psychometrics.irt.bank import ItemBank
from psychometrics.irt.quasi_likelihood import thetas_ql
from psychometrics.irt.responses import RubricResponses, dgp_r_table
from psychometrics.irt.transform import Array

KS = (1, 2, 3, 5, 10)
ABILITIES = (-1.0, 0.0, 1.0, 2.0, 2.5)
STATED = (
    (-1.11, -1.09, -1.03, -0.97, -0.87),
    (0.06, 0.04, 0.02, -0.01, -0.02),
    (1.28, 1.17, 1.07, 0.93, 0.79),
    (2.09, 1.98, 1.88, 1.74, 1.57),
    (2.38, 2.28, 2.19, 2.05, 1.90),
)  # fmt: skip
STATED_EXAMINEES = 100  # not said for this table; 60 to 150 for those of its kind
EXAMINEES_PER_BANK = 10
MAX_MOVED = 0.01


def thetas_by_k(
    theta: float, examinees: int, responses: RubricResponses, rng: np.random.Generator
) -> tuple[Array, Array]:
    """Theta by equation 2 and theta_QL (examinees, k) from the means of the first k responses."""
    scores = responses.epoch_scores(np.full(examinees, theta), max(KS), rng)
    means = [scores[:, :, :k].mean(axis=2) for k in KS]
    wls = np.stack([abilities_of(p, responses.bank).theta for p in means], axis=1)
    return wls, np.stack([quasi_thetas(p, responses.bank) for p in means], axis=1)


def quasi_thetas(p: Array, bank: ItemBank) -> Array:
    """theta_QL (I,) of scores (I, J)."""
    examinees, items = p.shape
    groups = np.repeat(np.arange(examinees), items)
    return thetas_ql(np.tile(bank.a, examinees), np.tile(bank.b, examinees), p.ravel(), groups, examinees)


def main() -> None:
    parser = argparse.ArgumentParser(description="theta and theta_QL by the number of responses averaged.")
    parser.add_argument("--examinees", type=int, default=600)
    parser.add_argument("--seed", type=int, default=20)
    options = parser.parse_args()
    rng = np.random.default_rng(options.seed)
    banks = [bank_of(rng) for _ in range(max(2, options.examinees // EXAMINEES_PER_BANK))]
    print(f"{len(banks) * EXAMINEES_PER_BANK} examinees a line, {len(banks)} banks of {banks[0][1]}")
    tally = Tally()
    for theta, stated in zip(ABILITIES, STATED, strict=True):
        found = [thetas_by_k(theta, EXAMINEES_PER_BANK, dgp_r_table(bank, rng), rng) for bank, _ in banks]
        wls, quasi = (np.concatenate(part) for part in zip(*found, strict=True))
        print(f"true {theta:4.1f}")
        for k, values, one in zip(KS, wls.T, stated, strict=True):
            here = simulated(values, EXAMINEES_PER_BANK, STATED_EXAMINEES)
            print(f"  theta, k = {k:2}  {tally.compared(f'{theta} k {k}', here, one)}")
        shifts = quasi - quasi[:, -2:-1]
        error = float(shifts[:, 0].std(ddof=1) / len(shifts) ** 0.5)
        moved = float(np.abs(shifts.mean(axis=0)).max())
        tally.cells.append((f"{theta} theta_QL", moved <= MAX_MOVED))
        print(f"  theta_QL  {row(quasi.mean(axis=0))}")
        print(f"  theta_QL moves from k = 5 by at most {moved:.4f} (error {error:.4f}), stated {MAX_MOVED}")
    print(tally.summary())


def row(values: Array) -> str:
    return "  ".join(f"{value:6.3f}" for value in values)


if __name__ == "__main__":
    main()
