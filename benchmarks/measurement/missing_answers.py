"""What missing answers do to Average and Top, by why they are missing (design, section A4).

Run:  python -m benchmarks.measurement.missing_answers [--studies 1000] [--seed 1]

A study is the paper's: 195 people with abilities of SD 0.8, 41 batches of 20 prompts, DGP-R answers, 6.6 % of
them missing. Missing completely at random, or by avoidance: the log odds of leaving a place fall by `slope`
with each logit of the score expected of this person there, and people differ in how readily they leave
(`spread`, SD of the log odds). The design names its mechanisms and does not define them, so this one is ours:
the simplest of those that came closest to the stated columns, at round numbers, in a search over thousands
of settings of some fifteen kinds (log odds, probit or probabilities; numbers of gaps drawn first; thresholds;
by the prompt alone, beside the person's own mean, by the score itself). The rows with avoidance are therefore
fitted: that they agree shows that one simple reason can make all their numbers, not that it did. Only the row
at random has nothing fitted.

Top is the 15 with the highest raw mean (the paper's rule) of the answers given, or with zeros for the others
(as zero). `complete` is what those chosen by the answers given have on all their places. (Those chosen by
all places have only 0.02 less than as missing at random, and 0.06 is stated.) Shown are means of theta.pool
over the studies; `stated.py` says when they agree. Every ten studies have items and criteria of their own.
"""

import argparse
import time
from collections import defaultdict
from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit, logit

from benchmarks.measurement.interval_coverage import Cell, Design, design_of, pairs_of, places
from benchmarks.measurement.stated import Tally, simulated
from benchmarks.measurement.top_estimators import bank_of
from psychometrics.data.cohort import Mask, Pairs
from psychometrics.inference.clusters import Codes
from psychometrics.inference.standard_errors import pooled_fit
from psychometrics.irt.bank import ItemBank
from psychometrics.irt.transform import Array

TOP, SHARE, TAU = 15, 258 / 3900, 0.8
STUDIES_PER_BANK, STATED_STUDIES = 10, 100  # the design says 60 to 150


@dataclass(frozen=True)
class Mechanism:
    """Why answers are missing; `stated` are the numbers of section A4 for the columns."""

    name: str
    slope: float
    spread: float
    stated: tuple[float, ...]


MECHANISMS = (
    Mechanism("completely at random", 0.0, 0.0, (0.18, 0.18, -0.11, 1.82, 1.88, 1.59, 0.070)),
    Mechanism("mildly avoids hard prompts", 0.15, 1.5, (0.19, 0.22, -0.01, 1.82, 1.92, 1.77, 0.097)),
    Mechanism("avoids hard prompts", 0.25, 1.5, (0.18, 0.22, 0.05, 1.86, 1.95, 1.84, 0.093)),
)
COLUMNS = ("average complete", "average as missing", "average as zero", "top complete", "top as missing",
           "top as zero", "missing among top")  # fmt: skip


@dataclass(frozen=True, eq=False)
class Complete:
    """A study with every answer and the logits (n,) of the scores expected of its places, of P people."""

    pairs: Pairs
    expected: Array
    people: int


def complete_study(design: Design, rng: np.random.Generator) -> Complete:
    theta, items, person, batch = places(design, TAU, rng)
    means = design.met.cell_means(design.bank.a[items] * (theta[person] - design.bank.b[items]), items, rng)
    p = design.met.responses(means, items, rng)
    return Complete(pairs_of(design.bank, items, person, batch, p), logit(means), len(theta))


def missing_places(whole: Complete, slope: float, spread: float, rng: np.random.Generator) -> Mask:
    """Places left, with the intercept that makes the expected share the published one."""
    odds = spread * rng.standard_normal(whole.people)[whole.pairs.person] - slope * whole.expected
    lowest = brentq(lambda c: float(expit(c + odds).mean()) - SHARE, -60, 60)
    left: Mask = rng.random(len(odds)) < expit(lowest + odds)
    return left


def top_of(pairs: Pairs, p: Array, people: int) -> Mask:
    """Rows of the 15 people with the highest mean of p, NaN left out."""
    given = ~np.isnan(p)
    sums = np.bincount(pairs.person[given], p[given], minlength=people)
    counts = np.bincount(pairs.person[given], minlength=people)
    means = np.divide(sums, counts, out=np.full(people, -1.0), where=counts > 0)
    chosen: Codes = np.argsort(-means, kind="stable")[:TOP]
    return np.isin(pairs.person, chosen)


def thetas_of(whole: Complete, left: Mask, bank: ItemBank) -> dict[str, float]:
    """theta.pool of each column, the share missing among Top, and how many of Top zeros would replace."""
    pairs = whole.pairs
    p_given = np.where(left, np.nan, pairs.p)
    p_zero = np.where(left, 0.0, pairs.p)
    zeros = Pairs(
        pairs.person, pairs.prompt, pairs.batch, p_zero, pairs.a, pairs.b, bank.transform.to_logit(p_zero)
    )
    top_given, top_zero = (top_of(pairs, p, whole.people) for p in (p_given, p_zero))
    values = (
        pooled_fit(pairs).theta, pooled_fit(pairs.of(~left)).theta, pooled_fit(zeros).theta,
        pooled_fit(pairs.of(top_given)).theta, pooled_fit(pairs.of(top_given & ~left)).theta,
        pooled_fit(zeros.of(top_zero)).theta,
    )  # fmt: skip
    kept = np.intersect1d(pairs.person[top_given], pairs.person[top_zero])
    found = dict(zip(COLUMNS, (*values, float(left[top_given].mean())), strict=True))
    return found | {"replaced by zeros": float(TOP - len(kept))}


def simulate(slope: float, spread: float, studies: int, seed: int) -> dict[str, list[float]]:
    """Every column over `studies` studies."""
    rng = np.random.default_rng(seed)  # the same studies for every mechanism
    found: dict[str, list[float]] = defaultdict(list)
    for number in range(studies):
        if number % STUDIES_PER_BANK == 0:
            bank = bank_of(rng)[0]
        design = design_of(bank, Cell("R", TAU, 0.0, "T1"), rng)
        whole = complete_study(design, rng)
        left = missing_places(whole, slope, spread, rng)
        for name, value in thetas_of(whole, left, bank).items():
            found[name].append(value)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--studies", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    print(f"{asked.studies} studies per mechanism")
    tally = Tally()
    for mechanism in MECHANISMS:
        began = time.perf_counter()
        found = simulate(mechanism.slope, mechanism.spread, asked.studies, asked.seed)
        how = f"slope {mechanism.slope}, spread {mechanism.spread}"
        print(f"\n{mechanism.name} ({how}), {time.perf_counter() - began:.0f} s")
        for name, stated in zip(COLUMNS, mechanism.stated, strict=True):
            value = simulated(np.array(found[name]), STUDIES_PER_BANK, STATED_STUDIES)
            decimals = 3 if name == "missing among top" else 2
            print(f"  {name:20} {tally.compared(f'{mechanism.name}: {name}', value, stated, decimals)}")
        print(f"  of Top, zeros replace {np.mean(found['replaced by zeros']):.1f}")
    print(f"\n{tally.summary()}")


if __name__ == "__main__":
    main()
