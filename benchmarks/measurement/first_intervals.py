"""How often the interval that stands first covers what it is meant for, beside the published one.

Run:  python -m benchmarks.measurement.first_intervals [--studies 500] [--seed 12] [--design 2] [--tops 500]

The designs are those of the measurement design, section 10, and more of few batches. In each study all
is drawn anew (target T2): prompts from the item bank, their criteria, batches, people of normal ability and,
where there is one, an effect of each batch. Answers come from DGP-R (`psychometrics.irt.responses`), 6.6 % of
them are missing. An interval of Average or of a category should cover the mean of its estimates over all
studies of the design: the scorer's own bias is no matter of standard errors. Where prompts are `kept` (target
T1) it is the mean over 50 studies of other people on the same prompts. One of Top should cover the true
ability of those whom all answers choose. `first` is the interval that the product puts first, by its own
rule; `as before` the one by batch with the factor G / (G - 1) and t of G - 1, which stood first until now.
"""

import argparse
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, replace

import numpy as np

from benchmarks.measurement.interval_coverage import Found, found_of, pairs_of
from benchmarks.measurement.stated import share
from benchmarks.measurement.top_estimators import bank_of, holds
from psychometrics.data.categories import item_categories
from psychometrics.data.cohort import Mask, Pairs
from psychometrics.inference.between_person import own_abilities
from psychometrics.inference.clusters import ClusterError, cluster_codes
from psychometrics.inference.estimates import Estimate, Reason
from psychometrics.inference.first_error import estimated, first_error
from psychometrics.inference.jackknife import prompt_information, theta_prompt
from psychometrics.inference.standard_errors import (
    Fit,
    analytic_estimate,
    cluster_error,
    pooled_fit,
    quasi_fit,
    twoway_error,
)
from psychometrics.irt.bank import ItemBank
from psychometrics.irt.responses import RubricResponses, dgp_r_table
from psychometrics.irt.transform import Array
from psychometrics.top.crossfit import crossfit
from psychometrics.top.empirical_bayes import shrunken_abilities, top_eb
from psychometrics.top.ranking import ranked

PER_PERSON, MISSING, MEAN_ABILITY = 20, 258 / 3900, 0.1
ON_THE_SAME = 50  # studies
RESAMPLES = 500


@dataclass(frozen=True)
class Design:
    """`people` of normal ability (SD `tau`) over `batches` of 20 prompts; `effect` is the SD between batches.

    `crossed`: the batches of different people are drawn from the bank separately. `kept`: prompts, criteria
    and batches are drawn once for every 50 studies. `top` is how many are Top.
    """

    people: int
    batches: int
    tau: float = 0.9
    effect: float = 0.0
    crossed: bool = False
    top: int = 0
    kept: bool = False

    def __str__(self) -> str:
        text = f"{self.people} people, {self.batches} batches, SD {self.tau}"
        text += f", batch effect {self.effect}" if self.effect else ""
        text += ", prompts in several batches" if self.crossed else ""
        return text + (", the same prompts" if self.kept else "")


DESIGNS = (
    Design(9, 9),
    Design(15, 5, top=3),
    Design(30, 10, top=3),
    Design(30, 10, effect=0.5),
    Design(195, 41, top=15),
    Design(15, 5, effect=0.5),
    Design(30, 3, effect=0.5),
    Design(30, 2),
    Design(12, 1),
    Design(30, 30, crossed=True),
    Design(48, 8),
    Design(160, 8),
    Design(12, 1, kept=True),
)


@dataclass(frozen=True, eq=False)
class Study:
    """The pairs of a study, the abilities (I,) of its people, and how its answers arose."""

    pairs: Pairs
    theta: Array
    responses: RubricResponses


def study_of(design: Design, of_prompts: np.random.Generator, rng: np.random.Generator) -> Study:
    """A study whose bank, criteria and batches `of_prompts` draws, and its people `rng`."""
    bank = resampled(bank_of(of_prompts)[0], of_prompts)
    responses = dgp_r_table(bank, of_prompts)
    batch = np.arange(design.people) % design.batches
    theta = MEAN_ABILITY + design.tau * rng.standard_normal(design.people)
    theta = theta + design.effect * rng.standard_normal(design.batches)[batch]
    if design.crossed:  # a pool three times as large as a batch, so that prompts recur
        asked = np.stack([of_prompts.permutation(3 * PER_PERSON)[:PER_PERSON] for _ in range(design.batches)])
    else:
        asked = of_prompts.permutation(len(bank))[: design.batches * PER_PERSON].reshape(
            design.batches, PER_PERSON
        )
    person, items = np.repeat(np.arange(design.people), PER_PERSON), asked[batch].ravel()
    seen = rng.random(len(items)) >= MISSING
    person, items = person[seen], items[seen]
    p = responses.scores(theta, items, person, rng)
    return Study(pairs_of(bank, items, person, batch[person], p), theta, responses)


