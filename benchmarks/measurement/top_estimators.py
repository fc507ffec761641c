"""How far each estimator of Top is from the people it is about, in simulated studies on the real item bank.

Run:  python -m benchmarks.measurement.top_estimators [--studies 250] [--resamples 500] [--seed 20]

A study: 195 people whose abilities are normal with SD tau, 41 random batches of 20 of 820 prompts, 6.6 % of
the answers missing. DGP-R answers with rubrics, DGP-G with normal logits (`psychometrics/irt/responses.py`).
Truth is theta*, the mean of the published scorer for single responses on the whole bank, so that what is left
is due to choosing. `true` is the mean theta* of those chosen: by all answers for paper, wls, adj and eb, in
the folds for crossfit. `covers` is how often the 95 % interval holds the truth of those chosen by all answers
(crossfit) or by the estimator itself (eb), `own` of those the estimator chose. Last come abilities that are
not normal, and how far another seed moves top.crossfit5. Stated values are those of the design, section A1
(`stated.py` says when two agree). Every ten studies have items and criteria of their own.
"""

import argparse
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.special import ndtr

from benchmarks.measurement.simulated_banks import dgp_g_scores, extended_bank
from benchmarks.measurement.stated import Simulated, Tally, share, simulated
from formats.item_parameters import read_item_parameters
from psychometrics.data.cohort import Pairs
from psychometrics.inference.between_person import OwnAbilities, own_abilities
from psychometrics.inference.clusters import Codes
from psychometrics.inference.estimates import Estimate
from psychometrics.irt.bank import ItemBank, item_bank_from
from psychometrics.irt.responses import RubricResponses, dgp_r_table
from psychometrics.irt.transform import Array, Transform
from psychometrics.top.crossfit import SPLITS, Crossfit, crossfit
from psychometrics.top.empirical_bayes import shrunken_abilities, top_eb
from psychometrics.top.null import null_reference
from psychometrics.top.ranking import ranked

ROOT = Path(__file__).resolve().parents[2]

PEOPLE, PROMPTS, PER_PERSON, TOP, MISSING = 195, 820, 20, 15, 0.066
TAUS = (0.0, 0.3, 0.5, 0.8, 1.1, 1.4)
NULL_DRAWS = 60
SIGMA_G = 3.5
STUDIES_PER_WORLD = 10
ESTIMATORS = ("paper", "wls", "adj", "eb", "crossfit2", "crossfit5")
# (estimate, true mean of the selected, bias) per tau; 250 studies each. adj_select was not tabulated.
STATED_R: Mapping[str, Sequence[tuple[float, float, float]]] = {
    "paper": ((1.19, 0.08, 1.11), (1.34, 0.29, 1.05), (1.52, 0.60, 0.93), (1.85, 1.11, 0.74),
              (2.16, 1.54, 0.61), (2.42, 1.93, 0.50)),
    "wls": ((1.72, 0.08, 1.63), (1.83, 0.35, 1.48), (2.00, 0.71, 1.29), (2.28, 1.29, 1.00),
            (2.56, 1.73, 0.83), (2.80, 2.08, 0.72)),
    "eb": ((0.18, 0.08, 0.10), (0.44, 0.37, 0.08), (0.78, 0.76, 0.03), (1.32, 1.34, -0.02),
           (1.77, 1.77, 0.00), (2.14, 2.13, 0.01)),
    "crossfit2": ((0.07, 0.08, -0.01), (0.24, 0.23, 0.02), (0.46, 0.46, 0.00), (0.90, 0.90, 0.00),
                  (1.31, 1.30, 0.02), (1.68, 1.66, 0.02)),
    "crossfit5": ((0.08, 0.08, -0.01), (0.30, 0.27, 0.03), (0.56, 0.55, 0.01), (1.04, 1.04, 0.00),
                  (1.49, 1.47, 0.02), (1.87, 1.85, 0.03)),
}  # fmt: skip
STATED_ORACLE_R = (0.08, 0.78, 1.22, 1.74, 2.12, 2.42)
STATED_BIAS_G = (0.57, 0.53, 0.47, 0.38, 0.31, 0.25)
STATED_COVERAGE_R: Mapping[str, Mapping[float, float]] = {
    "eb": {0.0: 0.43, 0.5: 0.80, 0.8: 0.90},
    "crossfit5": {0.0: 0.88, 0.5: 0.91, 0.8: 0.97},
}
STATED_STUDIES = 250


