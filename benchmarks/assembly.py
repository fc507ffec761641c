"""Time the making of batches for a study of the pilot's size: 820 prompts and 246 people.

Run from the repository root: `python -m benchmarks.assembly [REPEATS]`. No database, no server.
Prints medians over the repeats (default 9) and how far the batches of both ways differ.
"""

import os
import platform
import statistics
import sys
import time
from collections import Counter
from collections.abc import Callable

import numpy as np

from batches.rules.assembly import (
    PromptTraits,
    assemble_balanced,
    assemble_random,
    coverage_lines,
    coverage_report,
)
from batches.rules.assignment import BatchLoad, choose_batch

PROMPTS, BATCH_SIZE, PEOPLE, REPLICATES = 820, 20, 246, 2
PROFILES = ("stem-undergraduate", "stem-phd", "non-stem-undergraduate")
LIMIT_SECONDS = 2.0


def simulated_bank(*, seed: int) -> list[PromptTraits]:
    """Draw item parameters with the spread of the published bank, seven categories, three modalities."""
    rng = np.random.default_rng(seed)
    a, b = np.exp(rng.normal(0.0, 0.59, PROMPTS)), 2.0 * rng.standard_t(3, PROMPTS)
    categories = rng.choice(["LR", "QR", "SI", "WK", "LN", "PR", "CT"], PROMPTS)
    modalities = rng.choice(["text", "image", "pdf"], PROMPTS, p=[0.72, 0.18, 0.10])
    return [
        PromptTraits(f"prompt-{j:04}", float(a[j]), float(b[j]), str(categories[j]), str(modalities[j]))
        for j in range(PROMPTS)
    ]


def assign_everyone(batches: int) -> Counter[tuple[int, str]]:
    """Choose a batch for each person in turn, counting loads anew each time as a database would."""
    filled: Counter[tuple[int, str]] = Counter()
    totals: Counter[int] = Counter()
    for person in range(PEOPLE):
        profile = PROFILES[person % len(PROFILES)]
        loads = [BatchLoad(number, filled[number, profile], totals[number]) for number in range(batches)]
        chosen = choose_batch(loads, replicates=REPLICATES, tie_seed=person)
        assert chosen is not None
        filled[chosen, profile] += 1
        totals[chosen] += 1
    return filled


def median_seconds(action: Callable[[], object], *, repeats: int) -> float:
    """Median wall time of one call."""
    times = []
    for _ in range(repeats):
        started = time.perf_counter()
        action()
        times.append(time.perf_counter() - started)
    return statistics.median(times)


def main(repeats: int) -> None:
    """Measure the steps and the whole, then print them."""
    bank = simulated_bank(seed=20)
    ids = [prompt.prompt_id for prompt in bank]

    def at_random() -> list[list[str]]:
        return assemble_random(ids, batch_size=BATCH_SIZE, rng=np.random.default_rng(1))

    def balanced() -> list[list[str]]:
        return assemble_balanced(bank, batch_size=BATCH_SIZE, rng=np.random.default_rng(1))

    def everything() -> None:
        for batches in (at_random(), balanced()):
            coverage_lines(coverage_report(batches, bank))
        assign_everyone(PROMPTS // BATCH_SIZE)

    made = balanced()
    steps: dict[str, Callable[[], object]] = {
        "random assembly": at_random,
        "balanced assembly": balanced,
        "one coverage report": lambda: coverage_report(made, bank),
        "246 assignments": lambda: assign_everyone(len(made)),
        "all of it, both ways": everything,
    }
    print(f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}")
    print(f"{PROMPTS} prompts, {PEOPLE} people, median of {repeats} runs; limit for all {LIMIT_SECONDS:g} s")
    for name, action in steps.items():
        print(f"{name:<22} {1000 * median_seconds(action, repeats=repeats):8.1f} ms")
    for name, batches in (("random", at_random()), ("balanced", made)):
        print(f"\n{name}", *coverage_lines(coverage_report(batches, bank))[:6], sep="\n  ")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 9)
