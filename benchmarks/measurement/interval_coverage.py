"""How often each interval of the pooled Average covers what it is meant for (design, section A2).

Run:  python -m benchmarks.measurement.interval_coverage [--studies 500] [--seed 1]

A study is the paper's: 41 batches of 20 of 820 prompts, 6 people a batch, 51 of the 246 left out at random,
6.6 % of the answers missing at random. Scores come from DGP-R or DGP-G (`psychometrics.irt.responses`), with
normal abilities of SD tau around 0.1, and human-specific shifts of the prompts of SD `dif` in logits of y.

T1 keeps the prompts, their batches and their shifts from study to study and draws other people; T2 draws all
of them anew, the prompts with replacement from the bank. The last row is matrix sampling: six random
partitions into batches, one for each of the people who would share a batch. What an interval should cover is
the mean of the estimates over all studies of a cell: the scorer's own bias is no matter of standard errors.
theta.prompt has its analytic interval and its jackknifes beside. `stated.py` says when a coverage and the
empirical SD agree with those stated.
"""

import argparse
import math
import time
from collections import defaultdict
from dataclasses import dataclass, replace

import numpy as np

from benchmarks.measurement.simulated_banks import dgp_g_scores
from benchmarks.measurement.stated import Simulated, Tally, share
from benchmarks.measurement.theta_10k import bank_for
from psychometrics.data.cohort import Pairs
from psychometrics.inference.clusters import Codes
from psychometrics.inference.estimates import Estimate
from psychometrics.inference.standard_errors_table import Errors
from psychometrics.irt.bank import ItemBank
from psychometrics.irt.responses import RubricResponses, dgp_r_table
from psychometrics.irt.transform import Array

STATED_STUDIES = 500
BATCH, BATCHES, PER_BATCH, PEOPLE = 20, 41, 6, 195
MISSING, MEAN_ABILITY = 258 / 3900, 0.1
SHOWN = ("se.analytic", "se.participant", "se.twoway", "se.batch", "se.mixed", "se.jackknife_participant",
         "se.jackknife_batch", "se.jackknife_twoway")  # fmt: skip


@dataclass(frozen=True)
class Cell:
    """One row of the table: the empirical SD of section A2, and its coverages in the order of SHOWN."""

    dgp: str
    tau: float
    dif: float
    target: str
    stated_sd: float = math.nan
    stated: tuple[float, ...] = ()
    nested: bool = True


CELLS = (
    Cell("R", 0.0, 0.0, "T1", 0.059, (0.64, 0.94, 0.96, 0.96, 0.95)),
    Cell("R", 0.8, 0.0, "T1", 0.085, (0.51, 0.96, 0.96, 0.96, 0.96)),
    Cell("R", 0.8, 0.0, "T2", 0.091, (0.46, 0.95, 0.95, 0.95, 0.95)),
    Cell("R", 0.8, 1.5, "T1", 0.089, (0.46, 0.95, 0.97, 0.96, 0.97)),
    Cell("R", 0.8, 1.5, "T2", 0.102, (0.41, 0.91, 0.94, 0.94, 0.95)),
    Cell("R", 1.2, 1.5, "T2", 0.111, (0.40, 0.93, 0.94, 0.95, 0.95)),
    Cell("G", 0.8, 1.5, "T2", 0.069, (0.61, 0.92, 0.95, 0.95, 0.95)),
    Cell("R", 0.8, 1.5, "T2", nested=False),
)


@dataclass(frozen=True, eq=False)
class Design:
    """What T1 keeps: prompts as scored, the same as people meet them, shifted, and the batch of each."""

    bank: ItemBank
    met: RubricResponses
    batch_of: Codes  # (PER_BATCH, J): a row for each of a batch's people; all equal in nested designs


def design_of(bank: ItemBank, cell: Cell, rng: np.random.Generator) -> Design:
    """Prompts drawn from the bank for T2, as they are for T1, in random batches."""
    if cell.target == "T2":
        drawn = rng.integers(0, len(bank), len(bank))
        bank = replace(bank, a=bank.a[drawn], b=bank.b[drawn])
    shifts = cell.dif * rng.standard_normal(len(bank))
    met = replace(bank, b=bank.b - shifts / bank.a)  # a (theta - b + d / a) = a (theta - b) + d
    partitions = [rng.permutation(len(bank)) % BATCHES for _ in range(1 if cell.nested else PER_BATCH)]
    return Design(bank, dgp_r_table(met, rng), np.resize(partitions, (PER_BATCH, len(bank))))


def study(design: Design, cell: Cell, rng: np.random.Generator) -> Pairs:
    """The pairs of one study of the published size."""
    theta, items, person, batch = places(design, cell.tau, rng)
    answered = rng.random(len(items)) >= MISSING
    items, person, batch = items[answered], person[answered], batch[answered]
    if cell.dgp == "G":
        p = dgp_g_scores(theta[person], items, design.met.bank, rng)
    else:
        p = design.met.scores(theta, items, person, rng)
    return pairs_of(design.bank, items, person, batch, p)