@dataclass(frozen=True, eq=False)
class World:
    """A bank and how answers to it arise; `truth` turns an ability into theta*."""

    bank: ItemBank
    rubrics: RubricResponses
    normal: bool
    abilities: Array
    stars: Array

    def truth(self, theta: Array) -> Array:
        return np.interp(theta, self.abilities, self.stars)

    def scores(self, theta: Array, items: Codes, person: Codes, rng: np.random.Generator) -> Array:
        if self.normal:
            return dgp_g_scores(theta[person], items, self.bank, rng, SIGMA_G)
        return self.rubrics.scores(theta, items, person, rng)


def real_bank() -> ItemBank | None:
    """The 615 public items, where the data are present."""
    data = Path(os.environ.get("CHIRON_SHARED_DATA", ROOT.parent / "shared" / "data"))
    path = data / "gim" / "irt_params.json"
    return item_bank_from(read_item_parameters(path)) if path.exists() else None


def bank_of(rng: np.random.Generator) -> tuple[ItemBank, str]:
    """820 items and where they come from."""
    real = real_bank()
    if real is not None:
        return extended_bank(
            real, rng, PROMPTS
        ), f"{len(real)} public items and {PROMPTS - len(real)} like them"
    names, labels = tuple(f"item-{j}" for j in range(PROMPTS)), ("",) * PROMPTS
    a, b = np.exp(rng.normal(0, 0.59, PROMPTS)), rng.normal(0, 3, PROMPTS)
    return ItemBank(names, a, b, labels, Transform(0.998, 0.001), 2.53), f"{PROMPTS} simulated items"


def world_of(bank: ItemBank, normal: bool, rng: np.random.Generator) -> World:
    abilities = np.linspace(-6, 6, 121)
    rubrics = dgp_r_table(bank, rng)
    stars = normal_truth(bank, abilities) if normal else rubrics.true_ability(abilities)
    return World(bank, rubrics, normal, abilities, stars)


def normal_truth(bank: ItemBank, abilities: Array) -> Array:
    """theta* under DGP-G (I,), exactly: y is normal with SD 3.5 and clipped to the logits of 0 and 1."""
    least, most = bank.transform.to_logit(np.array([0.0, 1.0]))
    mean = bank.a * (abilities[:, np.newaxis] - bank.b)
    low, high = (least - mean) / SIGMA_G, (most - mean) / SIGMA_G
    inside = mean * (ndtr(high) - ndtr(low)) + SIGMA_G * (density(low) - density(high))
    expected = least * ndtr(low) + most * ndtr(-high) + inside
    stars: Array = (expected + bank.a * bank.b) @ bank.a / (bank.a @ bank.a)
    return stars


def density(x: Array) -> Array:
    """Of the standard normal."""
    found: Array = np.exp(-(x**2) / 2) / np.sqrt(2 * np.pi)
    return found


def skewed(rng: np.random.Generator) -> Array:
    """Abilities (195,): exponential, with a mean of 0 and an SD of 0.9."""
    return 0.9 * (rng.exponential(1.0, PEOPLE) - 1)


def pasting(rng: np.random.Generator) -> Array:
    """Abilities (195,): a quarter at 2.04, as pasting a model's answers gives, the others N(-0.6, 0.7^2)."""
    return np.where(rng.random(PEOPLE) < 0.25, 2.04, rng.normal(-0.6, 0.7, PEOPLE))


SHAPES: Mapping[str, Callable[[np.random.Generator], Array]] = {"skewed": skewed, "25 % paste": pasting}


