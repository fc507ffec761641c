"""Person fit and DIF on simulated studies: alarms where there is nothing, and power where there is something.

Run:  python -m benchmarks.measurement.fit_and_dif [--studies N]

195 people, batches of 20 prompts, DGP-R with a between-person SD of 0.8, on the items of the public GIM bank
extended to 820 where the data are present; else on simulated ones. Person fit: see `misfit.py`. DIF: shifts
of expected logits by item, 6.6 % of the answers missing. Stated values are those of the design, section A5
(`stated.py` says when two agree). Every ten studies have items and criteria of their own.
"""

import argparse
import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from benchmarks.measurement.misfit import (
    ABERRANT,
    BEHAVIOURS,
    STATED_CHANCE,
    STATED_POWER,
    behaving,
    cuts_of,
    flagged_by_chance,
    flagged_by_simulation,
    statistics_of,
)
from benchmarks.measurement.stated import Tally, share, simulated
from benchmarks.measurement.top_estimators import bank_of
from psychometrics.data.cohort import Codes, Mask, Pairs
from psychometrics.dif.groups import mean_shift, prompt_p_values, scale_invariance
from psychometrics.dif.prompts import item_dif, residuals_of
from psychometrics.fit.people import LEVEL, person_fit
from psychometrics.fit.reference import Reference, reference_of
from psychometrics.irt.bank import ItemBank
from psychometrics.irt.responses import RubricResponses, dgp_r_table
from psychometrics.irt.transform import Array

PEOPLE, BATCH_SIZE, TAU, MISSING = 195, 20, 0.8, 0.066
CATEGORY, SHIFT = "QR", 1.0
STUDIES_PER_BANK, STATED_STUDIES = 10, 100  # the design says 60 to 150
FITTING = 6  # studies of fitting people on each bank for the empirical points: 60 people beyond them
BY_SIMULATION = 5  # the platform's own flags in one study of so many: they take seconds
TRUTHS = {"none": (0.0, False), "DIF SD 1": (1.0, False), "DIF SD 2": (2.0, False), "QR +1": (0.0, True)}
STATED_DIF = {
    "none": {"items flagged": 0.06, "DIF SD": 0.31},
    "DIF SD 1": {"items flagged": 0.08, "correlation": 0.41, "DIF SD": 1.06},
    "DIF SD 2": {"items flagged": 0.14, "correlation": 0.65, "DIF SD": 2.01},
    "QR +1": {"items flagged": 0.06, "DIF SD": 0.41, "QR found": 0.98},
}  # fmt: skip


@dataclass(frozen=True, eq=False)
class World:
    """What studies on one bank have in common. `category` (J,) is the label whose shift is to be found."""

    responses: RubricResponses
    reference: Reference
    category: Mask
    labels: tuple[str, ...]

    @property
    def bank(self) -> ItemBank:
        return self.responses.bank


def world_of(bank: ItemBank, rng: np.random.Generator) -> World:
    """The process and its tables; categories are the bank's where it names them, else seven at random."""
    labels = tuple(name.partition("-")[0] for name in bank.subcategories)
    if not any(labels):
        labels = tuple(rng.choice([CATEGORY, "LN", "LR", "PR", "CT", "SI", "WK"], len(bank)).tolist())
    responses = dgp_r_table(bank, rng)
    category = np.array([label == CATEGORY for label in labels])
    return World(responses, reference_of(responses), category, labels)


def study_of(
    world: World,
    rng: np.random.Generator,
    *,
    missing: float,
    shift: Array | None = None,
    people: int = PEOPLE,
) -> Pairs:
    """One study in nested batches; `shift` (J,) is added to every expected logit of an item."""
    bank = world.bank
    batches = len(bank) // BATCH_SIZE
    prompts = rng.permutation(len(bank))[: batches * BATCH_SIZE].reshape(batches, BATCH_SIZE)
    batch = np.arange(people) % batches
    items, person = prompts[batch].ravel(), np.repeat(np.arange(people), BATCH_SIZE)
    theta = rng.normal(0, TAU, people)
    target = bank.a[items] * (theta[person] - bank.b[items]) + (0 if shift is None else shift[items])
    p = world.responses.responses(world.responses.cell_means(target, items, rng), items, rng)
    pairs = pairs_of(bank, person, items, np.repeat(batch, BATCH_SIZE), p)
    return pairs.of(rng.random(len(p)) >= missing)


def pairs_of(bank: ItemBank, person: Codes, items: Codes, batch: Codes, p: Array) -> Pairs:
    return Pairs(person, items, batch, p, bank.a[items], bank.b[items], bank.transform.to_logit(p))


def worlds(number: int, rng: np.random.Generator) -> Iterator[World]:
    for _ in range(number):
        yield world_of(bank_of(rng)[0], rng)


def fit_table(
    world: World, studies: int, rng: np.random.Generator, by_simulation: int = 0
) -> dict[tuple[str, str], list[float]]:
    """Shares of people flagged (studies,) by statistic and behaviour; "fitting" are all people of a study.

    The platform's own flags are taken in the first `by_simulation` studies only.
    """
    fitting = [study_of(world, rng, missing=0) for _ in range(max(studies, FITTING))]
    found = [statistics_of(pairs, world.reference) for pairs in fitting]
    cuts = cuts_of(found)
    shares: dict[tuple[str, str], list[float]] = defaultdict(list)

    def count(flags: dict[str, Mask], behaviour: str, people: int) -> None:
        for name, flagged in flags.items():
            shares[name, behaviour].append(float(flagged[:people].mean()))

    for number, pairs in enumerate(fitting):
        count(flagged_by_chance(found[number]) | cuts.flagged(found[number]), "fitting", PEOPLE)
        if number < by_simulation:
            count(flagged_by_simulation(pairs, world.reference, rng), "fitting", PEOPLE)
    for behaviour in BEHAVIOURS:
        for number in range(studies):
            pairs = behaving(study_of(world, rng, missing=0), behaviour, world.responses, rng)
            count(cuts.flagged(statistics_of(pairs, world.reference)), behaviour, ABERRANT)
            if number < by_simulation:
                count(flagged_by_simulation(pairs, world.reference, rng), behaviour, ABERRANT)
    return shares


