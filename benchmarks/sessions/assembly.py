"""Time the making of batches for a study of the pilot's size: 820 prompts and 246 people.

Run from the repository root: `python -m benchmarks.sessions.assembly [REPEATS]`. No database, no server.
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

from batches.rules.assembly import assemble_balanced, assemble_matrix, assemble_random
from batches.rules.assignment import BatchLoad, choose_place
from batches.rules.coverage import PromptTraits, coverage_lines
from batches.rules.covering import coverage_report

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
        loads = [
            BatchLoad(number, taken, totals[number], open_arms=("",) * (REPLICATES - taken))
            for number in range(batches)
            for taken in [filled[number, profile]]
        ]
        chosen = choose_place(loads, tie_seed=person)
        assert chosen is not None
        filled[chosen.batch_id, profile] += 1
        totals[chosen.batch_id] += 1
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

    def matrix() -> list[list[str]]:
        return assemble_matrix(
            bank, batch_size=BATCH_SIZE, cuts=REPLICATES * len(PROFILES), rng=np.random.default_rng(1)
        )

    def matrix_with_report() -> None:
        coverage_lines(coverage_report(matrix(), bank))

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
        "matrix, with its report": matrix_with_report,
    }
    print(f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}")
    print(f"{PROMPTS} prompts, {PEOPLE} people, median of {repeats} runs; limit for all {LIMIT_SECONDS:g} s")
    for name, action in steps.items():
        print(f"{name:<24} {1000 * median_seconds(action, repeats=repeats):8.1f} ms")
    print_report("random", at_random(), bank)
    print_report("balanced", made, bank)
    print_report("matrix", matrix(), bank)


def print_report(name: str, batches: list[list[str]], bank: list[PromptTraits]) -> None:
    """Print how far the batches differ and how they hang together when all people have come."""
    report = coverage_report(batches, bank, people_per_batch=PEOPLE // len(batches))
    print(f"\n{name}", *coverage_lines(report, per_batch=False), sep="\n  ")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 9)