def study_of(world: World, shape: float | str, rng: np.random.Generator) -> tuple[Array, Pairs]:
    """Abilities (195,) and the pairs of one study; normal abilities of this SD, or those of a named shape."""
    theta = SHAPES[shape](rng) if isinstance(shape, str) else shape * rng.standard_normal(PEOPLE)
    batches = rng.permutation(PROMPTS).reshape(-1, PER_PERSON)
    batch = rng.permutation(np.arange(PEOPLE) % len(batches))
    person, items = np.repeat(np.arange(PEOPLE), PER_PERSON), batches[batch].ravel()
    seen = rng.random(len(items)) >= MISSING
    person, items = person[seen], items[seen]
    p = world.scores(theta, items, person, rng)
    bank = world.bank
    y = bank.transform.to_logit(p)
    return theta, Pairs(person, items, batch[person], p, bank.a[items], bank.b[items], y)


def one_study(
    world: World, tau: float | str, resamples: int, rng: np.random.Generator, nulls: int = NULL_DRAWS
) -> dict[str, float]:
    """Every estimate, the truth of whom it chose, and whether intervals hold it, by name."""
    theta, pairs = study_of(world, tau, rng)
    star = world.truth(theta)
    own = own_abilities(pairs)
    codes = [f"{i:03}" for i in range(PEOPLE)]
    raw = np.bincount(pairs.person, pairs.p) / np.bincount(pairs.person)
    chosen = {
        "paper": ranked(raw, codes)[:TOP],
        "wls": ranked(own.theta, codes)[:TOP],
        "adj": ranked(raw - expected_raw_means(pairs), codes)[:TOP],
        "eb": ranked(shrunken_abilities(own).theta, codes)[:TOP],
    }
    found = {"oracle": float(np.sort(star)[-TOP:].mean())}
    for name, people in chosen.items():
        found[f"{name} true"] = float(star[people].mean())
        found[f"{name} est"] = pooled(own, people)
    eb = top_eb(own, codes, TOP)
    found["eb est"] = eb.value
    found["eb held"] = holds(eb, found["eb true"])
    if nulls:
        found["null"] = float(null_reference(pairs, codes, TOP, nulls, rng).drawn.mean())
    for name, folds, splits, draws in (("crossfit2", 2, 20, 0), ("crossfit5", 5, SPLITS, resamples)):
        crossed = crossfit(pairs, codes, rng, folds=folds, splits=splits)
        estimate = crossed.estimates([TOP], draws, rng)[0]
        found[f"{name} est"], found[f"{name} true"] = estimate.value, true_of(crossed, star)
        found[f"{name} held"] = holds(estimate, found["paper true"])
        found[f"{name} own held"] = holds(estimate, found[f"{name} true"])
    return found


def expected_raw_means(pairs: Pairs) -> Array:
    """(I,): the mean over each person's prompts of the mean score on the prompt."""
    answers, sums = np.bincount(pairs.prompt), np.bincount(pairs.prompt, pairs.p)
    expected = sums[pairs.prompt] / answers[pairs.prompt]
    means: Array = np.bincount(pairs.person, expected) / np.bincount(pairs.person)
    return means


def pooled(own: OwnAbilities, people: Codes) -> float:
    weights = own.information[people]
    return float(weights @ own.theta[people] / weights.sum())


def true_of(crossed: Crossfit, star: Array) -> float:
    return float(np.mean([star[order.people[:TOP]].mean() for order in crossed.orders]))


def holds(estimate: Estimate, truth: float) -> float:
    return float(estimate.low <= truth <= estimate.high) if not np.isnan(estimate.low) else np.nan


def studies(
    normal: bool, tau: float | str, number: int, resamples: int, rng: np.random.Generator
) -> dict[str, Array]:
    """The numbers of many studies (number,), by name."""
    found = []
    for start in range(0, number, STUDIES_PER_WORLD):
        world = world_of(bank_of(rng)[0], normal, rng)
        here = min(STUDIES_PER_WORLD, number - start)
        found += [one_study(world, tau, resamples, rng) for _ in range(here)]
    return {name: np.array([one[name] for one in found]) for name in found[0]}