def places(design: Design, tau: float, rng: np.random.Generator) -> tuple[Array, Codes, Codes, Codes]:
    """Abilities (PEOPLE,) of those who took part, and prompt, person and batch of each of their places."""
    kept = np.sort(rng.permutation(BATCHES * PER_BATCH)[:PEOPLE])
    prompts = np.argsort(design.batch_of, axis=1, kind="stable").reshape(PER_BATCH, BATCHES, BATCH)
    items = prompts[kept // BATCHES, kept % BATCHES]
    theta = MEAN_ABILITY + tau * rng.standard_normal(PEOPLE)
    # A batch is known by its first prompt: equal for all its people where designs are nested.
    return theta, items.ravel(), np.repeat(np.arange(PEOPLE), BATCH), np.repeat(items[:, 0], BATCH)


def pairs_of(bank: ItemBank, items: Codes, person: Codes, batch: Codes, p: Array) -> Pairs:
    y = bank.transform.to_logit(p)
    return Pairs(person=person, prompt=items, batch=batch, p=p, a=bank.a[items], b=bank.b[items], y=y)


@dataclass
class Found:
    """What one error came to over the studies of a cell."""

    values: list[float]
    errors: list[float]
    covered: list[bool]
    widths: list[float]
    absent: int = 0

    @property
    def coverage(self) -> float:
        return float(np.mean(self.covered)) if self.covered else math.nan


def simulate(bank: ItemBank, cell: Cell, studies: int, seed: int) -> dict[tuple[str, str], Found]:
    """Values and errors of each estimate and error over `studies` studies, with the share that covers."""
    rng = np.random.default_rng([seed, CELLS.index(cell) if cell in CELLS else 99])
    design = design_of(bank, cell, rng)
    intervals: dict[tuple[str, str], list[Estimate]] = defaultdict(list)
    for _ in range(studies):
        if cell.target == "T2":
            design = design_of(bank, cell, rng)
        pairs = study(design, cell, rng)
        errors = Errors(pairs, bank.transform, bank.sigma_hat, nested=cell.nested, resamples=0, rng=rng)
        for row in (*errors.of_pool(), *errors.of_prompt()):
            intervals[row.theta, row.error].append(row.estimate)
    return {name: found_of(all_of) for name, all_of in intervals.items()}


def found_of(intervals: list[Estimate]) -> Found:
    known = [one for one in intervals if not math.isnan(one.value)]
    values = [one.value for one in known]
    truth = float(np.mean(values))
    with_interval = [one for one in known if not math.isnan(one.low)]
    covered = [one.low <= truth <= one.high for one in with_interval]
    widths = [one.high - one.low for one in with_interval]
    return Found(values, [one.se for one in known], covered, widths, len(intervals) - len(covered))


def print_cell(cell: Cell, found: dict[tuple[str, str], Found], seconds: float, tally: Tally) -> None:
    name = f"DGP-{cell.dgp} tau {cell.tau} DIF SD {cell.dif} {cell.target}"
    print(f"\n{name}, {'nested' if cell.nested else 'matrix sampling'}, {seconds:.0f} s")
    spread = spread_of(found["theta.pool", "se.analytic"].values)
    text = f"{spread.mean:.3f} ({spread.error:.4f})"
    if not math.isnan(cell.stated_sd):
        text = tally.compared(f"{name} SD", spread, cell.stated_sd, decimals=3)
    print(f"  theta.pool    empirical SD       {text}")
    of_prompts = spread_of(found["theta.prompt", "se.analytic"].values)
    print(f"  theta.prompt  empirical SD       {of_prompts.mean:.3f}")
    stated = dict(zip(SHOWN, cell.stated, strict=False))
    for (theta, error), one in found.items():
        if error not in SHOWN or np.isnan(one.errors).all():
            continue
        coverage = share(np.array(one.covered, dtype=np.float64), STATED_STUDIES)
        text = f"{coverage.mean:.2f} ({coverage.error:.3f})"
        if theta == "theta.pool" and error in stated:
            text = tally.compared(f"{name} {error}", coverage, stated[error])
        print(f"  {theta:13} {error:18} SE {np.mean(one.errors):.3f}  covers {text}")


def spread_of(values: list[float]) -> Simulated:
    """The SD of normal estimates, and its errors."""
    sd = float(np.std(values, ddof=1))
    return Simulated(sd, sd / (2 * len(values)) ** 0.5, sd / (2 * STATED_STUDIES) ** 0.5)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--studies", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cell", type=int, help="only this row of the table, from 1")
    asked = parser.parse_args()
    bank, origin = bank_for(np.random.default_rng(asked.seed))
    print(f"{asked.studies} studies per row, {len(bank)} items ({origin})")
    tally = Tally()
    for cell in CELLS if asked.cell is None else [CELLS[asked.cell - 1]]:
        began = time.perf_counter()
        print_cell(cell, simulate(bank, cell, asked.studies, asked.seed), time.perf_counter() - began, tally)
    print(f"\n{tally.summary()}")


if __name__ == "__main__":
    main()