def dif_study(world: World, sd: float, shifted: bool, rng: np.random.Generator) -> dict[str, float]:
    """What one study said: shares, the estimated spread and whether its interval holds `sd`, and alarms."""
    shift = sd * rng.standard_normal(len(world.bank)) + SHIFT * shifted * world.category
    pairs = study_of(world, rng, missing=MISSING, shift=shift)
    residuals = residuals_of(pairs, world.reference)
    items = item_dif(residuals)
    by_holm = prompt_p_values(items)[1] <= LEVEL
    labels = np.array(world.labels)
    parts = {
        name: mean_shift(
            residuals.r, pairs, (labels == name)[pairs.prompt], nested=True, prior=residuals.prior
        )
        for name in np.unique(labels)
    }
    alarms = [one.p <= LEVEL for name, one in parts.items() if not (shifted and name == CATEGORY)]
    spread = items.between.sd
    slope = scale_invariance(
        residuals.r, residuals.expected, pairs, nested=True, prior=residuals.prior
    ).excess
    return {
        "items flagged": float(items.flagged.mean()),
        "% by Holm": float(100 * by_holm.mean()),
        "any by Holm": float(by_holm.any()),
        "correlation": float(np.corrcoef(items.d, shift[items.prompt])[0, 1]) if sd else np.nan,
        "DIF SD": spread.value,
        "covers": np.nan if np.isnan(spread.low) else float(spread.low <= sd <= spread.high),
        "QR found": float(parts[CATEGORY].p <= LEVEL),
        "false alarms": float(np.mean(alarms)),
        "slope alarm": float(slope.p <= LEVEL),
    }


def dif_table(world: World, studies: int, rng: np.random.Generator) -> dict[str, dict[str, list[float]]]:
    """Every figure of every study, for each truth."""
    table = {}
    for name, (sd, shifted) in TRUTHS.items():
        found = [dif_study(world, sd, shifted, rng) for _ in range(studies)]
        table[name] = {figure: [one[figure] for one in found] for figure in found[0]}
    return table


def seconds_of(world: World, people: int, rng: np.random.Generator) -> tuple[float, float]:
    pairs = study_of(world, rng, missing=MISSING, people=people)
    began = time.perf_counter()
    person_fit(pairs, world.reference, rng)
    between = time.perf_counter()
    item_dif(residuals_of(pairs, world.reference))
    return between - began, time.perf_counter() - between


def print_fit(shares: dict[tuple[str, str], Array], tally: Tally) -> None:
    for (name, behaviour), values in shares.items():
        found = simulated(values, STUDIES_PER_BANK, STATED_STUDIES)
        text = f"{found.mean:.2f} ({found.error:.3f})"
        if behaviour == "fitting" and name in STATED_CHANCE:
            text = tally.compared(f"{name} fitting", found, STATED_CHANCE[name])
        elif behaviour != "fitting" and name in STATED_POWER:
            stated = STATED_POWER[name][BEHAVIOURS.index(behaviour)]
            text = tally.compared(f"{name} {behaviour}", found, stated)
        print(f"  {name:24}{behaviour:10}{text}")


def print_dif(table: dict[str, dict[str, Array]], tally: Tally) -> None:
    for truth, figures in table.items():
        for name, values in figures.items():
            if np.isnan(values).all():
                continue
            whole = name in ("any by Holm", "covers", "QR found", "slope alarm")
            found = (
                share(values[~np.isnan(values)], STATED_STUDIES)
                if whole
                else simulated(values, STUDIES_PER_BANK, STATED_STUDIES)
            )
            text = f"{found.mean:.2f} ({found.error:.3f})"
            if name in STATED_DIF[truth]:
                text = tally.compared(f"{truth} {name}", found, STATED_DIF[truth][name])
            print(f"  {truth:10}{name:15}{text}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--studies", type=int, default=100, help="simulated studies per row; default 100")
    asked: int = parser.parse_args().studies
    rng = np.random.default_rng(2026)
    shares: dict[tuple[str, str], list[float]] = defaultdict(list)
    table: dict[str, dict[str, list[float]]] = {name: defaultdict(list) for name in TRUTHS}
    for world in worlds(max(2, asked // STUDIES_PER_BANK), rng):
        by_simulation = STUDIES_PER_BANK // BY_SIMULATION
        for cell, values in fit_table(world, STUDIES_PER_BANK, rng, by_simulation).items():
            shares[cell] += values
        for name, figures in dif_table(world, STUDIES_PER_BANK, rng).items():
            for figure, values in figures.items():
                table[name][figure] += values
    tally = Tally()
    print("flagged at 5 %")
    print_fit({cell: np.array(values) for cell, values in shares.items()}, tally)
    print("DIF")
    print_dif({name: {k: np.array(v) for k, v in own.items()} for name, own in table.items()}, tally)
    print(tally.summary())
    for people in (PEOPLE, 10_000):
        fit, dif = seconds_of(world, people, rng)
        print(f"{people:,} people: person fit {fit:.2f} s, DIF {dif:.2f} s")


if __name__ == "__main__":
    main()
