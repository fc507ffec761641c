"""How long the abilities of 10,000 groups on 820 items take, and how exact they are.

Run:  python -m benchmarks.measurement.theta_10k

The items are the 615 of the public GIM bank and 205 drawn from them again, where the data are present; else
820 simulated ones. One score in ten is missing.
"""

import math
import os
import statistics
import time
from pathlib import Path

import numpy as np

from formats.item_parameters import read_item_parameters
from psychometrics.irt.ability import Abilities, abilities_of, group_ability
from psychometrics.irt.bank import ItemBank, item_bank_from
from psychometrics.irt.transform import Array, Transform

ROOT = Path(__file__).resolve().parents[2]

GROUPS, ITEMS, RUNS = 10_000, 820, 7


def bank_for(rng: np.random.Generator) -> tuple[ItemBank, str]:
    """820 items and where they come from."""
    data = Path(os.environ.get("CHIRON_SHARED_DATA", ROOT.parent / "shared" / "data"))
    path = data / "gim" / "irt_params.json"
    names, labels = tuple(f"item-{j}" for j in range(ITEMS)), ("",) * ITEMS
    if not path.exists():
        a, b = np.exp(rng.normal(0, 0.59, ITEMS)), rng.normal(0, 3, ITEMS)
        return ItemBank(names, a, b, labels, Transform(0.998, 0.001), 2.53), "simulated items"
    public = item_bank_from(read_item_parameters(path))
    drawn = np.concatenate([np.arange(len(public)), rng.integers(0, len(public), ITEMS - len(public))])
    bank = ItemBank(names, public.a[drawn], public.b[drawn], labels, public.transform, public.sigma_hat)
    return bank, f"{len(public)} public items and {ITEMS - len(public)} drawn from them again"


def naive_theta(p: Array, bank: ItemBank) -> float:
    """The published formula, one item after the other."""
    above = below = 0.0
    for score, a, b in zip(p.tolist(), bank.a.tolist(), bank.b.tolist(), strict=True):
        if not math.isnan(score):
            q = bank.transform.scale * score + bank.transform.offset
            above += a * (math.log(q / (1 - q)) + a * b)
            below += a * a
    return above / below


def timed(p: Array, bank: ItemBank) -> tuple[float, Abilities]:
    start = time.perf_counter()
    found = abilities_of(p, bank)
    return time.perf_counter() - start, found


def one_by_one(p: Array, bank: ItemBank) -> float:
    """Seconds for the same groups through what studies and the theta command call, pooled pairs included."""
    items = np.arange(len(bank))
    start = time.perf_counter()
    for scores in p:
        group_ability(items, scores, bank)
    return time.perf_counter() - start


def main() -> None:
    rng = np.random.default_rng(20)
    bank, origin = bank_for(rng)
    p = rng.random((GROUPS, ITEMS))
    p[rng.random(p.shape) < 0.1] = np.nan
    runs = [timed(p, bank) for _ in range(RUNS)]
    alone = [one_by_one(p, bank) for _ in range(RUNS)]
    found = runs[-1][1]
    error = max(abs(naive_theta(p[i], bank) - found.theta[i]) for i in range(GROUPS))
    print(f"{GROUPS} groups x {ITEMS} items ({origin}), {RUNS} runs")
    print(f"as one matrix: median {statistics.median(seconds for seconds, _ in runs):.3f} s")
    print(f"group by group, with pooled pairs: median {statistics.median(alone):.3f} s")
    print(f"largest difference from the published formula: {error:.1e} logits")


if __name__ == "__main__":
    main()
