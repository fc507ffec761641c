"""How long calibration takes, beside the published optimiser, and what the largest case needs.

Run:  OPENBLAS_NUM_THREADS=1 python -m benchmarks.measurement.calibration [CASE ...]

Cases: published (53 x 820, 10 % missing, beside Adam), left-out (every configuration once), large
(1,000 x 10,000), sparse (10,000 x 100,000 with 10 million responses, in a process of its own), memory and
memory-logistic (10,000 x 5,000 as an analyst calibrates it, likewise). Without a name all of them run. Each
prints one JSON line; `target_met` compares with the figures aimed at.

`seconds_to_solve` is the solver with the reading of the matrix into sums; `seconds_with_check` adds Newton's
check, which `manage.py calibrate` runs up to 2,000 configurations and counts. Medians.

The items are those of the public bank, drawn again where more are needed, or simulated ones where the data
are absent; logits are a (theta - b) + N(0, 2.5^2), clipped to those of the scores 0 and 1.
"""

import json
import os
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.special import expit

import psychometrics as pm
from formats.item_parameters import read_item_parameters
from psychometrics.calibration import Objective, calibrate, logistic
from psychometrics.calibration.adam import STEPS, calibrate_with_adam
from psychometrics.calibration.design import components
from psychometrics.calibration.model import Calibration
from psychometrics.calibration.newton import newton_check
from psychometrics.calibration.problems import LeastSquares, leave_one_out
from psychometrics.calibration.responses import SparseLogits, responses_of
from psychometrics.irt.bank import ItemBank, item_bank_from
from psychometrics.irt.transform import Array, Transform

ROOT = Path(__file__).resolve().parents[2]

SEED, SIGMA, FARTHEST = 53, 2.5, np.log(999.0)
PERSONS, ITEMS, MISSING, RUNS = 53, 820, 0.1, 21
ROUNDING = 1e-12  # of a loss of about 5
MEBIBYTE = 1024 * 1024
SPARSE_PERSONS, SPARSE_ITEMS, PER_PERSON = 10_000, 100_000, 1_000
FULL = (10_000, 5_000)


def simulated_or_public_bank(rng: np.random.Generator) -> ItemBank:
    """The public bank where the data are present, else 615 items like it."""
    data = Path(os.environ.get("CHIRON_SHARED_DATA", ROOT.parent / "shared" / "data"))
    path = data / "gim" / "irt_params.json"
    if path.exists():
        return item_bank_from(read_item_parameters(path))
    number = 615
    a, b = np.exp(rng.normal(0, 0.59, number)), rng.normal(0, 3, number)
    names = tuple(f"item-{j}" for j in range(number))
    return ItemBank(names, a, b, ("",) * number, Transform(0.998, 0.001), SIGMA)


def items_of(number: int, rng: np.random.Generator) -> tuple[Array, Array]:
    """Discriminations and difficulties, (number,) each."""
    bank = simulated_or_public_bank(rng)
    drawn = rng.integers(0, len(bank), number)
    return bank.a[drawn], bank.b[drawn]


def full_logits(persons: int, items: int, rng: np.random.Generator) -> tuple[Array, Array]:
    """Logits (persons x items), NaN where missing, and the true abilities."""
    (a, b), theta = items_of(items, rng), rng.standard_normal(persons)
    y = a * (theta[:, np.newaxis] - b) + SIGMA * rng.standard_normal((persons, items))
    y = np.clip(y, -FARTHEST, FARTHEST)
    y[rng.random(y.shape) < MISSING] = np.nan
    return y, theta


def sparse_logits(rng: np.random.Generator) -> tuple[SparseLogits, Array]:
    """Ten million logits: every person answers 1,000 of 100,000 items, one drawn from each hundred."""
    (a, b), theta = items_of(SPARSE_ITEMS, rng), rng.standard_normal(SPARSE_PERSONS)
    block = SPARSE_ITEMS // PER_PERSON
    columns = np.arange(PER_PERSON, dtype=np.int32) * block + rng.integers(
        0, block, (SPARSE_PERSONS, PER_PERSON), dtype=np.int32
    )
    y = a[columns] * (theta[:, np.newaxis] - b[columns])
    y += SIGMA * rng.standard_normal(y.shape)
    np.clip(y, -FARTHEST, FARTHEST, out=y)
    ends = np.arange(SPARSE_PERSONS + 1, dtype=np.int32) * PER_PERSON
    return sp.csr_array((y.ravel(), columns.ravel(), ends), shape=(SPARSE_PERSONS, SPARSE_ITEMS)), theta


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    start = time.perf_counter()
    result = work()
    return time.perf_counter() - start, result


def checked(y: Array, runs: int) -> tuple[dict[str, Any], Calibration]:
    """How long the solver and Newton's check take, what the check says, and the fit before it."""
    solved, both = [], []
    for _ in range(runs):
        seconds, fit = timed(lambda: calibrate(y))
        of_check, (_, check) = timed(partial(newton_check, responses_of(y), fit, Objective()))
        solved.append(seconds)
        both.append(seconds + of_check)
    return {
        "seconds_to_solve": statistics.median(solved),
        "seconds_with_check": statistics.median(both),
        "sweeps": fit.sweeps,
        "loss": fit.loss,
        "gradient": fit.gradient,
        "gradient_after_check": check.gradient_after,
    }, fit


