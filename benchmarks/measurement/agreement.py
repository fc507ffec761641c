"""How long the agreement of two judges takes at the size of the published comparison, and how exact it is.

Run:  python -m benchmarks.measurement.agreement

18,395 criteria of 2,500 responses, 1,000 bootstrap draws; scores like the paper's, 4 and 11 % of them between
0 and 1. Beside it the same with every criterion drawn by itself, with scores that are all different, and a
panel of five judges.
"""

import statistics
import time
from collections.abc import Callable

import numpy as np

from psychometrics.agreement.krippendorff import alpha_interval, panel_agreement_from_seed
from psychometrics.agreement.pairs import agreement_from_seed
from psychometrics.inference.clusters import Array, Codes

CRITERIA, RESPONSES, RESAMPLES, RUNS = 18_395, 2_500, 1_000, 5
TARGET_SECONDS = 2.0


def judged(rng: np.random.Generator) -> tuple[Array, Array, Codes]:
    """Two judges' scores and the response of each criterion."""
    met = rng.random(CRITERIA) < 0.6
    x = np.where(rng.random(CRITERIA) < 0.04, rng.random(CRITERIA).round(2), met)
    y = np.where(rng.random(CRITERIA) < 0.11, rng.random(CRITERIA).round(1), x)
    y = np.where(rng.random(CRITERIA) < 0.06, 1 - y, y)
    return x, y, rng.integers(0, RESPONSES, CRITERIA)


def median_seconds(work: Callable[[], object]) -> float:
    taken = []
    for _ in range(RUNS):
        started = time.perf_counter()
        work()
        taken.append(time.perf_counter() - started)
    return statistics.median(taken)


def error_of_alpha(rng: np.random.Generator) -> float:
    """Largest difference of interval alpha from its definition over all pairs, 20 panels of 60 x 4."""
    errors = []
    for _ in range(20):
        scores = rng.random((60, 4))
        scores[rng.random(scores.shape) < 0.2] = np.nan
        units = [unit[~np.isnan(unit)] for unit in scores]
        units = [unit for unit in units if len(unit) >= 2]
        values = np.concatenate(units)
        within = sum(((u[:, None] - u) ** 2).sum() / (len(u) - 1) for u in units) / len(values)
        by_chance = ((values[:, None] - values) ** 2).sum() / (len(values) * (len(values) - 1))
        errors.append(abs(alpha_interval(scores) - (1 - float(within / by_chance))))
    return max(errors)


def main() -> None:
    rng = np.random.default_rng(1)
    x, y, response = judged(rng)
    alone = np.arange(CRITERIA)
    different = rng.random((CRITERIA, 5))
    figures = {
        "by response": lambda: agreement_from_seed(x, y, response, seed=1, resamples=RESAMPLES),
        "every criterion by itself": lambda: agreement_from_seed(x, y, alone, seed=1, resamples=RESAMPLES),
        "all scores different, by response": lambda: agreement_from_seed(
            different[:, 0], different[:, 1], response, seed=1, resamples=RESAMPLES
        ),
        "panel of five judges, by response": lambda: panel_agreement_from_seed(
            different, response, seed=1, resamples=RESAMPLES
        ),
    }
    print(f"{CRITERIA:,} criteria, {RESAMPLES:,} bootstrap draws, median of {RUNS}")
    for name, work in figures.items():
        print(f"{name:<36}{median_seconds(work):8.2f} s   (target {TARGET_SECONDS} s)")
    print(f"largest difference of alpha from its definition: {error_of_alpha(rng):.1e}")


if __name__ == "__main__":
    main()