def lines(dgp: str, tau: float, found: Mapping[str, Array], tally: Tally) -> Iterator[str]:
    """Everything about one tau; what is stated goes to the tally."""
    row = TAUS.index(tau)

    def cell(name: str, values: Array, stated: float) -> str:
        text = tally.compared(f"{dgp} {tau} {name}", of_banks(values), stated)
        return f"{name} {text}"

    yield f"DGP-{dgp} tau {tau}: top.null {found['null'].mean():.2f}"
    if dgp == "R":
        yield "  " + cell("oracle", found["oracle"], STATED_ORACLE_R[row])
    for name in ESTIMATORS:
        estimates, true = found[f"{name} est"], found[f"{name} true"]
        named = {"est": estimates, "true": true, "bias": estimates - true}
        stated = stated_of(dgp, name, row)
        parts = [
            cell(f"{name} {what}", values, stated[what])
            if what in stated
            else plain(f"{name} {what}", values)
            for what, values in named.items()
        ]
        yield "  " + "; ".join(parts) + covers(dgp, tau, name, found, tally)


def of_banks(values: Array) -> Simulated:
    return simulated(values, STUDIES_PER_WORLD, STATED_STUDIES)


def plain(name: str, values: Array) -> str:
    found = of_banks(values)
    return f"{name} {found.mean:.2f} ({found.error:.3f})"


def stated_of(dgp: str, name: str, row: int) -> dict[str, float]:
    if dgp == "G":
        return {"bias": STATED_BIAS_G[row]} if name == "paper" else {}
    if name not in STATED_R:
        return {}
    return dict(zip(("est", "true", "bias"), STATED_R[name][row], strict=True))


def covers(dgp: str, tau: float, name: str, found: Mapping[str, Array], tally: Tally) -> str:
    held = found.get(f"{name} held")
    if held is None or np.isnan(held).all():
        return ""
    held = held[~np.isnan(held)]
    own = found.get(f"{name} own held")
    text = "" if own is None else f", own {np.nanmean(own):.2f}"
    stated = STATED_COVERAGE_R.get(name, {}).get(tau)
    if dgp == "G" or stated is None:
        return f"; covers {held.mean():.2f}{text}"
    text = tally.compared(f"R {tau} {name} covers", share(held, STATED_STUDIES), stated) + text
    return f"; covers {text}"


def main() -> None:
    parser = argparse.ArgumentParser(description="The bias of every estimator of Top at six SDs of ability.")
    parser.add_argument("--studies", type=int, default=250)
    parser.add_argument("--resamples", type=int, default=500)
    parser.add_argument("--seed", type=int, default=20)
    options = parser.parse_args()
    rng = np.random.default_rng(options.seed)
    print(f"{options.studies} studies a line, {bank_of(rng)[1]}; Monte Carlo errors in brackets")
    tally = Tally()
    for dgp in ("R", "G"):
        for tau in TAUS:
            start = time.perf_counter()
            found = studies(dgp == "G", tau, options.studies, options.resamples, rng)
            for line in lines(dgp, tau, found, tally):
                print(line)
            print(f"  {time.perf_counter() - start:.1f} s", flush=True)
    print(tally.summary())
    for shape in SHAPES:
        found = studies(False, shape, options.studies, options.resamples, rng)
        for name in ("eb", "crossfit5"):
            bias = found[f"{name} est"] - found["paper true" if name == "crossfit5" else "eb true"]
            held = found[f"{name} held"]
            print(f"DGP-R {shape}: {plain(f'{name} bias', bias)}; covers {np.nanmean(held):.2f}")
    print(seeds_apart(options.seed))


def seeds_apart(seed: int) -> str:
    """The SD of top.crossfit5 over 30 seeds, mean of six studies at tau 0.8, for a Top of 15 and of 3."""
    rng = np.random.default_rng(seed)
    world, codes = world_of(bank_of(rng)[0], False, rng), [f"{i:03}" for i in range(PEOPLE)]
    parts = []
    for splits in (8, SPLITS):
        spreads = []
        for _ in range(6):
            _, pairs = study_of(world, 0.8, rng)
            dealt = (crossfit(pairs, codes, np.random.default_rng(n), splits=splits) for n in range(30))
            spreads.append(np.std([one.values([TOP, 3]) for one in dealt], axis=0, ddof=1))
        large, small = np.mean(spreads, axis=0)
        parts.append(f"{splits} splits {large:.3f} and {small:.3f}")
    return f"SD of top.crossfit5 over seeds, K = {TOP} and 3: {'; '.join(parts)}"


if __name__ == "__main__":
    main()