def resampled(bank: ItemBank, rng: np.random.Generator) -> ItemBank:
    """As many items, drawn with replacement: other prompts like these."""
    drawn = rng.integers(0, len(bank), len(bank))
    subcategories = tuple(bank.subcategories[j] for j in drawn)
    return replace(bank, a=bank.a[drawn], b=bank.b[drawn], subcategories=subcategories)


def intervals_of(design: Design, study: Study) -> Iterator[tuple[str, Estimate]]:
    """Every interval of Average and of each category by what it is called in the table."""
    bank, pairs = study.responses.bank, study.pairs
    nested = not design.crossed
    for name, fit in (("theta.pool", pooled_fit(pairs)), ("theta.ql", quasi_fit(pairs))):
        for error, found in errors_of(fit, pairs, nested=nested).items():
            yield f"{name} {error}", found
    yield "theta.prompt as published", published(pairs, bank)
    categories = np.array([item_categories(one).category for one in bank.subcategories])
    for category in sorted(set(categories) - {""}):
        rows = pairs_where(pairs, categories[pairs.prompt] == category)
        if len(rows) and rows.a.any():
            for error, found in errors_of(pooled_fit(rows), rows, nested=nested, whole=False).items():
                yield f"{category}: theta.pool {error}", found
            yield f"{category}: theta.prompt as published", published(rows, bank)


def errors_of(fit: Fit, pairs: Pairs, *, nested: bool, whole: bool = True) -> dict[str, Estimate]:
    """The estimate with each error that the design allows, and with the one that stands first."""
    errors = {"by people": cluster_error(fit, pairs.person), "two-way": twoway_error(fit, pairs)}
    if nested:
        errors["by batch"] = cluster_error(fit, pairs.batch)
        errors["as before"] = before(fit, pairs)
    found = {name: estimated(fit.theta, error) for name, error in errors.items()}
    first = first_error(fit, pairs, nested=nested, whole=whole)
    return found | {"first": estimated(fit.theta, first.found)}


def before(fit: Fit, pairs: Pairs) -> ClusterError:
    """CR1 with t of G - 1, by batch or, in one batch, by people."""
    by_people = len(np.unique(pairs.batch)) < 2
    codes, groups = cluster_codes(pairs.person if by_people else pairs.batch)
    if fit.reason or groups < 2 or not fit.bread:
        return ClusterError(np.nan, len(pairs), groups, fit.reason or Reason.ONE_CLUSTER)
    sums = np.bincount(codes, fit.scores) / fit.bread
    se = float(np.sqrt(groups / (groups - 1) * sums @ sums))
    return ClusterError(se, len(pairs), groups, None if se else Reason.NO_SPREAD)


def published(pairs: Pairs, bank: ItemBank) -> Estimate:
    theta = theta_prompt(pairs, bank.transform)
    return analytic_estimate(theta, prompt_information(pairs), bank.sigma_hat)


def pairs_where(pairs: Pairs, kept: Mask) -> Pairs:
    return Pairs(**{column.name: getattr(pairs, column.name)[kept] for column in fields(pairs)})


def tops_held(design: Design, study: Study, rng: np.random.Generator) -> dict[str, float]:
    """Whether each interval of Top holds the mean true ability of those it is about; NaN without one."""
    pairs, bank = study.pairs, study.responses.bank
    star = study.responses.true_ability(study.theta)
    codes = [f"{i:03}" for i in range(design.people)]
    raw = np.bincount(pairs.person, pairs.p) / np.bincount(pairs.person)
    best = ranked(raw, codes)[: design.top]
    paper = pooled_fit(pairs_where(pairs, np.isin(pairs.person, best)))
    own = own_abilities(pairs)
    shrunken = ranked(shrunken_abilities(own).theta, codes)[: design.top]
    crossed = crossfit(pairs, codes, rng)
    in_folds = np.mean([star[order.people[: design.top]].mean() for order in crossed.orders])
    return {
        "top.paper as published": holds(
            analytic_estimate(paper.theta, paper.bread, bank.sigma_hat), float(star[best].mean())
        ),
        "top.crossfit5": holds(crossed.estimates([design.top], RESAMPLES, rng)[0], float(in_folds)),
        "top.eb": holds(top_eb(own, codes, design.top), float(star[shrunken].mean())),
    }


