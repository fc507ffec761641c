"""How often tau, the DIF slope and category flags tell of differences in studies that have none.

Run:  python -m benchmarks.measurement.false_rates [--studies 500] [--people 195] [--seed 12] [--null-only]

Studies as published: 195 people, 41 batches of 20 prompts, 6.6 % of the answers missing, items and numbers of
criteria anew every ten studies. Answers arise by DGP-R, or with an SD of deviations of 1.0 instead of 1.9, or
with 40 % of the judge's confidences at 0.8 instead of 3 % at 0.95, or with criteria correlated by 0.1, 0.2 or
0.7 instead of 0.4. Four ways to know the process: `granted`, all of it (of tau the plain residual variance);
`fixed`, the correlation of criteria as 0.4; `told`, by five epochs of 20 models; `untold`, where flags must
hold from 0.1 to 0.7. Counted are studies

    tau        of equally able people whose interval leaves out 0 (2.5 % would: 0 is the end of what can be)
    slope      without DIF, abilities with an SD of 0.8, whose p of dif.slope.excess is at most 5 %
    category   likewise, that flag any category after Holm's correction
    found      that flag QR where it is one logit easier, and whose slope has p <= 5 % at b times 0.8;
               not with --null-only, which takes less than half the time

A share of 0.05 has a Monte Carlo error of 0.0097 in 500 studies. Fewer people get fewer batches: five each.
"""

import argparse
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from benchmarks.measurement.fit_and_dif import BATCH_SIZE, CATEGORY, MISSING, PEOPLE, SHIFT, TAU
from benchmarks.measurement.top_estimators import bank_of
from psychometrics.data.cohort import Cohort
from psychometrics.data.places import AskedPrompt, Person
from psychometrics.dif.groups import LEVEL, held_by_all, mean_shift, scale_invariance
from psychometrics.dif.prompts import FittedPrior, Residuals, fitted_residuals, residuals_of
from psychometrics.fit.criteria import Correlation, correlation_of_criteria
from psychometrics.fit.reference import ASSUMED, Reference, certainty_influence, judged_process, reference_of
from psychometrics.inference.between_person import between_person_sd, own_abilities
from psychometrics.inference.holm import holm
from psychometrics.irt.responses import ResponseProcess, RubricResponses, dgp_r_table
from psychometrics.irt.transform import Array

PROCESSES = {
    "DGP-R": ResponseProcess(),
    "deviations of SD 1.0": ResponseProcess(sigma_deviation=1.0),
    "40 % of confidences at 0.8": ResponseProcess(certain_share=0.6, uncertain_confidence=0.8),
    "criteria correlated by 0.1": ResponseProcess(icc=0.1),
    "criteria correlated by 0.2": ResponseProcess(icc=0.2),
    "criteria correlated by 0.7": ResponseProcess(icc=0.7),
}
STUDIES_PER_WORLD, PEOPLE_PER_BATCH = 10, 4.75
MODELS, EPOCHS, MODEL_SD = 20, 5, 1.0
WAYS = ("granted", "fixed", "told", "untold")
COMPRESSED = 0.8


@dataclass(frozen=True, eq=False)
class World:
    """One bank with its number of criteria; `labels` (J,) are the categories.

    `told` is the correlation of criteria by the epochs of models, `untold` what is taken without them.
    """

    responses: RubricResponses
    labels: Array
    told: Correlation
    untold: Correlation
    tables: dict[ResponseProcess, Reference] = field(default_factory=dict)

    def reference(self, process: ResponseProcess) -> Reference:
        """The tables of a process on this bank, each computed once."""
        if process not in self.tables:
            responses = replace(self.responses, process=process)
            self.tables[process] = reference_of(responses)
        return self.tables[process]


def world_of(process: ResponseProcess, rng: np.random.Generator) -> World:
    bank = bank_of(rng)[0]
    labels = np.array([name.partition("-")[0] for name in bank.subcategories])
    if not labels.any():
        labels = rng.choice([CATEGORY, "LN", "LR", "PR", "CT", "SI", "WK"], len(bank))
    responses = dgp_r_table(bank, rng, process)
    of_models = rng.spawn(1)[0]  # people are the same, whatever is drawn of models
    epochs = responses.epoch_scores(MODEL_SD * of_models.standard_normal(MODELS), EPOCHS, of_models)
    prompts = [
        AskedPrompt(name, criteria=int(n))
        for name, n in zip(bank.prompt_ids, responses.criteria, strict=True)
    ]
    told, untold = (
        correlation_of_criteria(prompts, bank, epochs, process),
        correlation_of_criteria(prompts, None, None),
    )
    return World(responses, labels, told, untold)


