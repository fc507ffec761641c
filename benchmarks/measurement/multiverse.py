"""What analysts' choices do to one study: the simulation of measurement.md, A6, over again.

Run:  python -m benchmarks.measurement.multiverse [--studies N] [--seed S]

246 people on 820 prompts (the public GIM bank and items drawn from it again; simulated items where the data
are absent), 20 prompts each, six people a batch. 9 % write feedback instead of answers; 12 % are minimal:
half of them write single words, half leave most prompts out and answer the rest well. The screening finds
95 % of off-task answers and calls 3 % of good ones off-task; reviewers confirm nine in ten of whom it flags.
People on task have a true mean of 0.46. Responses follow DGP-R. How minimal people answer is an assumption
of this file.

Prints for Average and Top the median over studies of every rule's theta (as missing), of the lowest, highest
and median specification, and of the share of each choice; the SD of one specification over studies; and the
seconds that 36 specifications take.
"""

import argparse
import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path

import numpy as np
from scipy.special import ndtri

from benchmarks.measurement.simulated_banks import extended_bank
from formats.item_parameters import read_item_parameters
from psychometrics.data.cohort import Codes, Cohort, Mask
from psychometrics.data.places import AskedPrompt, Outcome, Person
from psychometrics.exclusions.multiverse import Choice, Specification, lowest_ranks, specifications, spread_of
from psychometrics.exclusions.rules import DECLARED, ExclusionFacts, removed_by
from psychometrics.inference.standard_errors import pooled_fit
from psychometrics.irt.bank import ItemBank, item_bank_from
from psychometrics.irt.responses import RubricResponses, dgp_r_table
from psychometrics.irt.transform import Array, Transform

PEOPLE, PROMPTS, BATCH, REPLICATES, TOP = 246, 820, 20, 6, 15
FEEDBACK, MINIMAL = 0.09, 0.12
TRUE_MEAN, TRUE_SD = 0.46, 0.8
FOUND, FALSELY_FOUND, CONFIRMED = 0.95, 0.03, 0.9
MISSING = 0.04  # of the prompts of people on task


class Kind(IntEnum):
    """How a person answers."""

    ON_TASK = 0
    FEEDBACK = 1
    SINGLE_WORDS = 2
    FEW_ANSWERS = 3


@dataclass(frozen=True, eq=False)
class SimulatedStudy:
    """A cohort with everybody in it, the facts about them, and who was on task (P,)."""

    cohort: Cohort
    facts: ExclusionFacts
    on_task: Mask


def bank_for(rng: np.random.Generator) -> ItemBank:
    root = Path(__file__).resolve().parents[2]
    data = Path(os.environ.get("CHIRON_SHARED_DATA", root.parent / "shared" / "data"))
    path = data / "gim" / "irt_params.json"
    if path.exists():
        return extended_bank(item_bank_from(read_item_parameters(path)), rng, PROMPTS)
    return simulated_bank(PROMPTS, rng)


def simulated_bank(items: int, rng: np.random.Generator) -> ItemBank:
    """Items with the spread of the public bank."""
    names = tuple(f"item-{j:04}" for j in range(items))
    a, b = np.exp(0.587 * rng.standard_normal(items)), 2.5 * rng.standard_normal(items)
    return ItemBank(names, a, b, ("",) * items, Transform(0.998, 0.001), 2.53)


def simulator_mean(table: RubricResponses) -> float:
    """The mean ability in the simulator at which the mean true ability, by single responses, is 0.46."""
    quantiles = ndtri((np.arange(200) + 0.5) / 200)
    means = np.linspace(-2, 2, 41)
    true = [table.true_ability(mean + TRUE_SD * quantiles).mean() for mean in means]
    return float(np.interp(TRUE_MEAN, true, means))


def simulated_study(
    table: RubricResponses, mean: float, rng: np.random.Generator, people: int = PEOPLE
) -> SimulatedStudy:
    """One study. Off-task answers score 0, as the judge sees no answer in them."""
    kind = rng.choice(4, people, p=[1 - FEEDBACK - MINIMAL, FEEDBACK, MINIMAL / 2, MINIMAL / 2])
    theta = mean + TRUE_SD * rng.standard_normal(people)
    items = len(table.bank)
    order = rng.permutation(items)
    batch_of = np.arange(people) // REPLICATES % (items // BATCH)
    prompt = order[(batch_of[:, np.newaxis] * BATCH + np.arange(BATCH))].ravel()
    person = np.repeat(np.arange(people), BATCH)
    left_out = np.where(kind == Kind.FEW_ANSWERS, rng.uniform(0.5, 0.95, people), MISSING)[person]
    answered = rng.random(len(person)) >= left_out
    is_off_task = np.isin(kind, (Kind.FEEDBACK, Kind.SINGLE_WORDS))
    off_task = rng.random(len(person)) < np.where(is_off_task, rng.uniform(0.6, 1.0, people), 0.01)[person]
    p = np.where(off_task, 0.0, table.scores(theta, prompt, person, rng))
    p[~answered] = np.nan
    found = answered & (rng.random(len(person)) < np.where(off_task, FOUND, FALSELY_FOUND))
    facts = facts_from(kind, person, answered, off_task, found, rng)
    cohort = Cohort(
        people=tuple(Person(f"P{i:04}", "", not out) for i, out in enumerate(facts.confirmed)),
        prompts=tuple(AskedPrompt(name) for name in table.bank.prompt_ids),
        a=table.bank.a, b=table.bank.b, person=person, prompt=prompt, batch=batch_of[person],
        position=np.tile(np.arange(1, BATCH + 1), people), p=p, p_certain=p,
        outcome=np.where(answered, Outcome.SCORED.value, Outcome.SKIPPED.value),
        transform=table.bank.transform, sigma_hat=table.bank.sigma_hat,
    )  # fmt: skip
    return SimulatedStudy(cohort, facts, kind == Kind.ON_TASK)