def published() -> dict[str, Any]:
    a, b = items_of(ITEMS, np.random.default_rng(SEED))  # those of `full_logits`
    y, theta = full_logits(PERSONS, ITEMS, np.random.default_rng(SEED))
    found, fit = checked(y, RUNS)
    seconds = found["seconds_to_solve"]
    adam_seconds, adam = timed(lambda: calibrate_with_adam(responses_of(y), Objective()))
    return found | {
        "adam_steps": STEPS,
        "adam_seconds": adam_seconds,
        "adam_loss_minus_ours": adam.loss - fit.loss,
        "largest_difference_of_theta": float(np.abs(adam.theta - fit.theta).max()),
        "r_theta": float(np.corrcoef(theta, fit.theta)[0, 1]),  # stated: 0.998, 0.87, 0.99
        "r_log_a": float(np.corrcoef(np.log(a), np.log(fit.a))[0, 1]),
        "r_ab": float(np.corrcoef(a * b, fit.a * fit.b)[0, 1]),
        "ratio": adam_seconds / seconds,
        "ratio_with_check": adam_seconds / found["seconds_with_check"],
        "target_met": found["seconds_with_check"] <= 0.02
        and fit.loss <= adam.loss + ROUNDING
        and adam_seconds >= 200 * seconds,
    }


def left_out() -> dict[str, Any]:
    y, _ = full_logits(PERSONS, ITEMS, np.random.default_rng(SEED))
    problem = LeastSquares(responses_of(y), Objective())
    fit = problem.fit()
    runs = [timed(lambda: leave_one_out(problem, fit)) for _ in range(3)]
    seconds, found = statistics.median(run[0] for run in runs), runs[-1][1]
    sizes = np.abs(found.difference)
    return {
        "refits": PERSONS,
        "seconds": seconds,
        "largest_difference": float(sizes.max()),
        "median_difference": float(np.median(sizes)),
        "target_met": seconds <= 1,
    }


def large() -> dict[str, Any]:
    y, theta = full_logits(1_000, 10_000, np.random.default_rng(SEED))
    found, fit = checked(y, 5)
    return found | {
        "responses": int((~np.isnan(y)).sum()),
        "r_theta": float(np.corrcoef(theta, fit.theta)[0, 1]),
        "target_met": found["seconds_with_check"] <= 1,
    }


def sparse() -> dict[str, Any]:
    y, theta = sparse_logits(np.random.default_rng(SEED))
    before = peak()
    seconds, fit = timed(lambda: calibrate(y))
    after = peak()
    link_seconds, (parts, _) = timed(lambda: components(y))
    return {
        "responses": len(y.data),
        "seconds_to_solve": seconds,
        "seconds_with_check": None,  # none is run above 2,000 configurations
        "sweeps": fit.sweeps,
        "gradient": fit.gradient,
        "r_theta": float(np.corrcoef(theta, fit.theta)[0, 1]),
        "parts": parts,
        "connectivity_seconds": link_seconds,
        "peak_mebibytes_with_the_data": after,
        "peak_mebibytes_before": before,
        "peak_mebibytes_with_connectivity": peak(),
        "target_met": seconds <= 5 and peak() <= 2048,
    }


def memory(*, model: pm.ResponseModel = pm.ResponseModel.LOGIT_NORMAL) -> dict[str, Any]:
    """What calibrating a large matrix takes, its own numbers included, beside the matrix (I x J doubles)."""
    rng, (persons, items) = np.random.default_rng(SEED), FULL
    before, mebibytes = peak(), 8 * persons * items / MEBIBYTE
    (a, b), p = items_of(items, rng), np.empty(FULL)
    for row, theta in enumerate(rng.standard_normal(persons)):
        y = a * (theta - b)
        single = model == pm.ResponseModel.LOGISTIC
        p[row] = rng.random(items) < expit(y) if single else expit(y + rng.standard_normal(items))
        p[row, rng.random(items) < MISSING] = np.nan
    given, logistic.MAX_STEPS = peak(), 5  # what is held does not grow with the steps
    matrix = pm.response_matrix(range(persons), range(items), p)
    del p
    seconds, fit = timed(lambda: pm.calibrate(matrix, pm.FitOptions(model=model)))
    ratio = (peak() - before) / mebibytes
    return {
        "responses": matrix.responses,
        "seconds": seconds,
        "sweeps": fit.fit.sweeps,
        "matrix_mebibytes": mebibytes,
        "peak_mebibytes_with_the_matrix_given": given - before,
        "peak_mebibytes": peak() - before,
        "ratio": ratio,
        "target_met": ratio <= 4,
    }


def peak() -> float:
    """The largest memory of this process so far, in MiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / MEBIBYTE


CASES: dict[str, Callable[[], dict[str, Any]]] = {
    "published": published, "left-out": left_out, "large": large, "sparse": sparse, "memory": memory,
    "memory-logistic": partial(memory, model=pm.ResponseModel.LOGISTIC),
}  # fmt: skip


def main(names: list[str]) -> None:
    for name in names:
        if name not in CASES:
            sys.exit(f"there is no case {name!r}; there are: {', '.join(CASES)}")
        print(json.dumps({"case": name, **CASES[name]()}), flush=True)


if __name__ == "__main__":
    if sys.argv[1:]:
        main(sys.argv[1:])
    else:
        for case in CASES:  # a process each, so that the memory of one is not the other's
            subprocess.run([sys.executable, "-m", "benchmarks.measurement.calibration", case], check=True)
