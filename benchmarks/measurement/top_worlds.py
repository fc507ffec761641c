"""Whether the stated table of A1 is what one draw of the bank gives: its studies on one world at a time.

Run:  python -m benchmarks.measurement.top_worlds [--worlds 24] [--of 1000] [--studies 200] [--seed 77]

A world is one draw of the 205 unknown items and of all numbers of criteria; every study of every tau is on
it. Counted are the stated cells of DGP-R that agree (estimate, true and bias of five estimators at six tau)
by the rule of `stated.py` without its term for how banks differ. For comparison every world's own table is
rounded, taken for the stated one and counted beside every other world: so much does one draw show beside
others. With --of, the worlds are those of so many whose true means of the best 15 are nearest to the stated
ones; these are not among the cells counted, and nobody has to answer anything for them.
"""

import argparse
import time
from collections.abc import Mapping, Sequence

import numpy as np

from benchmarks.measurement.stated import Simulated, Tally, simulated
from benchmarks.measurement.top_estimators import (
    PEOPLE,
    STATED_ORACLE_R,
    STATED_R,
    STATED_STUDIES,
    TAUS,
    TOP,
    World,
    bank_of,
    one_study,
    stated_of,
    world_of,
)
from psychometrics.irt.transform import Array

ORACLE_STUDIES = 2000
Cells = Mapping[str, Simulated]


def world_number(number: int, seed: int) -> World:
    rng = np.random.default_rng([seed, number])
    return world_of(bank_of(rng)[0], False, rng)


def nearest(among: int, wanted: int, seed: int) -> list[int]:
    """The numbers of the worlds whose best 15 are, over all tau, nearest to the stated ones."""
    people = np.random.default_rng(seed).standard_normal((ORACLE_STUDIES, PEOPLE))
    best = np.sort(people, axis=1)[:, -TOP:]
    found = [cells_of_best(world_number(number, seed), best) for number in range(among)]
    stated = {f"best {tau}": value for tau, value in zip(TAUS, STATED_ORACLE_R, strict=True)}
    agree = sum(len(agreeing(one, stated)) == len(stated) for one in found)
    print(f"{agree} of {among} worlds agree with the stated means of the best {TOP} at every tau")
    apart = [sum(squared_errors(one[name], value) for name, value in stated.items()) for one in found]
    return [int(number) for number in np.argsort(apart)[:wanted]]


def cells_of_best(world: World, best: Array) -> Cells:
    """The true means of the best of a study at each tau; `best` (n, 15) are standard normal."""
    means = {tau: world.truth(tau * best).mean(axis=1) for tau in TAUS}
    return {f"best {tau}": simulated(one, len(best), STATED_STUDIES) for tau, one in means.items()}


def squared_errors(found: Simulated, stated: float) -> float:
    """How far a figure stated to two decimals is off, in errors of the stated one."""
    return (found.mean - stated) ** 2 / (found.stated_error**2 + 0.01**2 / 12)


def stated_cells() -> dict[str, float]:
    return {
        f"{name} {what} {tau}": value
        for name in STATED_R
        for row, tau in enumerate(TAUS)
        for what, value in stated_of("R", name, row).items()
    }


def cells_of(world: World, number: int, rng: np.random.Generator) -> dict[str, Simulated]:
    """Of so many studies at every tau, without a term for the bank."""
    cells = {}
    for tau in TAUS:
        found = [one_study(world, tau, 0, rng, nulls=0) for _ in range(number)]
        for name in STATED_R:
            estimates, true = (np.array([one[f"{name} {what}"] for one in found]) for what in ("est", "true"))
            for what, values in (("est", estimates), ("true", true), ("bias", estimates - true)):
                cells[f"{name} {what} {tau}"] = simulated(values, number, STATED_STUDIES)
    return cells


def agreeing(found: Cells, stated: Mapping[str, float]) -> list[str]:
    tally = Tally()
    for name, value in stated.items():
        tally.compared(name, found[name], value)
    return [name for name, agrees in tally.cells if agrees]


def described(number: int, found: Cells, stated: Mapping[str, float]) -> str:
    agree = agreeing(found, stated)
    biases = sum(" bias " in cell for cell in agree)
    parts = ", ".join(f"{name} {sum(cell.startswith(f'{name} ') for cell in agree)}" for name in STATED_R)
    apart = [found[f"eb bias {tau}"].mean - stated[f"eb bias {tau}"] for tau in TAUS]
    return (
        f"world {number}: {len(agree)} of {len(stated)}, {biases} of the biases; "
        f"{parts}; bias of eb {' '.join(f'{one:+.2f}' for one in apart)} from the stated"
    )


def beside_others(worlds: Sequence[Cells]) -> str:
    """How many cells of each world's rounded table agree with the others: the best and the median of them."""
    best, middle = [], []
    for own in worlds:
        table = {name: round(cell.mean, 2) for name, cell in own.items()}
        counts = [len(agreeing(other, table)) for other in worlds if other is not own]
        best.append(max(counts))
        middle.append(float(np.median(counts)))
    return (
        f"each world's table beside the others: best {min(best)} to {max(best)}, median of these "
        f"{np.median(best):.0f}; median {min(middle):.0f} to {max(middle):.0f}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description="The cells of A1 that agree with one draw of the bank each.")
    parser.add_argument("--worlds", type=int, default=24)
    parser.add_argument(
        "--of", type=int, help="how many worlds to choose the nearest from (default: no choice)"
    )
    parser.add_argument("--studies", type=int, default=200)
    parser.add_argument("--seed", type=int, default=77)
    options = parser.parse_args()
    numbers = list(range(options.worlds))
    if options.of:
        numbers = nearest(options.of, options.worlds, options.seed)
    stated, worlds, start = stated_cells(), [], time.perf_counter()
    for number in numbers:
        rng = np.random.default_rng([options.seed + 1, number])
        worlds.append(cells_of(world_number(number, options.seed), options.studies, rng))
        print(described(number, worlds[-1], stated), flush=True)
    counts = [len(agreeing(found, stated)) for found in worlds]
    print(f"stated table: best {max(counts)}, median {np.median(counts):.0f} of {len(stated)}")
    if len(worlds) > 1:
        print(beside_others(worlds))
    print(f"{time.perf_counter() - start:.0f} s")


if __name__ == "__main__":
    main()