def simulate(
    design: Design, studies: int, tops: int, seed: int
) -> tuple[dict[str, Found], Mapping[str, Array]]:
    """What each interval came to over all studies, and how often those of Top held, over the first `tops`."""
    rng = np.random.default_rng([seed, DESIGNS.index(design)])
    intervals: dict[tuple[str, int], list[Estimate]] = defaultdict(list)
    held: dict[str, list[float]] = defaultdict(list)
    for number in range(studies):
        kept = number // ON_THE_SAME if design.kept else 0
        study = study_of(design, np.random.default_rng([seed, kept]) if design.kept else rng, rng)
        for name, estimate in intervals_of(design, study):
            intervals[name, kept].append(estimate)
        if design.top and number < tops:
            for name, holding in tops_held(design, study, rng).items():
                held[name].append(holding)
    found: dict[str, Found] = {}
    for (name, _), estimates in intervals.items():
        one = found_of(estimates)
        found[name] = together(found[name], one) if name in found else one
    return found, {name: np.array(values) for name, values in held.items()}


def together(one: Found, other: Found) -> Found:
    both = (getattr(one, part.name) + getattr(other, part.name) for part in fields(Found))
    return Found(*both)


def lines_of(found: Mapping[str, Found], held: Mapping[str, Array]) -> Iterator[str]:
    for name, one in found.items():
        if ":" not in name:
            yield f"  {name:26} {covered(np.array(one.covered, dtype=np.float64), one.absent)}"
    widths = {name: float(np.median(one.widths)) for name, one in found.items() if one.widths}
    wider = {
        label: widths[label] / widths[f"{part}: theta.pool as before"]
        for label in widths
        for part in [label.partition(":")[0]]
        if label == f"{part}: theta.pool first" and f"{part}: theta.pool as before" in widths
    }
    if wider:
        low, high = min(wider.values()), max(wider.values())
        yield f"  categories, width of first to as before: {low:.2f} to {high:.2f}"
    if "theta.pool as before" in widths:
        yield f"  theta.pool, the same: {widths['theta.pool first'] / widths['theta.pool as before']:.2f}"
    for name in (
        "theta.pool first",
        "theta.pool as before",
        "theta.pool by people",
        "theta.pool by batch",
        "theta.prompt as published",
    ):
        each = [one.coverage for label, one in found.items() if label.endswith(f": {name}") and one.covered]
        if each:
            yield f"  categories, {name:14} {min(each):.2f} to {max(each):.2f}, mean {np.mean(each):.3f}"
    for name, values in held.items():
        known = values[~np.isnan(values)]
        yield f"  {name:26} {covered(known, len(values) - len(known))}"


def covered(held: Array, absent: int) -> str:
    if not len(held):
        return "no interval in any study"
    coverage = share(held, len(held))
    away = (coverage.mean - 0.95) / (0.95 * 0.05 / len(held)) ** 0.5
    text = f"{coverage.mean:.3f} ({coverage.error:.3f}; {away:+.1f} SE from .95)"
    return text + (f", {absent} studies without" if absent else "")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--studies", type=int, default=500)
    parser.add_argument("--tops", type=int, default=500, help="so many of them for Top, which takes longer")
    parser.add_argument("--seed", type=int, default=12)
    parser.add_argument("--design", type=int, help="only this row, from 1")
    asked = parser.parse_args()
    print(f"{asked.studies} studies per design, {bank_of(np.random.default_rng(asked.seed))[1]}")
    for design in DESIGNS if asked.design is None else [DESIGNS[asked.design - 1]]:
        began = time.perf_counter()
        found, held = simulate(design, asked.studies, asked.tops, asked.seed)
        print(f"\n{design}, {time.perf_counter() - began:.0f} s")
        for line in lines_of(found, held):
            print(line, flush=True)


if __name__ == "__main__":
    main()