def facts_from(
    kind: Codes, person: Codes, answered: Mask, off_task: Mask, found: Mask, rng: np.random.Generator
) -> ExclusionFacts:
    people = len(kind)
    recorded = np.bincount(person[answered], minlength=people)
    flagged = np.bincount(person[found], minlength=people)
    share = np.divide(flagged, recorded, out=np.full(people, np.nan), where=recorded > 0)
    proposed = (share >= 0.5) | (recorded < 0.5 * BATCH)
    minimal = kind == Kind.SINGLE_WORDS
    words = np.where(minimal, rng.uniform(1, 6, people), rng.lognormal(4, 0.6, people))
    seconds = np.where(minimal, rng.lognormal(4, 0.7, people), rng.lognormal(6, 0.5, people))
    return ExclusionFacts(
        off_task_share=share,
        answered_share=recorded / BATCH,
        median_words=words,
        seconds_per_answer=seconds,
        confirmed=proposed & (rng.random(people) < CONFIRMED),
    )


def specifications_of(study: SimulatedStudy) -> list[Specification]:
    removed = removed_by(DECLARED, study.facts, lowest_ranks(study.cohort))
    return list(specifications(study.cohort, removed, TOP))


@dataclass(frozen=True)
class Run:
    """Of every study: its specifications, theta of the people on task alone (pooled), and the seconds."""

    found: list[list[Specification]]
    on_task: list[float]
    seconds: list[float]


def run(studies: int, seed: int) -> Run:
    rng = np.random.default_rng(seed)
    table = dgp_r_table(bank_for(rng), rng)
    mean = simulator_mean(table)
    done = Run([], [], [])
    for _ in range(studies):
        study = simulated_study(table, mean, rng)
        began = time.perf_counter()
        done.found.append(specifications_of(study))
        done.seconds.append(time.perf_counter() - began)
        done.on_task.append(pooled_fit(study.cohort.of_people(study.on_task).pairs).theta)
    return done


def thetas(found: Sequence[Sequence[Specification]], group: str) -> Array:
    """Theta of every specification (columns) in every study (rows)."""
    return np.array([[getattr(one, group).theta.value for one in of_one] for of_one in found])


def print_group(found: Sequence[Sequence[Specification]], group: str) -> None:
    values = thetas(found, group)
    print(f"\n{group}: theta, median over studies")
    for place, one in enumerate(found[0]):
        if one.missing == "as_missing":
            people = np.median([of_one[place].average.people for of_one in found])
            label = f"{one.rule}, {one.aggregation}"
            print(f"  {label:<28}{np.median(values[:, place]):7.2f}   {people:5.0f} people")
    low, high, middle = values.min(axis=1), values.max(axis=1), np.median(values, axis=1)
    of_all = ", ".join(f"{np.median(column):.2f}" for column in (low, middle, high))
    print(f"  lowest, median, highest of all 36: {of_all}; range {np.median(high - low):.2f}")
    print(f"  SD of one specification over studies {values.std(0, ddof=1).mean():.3f}")
    spreads = [spread for of_one in found if (spread := spread_of(of_one, group)) is not None]
    for choice in Choice:
        print(f"  share of {choice:<14}{np.median([spread.shares[choice] for spread in spreads]):7.0%}")
    print(f"  interactions           {np.median([spread.interactions for spread in spreads]):7.0%}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--studies", type=int, default=200)
    parser.add_argument("--seed", type=int, default=6)
    chosen = parser.parse_args()
    if chosen.studies < 2:
        parser.error("--studies must be at least 2")
    done = run(chosen.studies, chosen.seed)
    print(f"{chosen.studies} studies, seed {chosen.seed}; true mean of people on task {TRUE_MEAN}")
    print(f"people on task alone, pooled: {np.median(done.on_task):.2f}")
    for group in ("average", "top"):
        print_group(done.found, group)
    print(f"\n36 specifications: {np.median(done.seconds):.4f} s (median; target 2 s)")


if __name__ == "__main__":
    main()
