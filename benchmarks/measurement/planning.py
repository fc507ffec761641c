"""The planner's tables beside those of the method, what batch designs do, and whether studies do as planned.

Run:  python -m benchmarks.measurement.planning [STUDIES]      (default: 200; with 0 nothing is simulated)

Half-widths and needed people come from the formula alone. The batch designs are 12 cuts each of 820 prompts:
the 615 of the public bank and 205 resampled, simulated ones where the data are absent; modality and category
are drawn, as the bank has no modality. E raw is the expected score of a single response under DGP-R.
"""

import os
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from batches.rules.assembly import assemble_balanced, assemble_random
from batches.rules.coverage import PromptTraits
from benchmarks.measurement.simulated_banks import extended_bank
from formats.item_parameters import read_item_parameters
from psychometrics.irt.bank import ItemBank, item_bank_from
from psychometrics.irt.responses import RubricResponses, dgp_r_table
from psychometrics.irt.transform import Array
from psychometrics.planning.designs import design_of
from psychometrics.planning.formulas import Plan, batch_half_width, people_for, precision
from psychometrics.planning.records import MATRIX, NESTED
from psychometrics.planning.simulated_design import simulate_design, synthetic_bank

ROOT = Path(__file__).resolve().parents[2]
PROMPTS, PER_PERSON, CUTS, SIMULATED = 820, 20, 12, 3000
SDS = (0.35, 0.6, 0.9, 1.2)
PEOPLE = (6, 12, 15, 30, 60, 100, 195, 246, 500)
WANTED = (0.1, 0.15, 0.2, 0.3, 0.5)
CATEGORIES = ("LR", "QR", "SI", "WK", "LN", "PR", "CT")

# What the method states: half-widths, people needed, half-widths of one batch of 3, 6, 12, 24 people.
STATED = {
    0.35: (
        (0.69, 0.49, 0.44, 0.31, 0.22, 0.17, 0.12, 0.11, 0.08),
        (285, 127, 72, 32, 12),
        (0.97, 0.68, 0.48, 0.34),
    ),
    0.6: (
        (0.80, 0.57, 0.51, 0.36, 0.25, 0.20, 0.14, 0.13, 0.09),
        (386, 172, 97, 43, 16),
        (1.11, 0.79, 0.56, 0.39),
    ),
    0.9: (
        (0.98, 0.69, 0.62, 0.44, 0.31, 0.24, 0.17, 0.15, 0.11),
        (576, 256, 144, 64, 24),
        (1.35, 0.95, 0.67, 0.48),
    ),
    1.2: (
        (1.19, 0.84, 0.75, 0.53, 0.37, 0.29, 0.21, 0.19, 0.13),
        (843, 375, 211, 94, 34),
        (1.62, 1.14, 0.81, 0.57),
    ),
}


def bank_of_study(rng: np.random.Generator) -> tuple[ItemBank, str]:
    data = Path(os.environ.get("CHIRON_SHARED_DATA", ROOT.parent / "shared" / "data"))
    path = data / "gim" / "irt_params.json"
    if not path.exists():
        return synthetic_bank(PROMPTS, 2.08, rng), "simulated items"
    public = item_bank_from(read_item_parameters(path))
    return extended_bank(public, rng, items=PROMPTS), f"{len(public)} public items, the rest resampled"


def half_widths() -> None:
    print(f"95 % half-width, {PER_PERSON} prompts each, 6.6 % missing, random batches")
    print("(in brackets what is stated, which takes the normal quantile; studies and plans take Student's t)")
    print("SD    " + "".join(f"n={n:<11}" for n in PEOPLE))
    worst = 0.0
    for sd in SDS:
        plan = Plan(people=1, prompts_per_person=PER_PERSON, between_sd=sd)
        found = [precision(replace(plan, people=n)).half_width for n in PEOPLE]
        normal = [1.96 * precision(replace(plan, people=n)).se for n in PEOPLE]
        batches = [batch_half_width(m, plan) for m in (3, 6, 12, 24)]
        needed = tuple(people_for(width, plan) for width in WANTED)
        stated, stated_needed, stated_batches = STATED[sd]
        worst = max(worst, *(abs(x - y) for x, y in zip(normal, stated, strict=True)))
        print(f"{sd:<6}" + "".join(f"{x:.3f} ({y:.2f}) " for x, y in zip(found, stated, strict=True)))
        print(
            f"      needed for +-{WANTED}: {needed}, stated {stated_needed}; per batch "
            + ", ".join(f"{x:.3f} ({y:.2f})" for x, y in zip(batches, stated_batches, strict=True))
        )
    print(f"largest difference of 1.96 SE from the stated half-widths {worst:.4f} (they have two decimals)\n")