def study_of(
    world: World, tau: float, people: int, rng: np.random.Generator, *, shift: float = 0.0, b: float = 1.0
) -> Cohort:
    """One study in nested batches; QR is `shift` logits easier, and difficulties are `b` times as far."""
    responses, bank = world.responses, world.responses.bank
    batches = min(len(bank) // BATCH_SIZE, max(2, round(people / PEOPLE_PER_BATCH)))
    prompts = rng.permutation(len(bank))[: batches * BATCH_SIZE].reshape(batches, BATCH_SIZE)
    batch = np.arange(people) % batches
    items, person = prompts[batch].ravel(), np.repeat(np.arange(people), BATCH_SIZE)
    theta = tau * rng.standard_normal(people)
    target = bank.a[items] * (theta[person] - b * bank.b[items]) + shift * (world.labels == CATEGORY)[items]
    means = responses.cell_means(target, items, rng)
    certain = replace(responses, process=replace(responses.process, certain_share=1.0))
    seed = int(rng.integers(2**32))
    p, p_certain = (one.responses(means, items, np.random.default_rng(seed)) for one in (responses, certain))
    seen = rng.random(len(items)) >= MISSING
    everybody, asked = (Person(str(i)) for i in range(people)), (AskedPrompt(one) for one in bank.prompt_ids)
    return Cohort(
        people=tuple(everybody), prompts=tuple(asked), a=bank.a, b=bank.b, person=person[seen],
        prompt=items[seen], batch=np.repeat(batch, BATCH_SIZE)[seen], position=np.ones(int(seen.sum()), int),
        p=p[seen], p_certain=p_certain[seen], outcome=np.full(int(seen.sum()), "scored"),
        transform=bank.transform, sigma_hat=bank.sigma_hat,
    )  # fmt: skip


def possible_residuals(world: World, cohort: Cohort, way: str) -> list[Residuals]:
    """The residuals that flags rest on, by one of the ways to know the process."""
    process = judged_process(cohort)

    def at(icc: float) -> Residuals:
        def reference(sd: float, less_certain: float) -> Reference:
            share = process.certain_share - less_certain
            return world.reference(replace(process, icc=icc, sigma_deviation=sd, certain_share=share))

        return fitted_residuals(cohort.pairs, reference, certainty_influence(cohort))

    if way == "granted":
        return [residuals_of(cohort.pairs, world.reference(ASSUMED))]
    taken = {"fixed": (ASSUMED.icc,), "told": world.told.taken, "untold": world.untold.taken}
    return [at(icc) for icc in taken[way]]


def prior_of(residuals: Residuals) -> FittedPrior | None:
    """Where the process was taken for granted, errors held the distribution of abilities for known, too."""
    return residuals.prior if residuals.deviation.fitted else None


def tau_leaves_out_zero(cohort: Cohort) -> tuple[bool, bool]:
    own = own_abilities(cohort.pairs)
    plain = replace(own, sa_squared=own.s1_squared)
    return between_person_sd(plain).low > 0, between_person_sd(own).low > 0


def slope_flagged(possible: list[Residuals]) -> bool:
    found = [
        scale_invariance(
            one.r, one.expected, one.pairs, nested=True, deviation=one.deviation, prior=prior_of(one)
        ).excess
        for one in possible
    ]
    return held_by_all(found).p <= LEVEL


def categories_flagged(possible: list[Residuals], labels: Array) -> list[str]:
    names = np.unique(labels)
    pairs = possible[0].pairs
    masks = [(labels == name)[pairs.prompt] for name in names]
    p = [
        held_by_all([mean_shift(one.r, pairs, mask, nested=True, prior=prior_of(one)) for one in possible]).p
        for mask in masks
    ]
    return [str(name) for name in names[holm(p) <= LEVEL]]


def rates(
    process: ResponseProcess,
    studies: int,
    people: int,
    rng: np.random.Generator,
    *,
    null_only: bool = False,
    ways: Sequence[str] = WAYS,
) -> dict[str, Array]:
    """Shares of studies by what is counted, each way; the fitted SD and the correlation with their spread."""
    counted: dict[str, list[tuple[bool, ...]]] = {}
    fitted = []

    def count(name: str, *flags: bool) -> None:
        counted.setdefault(name, []).append(flags)

    for number in range(studies):
        if number % STUDIES_PER_WORLD == 0:
            world = world_of(process, rng)
        count("tau", *tau_leaves_out_zero(study_of(world, 0.0, people, rng)))
        cohort = study_of(world, TAU, people, rng)
        without = [possible_residuals(world, cohort, way) for way in ways]
        fitted.append((without[-1][0].deviation.sd, world.told.value))
        count("slope", *map(slope_flagged, without))
        count("category", *(bool(categories_flagged(one, world.labels)) for one in without))
        if null_only:
            continue
        cohort = study_of(world, TAU, people, rng, shift=SHIFT)
        shifted = [possible_residuals(world, cohort, way) for way in ways]
        count("found: QR + 1", *(CATEGORY in categories_flagged(one, world.labels) for one in shifted))
        cohort = study_of(world, TAU, people, rng, b=COMPRESSED)
        compressed = [possible_residuals(world, cohort, way) for way in ways]
        count("found: b times 0.8", *map(slope_flagged, compressed))
    shares = {name: np.array(flags).mean(axis=0) for name, flags in counted.items()}
    told = np.array(fitted)
    names = ("fitted SD and its spread", "correlation and its spread")
    return shares | {
        name: np.array([column.mean(), column.std()]) for name, column in zip(names, told.T, strict=True)
    }


def main() -> None:
    parser = argparse.ArgumentParser(description="False rates of tau, slope and category flags.")
    parser.add_argument("--studies", type=int, default=500)
    parser.add_argument("--people", type=int, default=PEOPLE)
    parser.add_argument("--seed", type=int, default=12)
    parser.add_argument("--null-only", action="store_true")
    parser.add_argument("--process", type=int, help="only this process, from 1")
    parser.add_argument("--ways", nargs="+", choices=WAYS, default=WAYS)
    options = parser.parse_args()
    print(f"{options.studies} studies of {options.people} people; {', '.join(options.ways)}")
    processes = list(PROCESSES.items())
    for name, process in processes if options.process is None else [processes[options.process - 1]]:
        start = time.perf_counter()
        rng = np.random.default_rng(options.seed)
        found = rates(
            process, options.studies, options.people, rng, null_only=options.null_only, ways=options.ways
        )
        print(name)
        for what, values in found.items():
            print(f"  {what:28}" + "  ".join(f"{value:.3f}" for value in values))
        print(f"  {time.perf_counter() - start:.0f} s", flush=True)


if __name__ == "__main__":
    main()