def same_answers() -> None:
    print(
        "3,900 answers, none missing, SD 0.8: half-width by prompts per person (stated .118 .131 .153 .190)"
    )
    for k in (5, 10, 20, 40):
        plan = Plan(3900 // k, k, between_sd=0.8, missing=0.0, balanced=True)
        print(f"  k={k:<3} +-{precision(plan).half_width:.3f}")
    print()


def batch_designs(bank: ItemBank, rng: np.random.Generator) -> None:
    model = dgp_r_table(bank, rng)
    raw = [expected_raw(model, theta, rng) for theta in (0.1, 1.0)]
    traits = [
        PromptTraits(
            name, float(a), float(b), str(rng.choice(CATEGORIES)), "image" if rng.random() < 0.28 else "text"
        )
        for name, a, b in zip(bank.prompt_ids, bank.a, bank.b, strict=True)
    ]
    print(f"{CUTS} cuts into 41 batches of 20: SD of E raw at 0.1 / 1, CV of information, SD of images")
    for name, cut in (
        ("random", lambda: assemble_random(bank.prompt_ids, batch_size=PER_PERSON, rng=rng)),
        ("balanced", lambda: assemble_balanced(traits, batch_size=PER_PERSON, rng=rng)),
    ):
        started = time.perf_counter()
        rows = np.array([quality(cut, bank, raw, traits) for _ in range(CUTS)]).mean(axis=0)
        seconds = (time.perf_counter() - started) / CUTS
        print(
            f"  {name:<9} {rows[0]:.4f} / {rows[1]:.4f}  CV {rows[2]:.3f}  images {rows[3]:.2f}  "
            f"{seconds:.2f} s a cut"
        )
    print("  stated:   random .062 / .064, CV .32, 2.0; balanced .006 / .0065, CV .064, .50\n")


def expected_raw(model: RubricResponses, theta: float, rng: np.random.Generator) -> Array:
    """(J,): the mean score of many people of one ability."""
    mean: Array = model.epoch_means(np.full(SIMULATED, theta), 1, rng).mean(axis=0)
    return mean


def quality(
    cut: Callable[[], list[list[str]]], bank: ItemBank, raw: Sequence[Array], traits: Sequence[PromptTraits]
) -> list[float]:
    batches = [[bank.index[name] for name in batch] for batch in cut()]
    information = np.array([(bank.a[batch] ** 2).sum() for batch in batches])
    images = np.array([sum(traits[j].modality == "image" for j in batch) for batch in batches])
    means = [np.array([score[batch].mean() for batch in batches]).std() for score in raw]
    return [*map(float, means), float(information.std() / information.mean()), float(images.std())]


def linkages() -> None:
    print("246 people, 20 of 820 prompts each")
    for kind in (NESTED, MATRIX):
        found = design_of(
            kind, people=246, prompts=PROMPTS, per_person=PER_PERSON, rng=np.random.default_rng(1)
        ).linkage()
        print(
            f"  {kind:<7} {found.components} components, at least {found.fewest_people} people on a prompt, "
            f"at least {found.fewest_neighbours} prompts met together with one"
        )
    print()


def rehearsals(bank: ItemBank, studies: int) -> None:
    print(
        f"Rehearsed on this bank, {studies} studies each: SD of theta.pool beside the formula, coverage, Top"
    )
    for people, sd, kind in ((195, 0.35, NESTED), (195, 0.9, NESTED), (195, 0.9, MATRIX), (60, 0.9, NESTED)):
        plan = Plan(people=people, prompts_per_person=PER_PERSON, between_sd=sd)
        started = time.perf_counter()
        found = simulate_design(
            plan, kind, mean=0.1, top_size=15, studies=studies, rng=np.random.default_rng(2026), bank=bank
        )
        seconds = time.perf_counter() - started
        print(f"  n={people} SD {sd} {kind}: formula {precision(plan).se:.3f}, {seconds:.1f} s")
        for one in found.recoveries:
            print(
                f"    {one.name:<28} bias {one.bias:+.3f}  SD {one.spread:.3f}  mean SE {one.mean_se:.3f}  "
                f"coverage {one.coverage:.3f} +- {one.error:.3f}"
            )


def main(arguments: Sequence[str]) -> None:
    rng = np.random.default_rng(2026)
    bank, source = bank_of_study(rng)
    print(source, "\n")
    half_widths()
    same_answers()
    linkages()
    batch_designs(bank, rng)
    studies = int(arguments[0]) if arguments else 200
    if studies:
        rehearsals(bank, studies)


if __name__ == "__main__":
    main(sys.argv[1:])
