"""Do a planned study many times with known abilities, and see what its estimators make of them.

People's abilities are normal with the wanted mean and SD on the scale of the scorer, their responses DGP-R
(`psychometrics.irt.responses`), and answers go missing at random. Prompts may be harder or easier for people
than for models, anew in each study; balanced batches are alike in information. What is to be found is theta*:
the expected score of a person on the whole bank under the same scorer, one response to each item. theta.ql
has a scale of its own: its truth is theta_QL of everybody's expected scores on the whole bank.

    bias       mean estimate - truth                  (of Top: - the mean theta* of the people it selected)
    spread     SD of the estimate over the studies    (what a standard error should be)
    coverage   share c of the studies whose 95 % interval holds the truth; its Monte Carlo error is in `error`

The error is that of Wilson (1927), sqrt(n c (1 - c) + z^2 / 4) / (n + z^2) with z = 1.96: not 0 where c is 0
or 1. The interval of top.crossfit5 is rehearsed up to MAX_CHOSEN only, and its splits are as few
as those its draws walk: what the choice of splits adds is small beside how studies differ.
A study in which an estimator is not defined counts with its reason; none of its rows is left out for that.
The same seed gives the same numbers.
"""

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from psychometrics.data.cohort import Pairs
from psychometrics.inference.between_person import OwnAbilities, own_abilities
from psychometrics.inference.estimates import Estimate, Reason, unknown
from psychometrics.inference.quasi_estimate import quasi_estimate
from psychometrics.inference.standard_errors import cluster_error, pooled_fit, twoway_error
from psychometrics.irt.ability import Z_95
from psychometrics.irt.bank import ItemBank
from psychometrics.irt.quasi_likelihood import theta_ql
from psychometrics.irt.responses import RubricResponses, dgp_r_table
from psychometrics.irt.transform import Array, Transform
from psychometrics.planning.designs import Design, design_of
from psychometrics.planning.formulas import Plan
from psychometrics.planning.records import MAX_CHOSEN, NESTED, Recovery, SimulatedDesign
from psychometrics.top.crossfit import SPLITS_OF_DRAWS, crossfit
from psychometrics.top.empirical_bayes import shrunken_abilities
from psychometrics.top.ranking import ranked
from psychometrics.top.rules import is_top

GRID = np.linspace(-8, 8, 161)
NODES = 41
RESAMPLES = 200  # of the interval of top.crossfit5
MIN_TO_SHRINK = 2  # people
ROUNDS = 60  # of matching mean and SD; each halves what is left, at least
# On the published bank: SD of log a and of a b, the largest |a b|, and log a where |a b| is above 6.
LOG_SD, SD_OF_AB, MAX_AB, UNIFORM, LOG_UNIFORM = 0.587, 3.2, 7.0, 6.0, -0.6


class Draw(NamedTuple):
    """One estimator in one study; `held` says whether its interval holds the truth."""

    estimate: float
    truth: float
    se: float
    held: bool
    reason: Reason | None = None


@dataclass(frozen=True, eq=False)
class Population:
    """Where abilities come from, and theta* of an ability of the process by a table."""

    model: RubricResponses
    table: Array
    centre: float
    spread: float

    def truth(self, theta: Array) -> Array:
        return np.interp(theta, GRID, self.table)

    def expected(self) -> float:
        """The mean theta* of everybody there could be."""
        return _moments(self.table, self.centre, self.spread)[0]

    def expected_ql(self) -> float:
        """theta_QL of the expected scores of everybody there could be."""
        nodes, weights = np.polynomial.hermite_e.hermegauss(NODES)
        scores = self.model.expected_scores(self.centre + self.spread * nodes)
        bank = self.model.bank
        return theta_ql(bank.a, bank.b, weights @ scores / weights.sum())


def synthetic_bank(items: int, mean_square: float, rng: np.random.Generator) -> ItemBank:
    """A bank like the published one: log a normal, a b normal within what scores reach, and small a beyond.

    Items that everybody fails or passes have small a by their calibration; else they would rule theta.
    """
    ab = np.clip(SD_OF_AB * rng.standard_normal(items), -MAX_AB, MAX_AB)
    a = np.exp(LOG_SD * rng.standard_normal(items) + np.where(np.abs(ab) > UNIFORM, LOG_UNIFORM, 0))
    a *= math.sqrt(mean_square / float((a**2).mean()))
    names = tuple(f"item-{j}" for j in range(items))
    return ItemBank(names, a, ab / a, ("",) * items, Transform(scale=0.998, offset=0.001), 2.53)


def population_of(model: RubricResponses, mean: float, sd: float) -> Population:
    """Abilities whose theta* has this mean and SD (logits)."""
    table = model.true_ability(GRID)
    centre, spread = mean, sd
    for _ in range(ROUNDS):
        found_mean, found_sd = _moments(table, centre, spread)
        centre += mean - found_mean
        spread *= sd / found_sd if found_sd > 0 else 1
    return Population(model, table, centre, spread)


def no_step(done: int, of: int) -> None:
    """For callers that show no progress."""


def simulate_design(
    plan: Plan,
    kind: str,
    *,
    mean: float,
    top_size: int,
    studies: int,
    rng: np.random.Generator,
    bank: ItemBank | None = None,
    step: Callable[[int, int], None] = no_step,
) -> SimulatedDesign:
    """Do `plan` `studies` times on `bank`, or on a synthetic one of its size, cut anew each time.

    `step` hears, before each study, how many of how many are done.
    """
    items = synthetic_bank(plan.bank_prompts, plan.mean_square, rng) if bank is None else bank
    population = population_of(dgp_r_table(items, rng), mean, plan.between_sd)
    average, average_ql = population.expected(), population.expected_ql()
    drawn: dict[str, list[Draw]] = {}
    correlations = []
    resamples = RESAMPLES if studies * top_size <= MAX_CHOSEN else 0
    for study in range(studies):
        step(study, studies)
        design = design_of(
            kind, people=plan.people, prompts=len(items), per_person=plan.prompts_per_person, rng=rng,
            alike_in=items.a**2 if plan.balanced else None,
        )  # fmt: skip
        theta = population.centre + population.spread * rng.standard_normal(plan.people)
        truth, pairs = population.truth(theta), _answered(population.model, design, theta, plan, rng)
        own = own_abilities(pairs)
        for name, draw in _average(pairs, kind, average, average_ql).items():
            drawn.setdefault(name, []).append(draw)
        for name, draw in _top(pairs, own, truth, top_size, resamples, rng).items():
            drawn.setdefault(name, []).append(draw)
        theirs = truth[own.person]
        varied = len(own.theta) > 1 and np.ptp(own.theta) > 0 and np.ptp(theirs) > 0
        correlations.append(float(np.corrcoef(own.theta, theirs)[0, 1]) if varied else math.nan)
    recoveries = tuple(_recovery(name, draws) for name, draws in drawn.items())
    return SimulatedDesign(recoveries, _mean(correlations), studies)


def _answered(
    model: RubricResponses, design: Design, theta: Array, plan: Plan, rng: np.random.Generator
) -> Pairs:
    """The pairs of one study, on the items as they are calibrated; answers are missing at random."""
    shifts = plan.human_item_sd * rng.standard_normal(len(model.bank))
    for_people = replace(model, bank=replace(model.bank, b=model.bank.b - shifts / model.bank.a))
    p = for_people.scores(theta, design.prompt, design.person, rng)
    there = rng.random(len(p)) >= plan.missing
    prompt, person = design.prompt[there], design.person[there]
    return Pairs(
        person=person, prompt=prompt, batch=design.batch[person], p=p[there], a=model.bank.a[prompt],
        b=model.bank.b[prompt], y=model.bank.transform.to_logit(p[there]),
    )  # fmt: skip


def _average(pairs: Pairs, kind: str, truth: float, truth_ql: float) -> dict[str, Draw]:
    """The pooled theta with the errors that serve the design, and theta by quasi-likelihood."""
    fit = pooled_fit(pairs)
    errors = {"theta.pool, se.participant": cluster_error(fit, pairs.person)}
    if kind == NESTED:
        errors["theta.pool, se.batch"] = cluster_error(fit, pairs.batch)
    else:
        errors["theta.pool, se.twoway"] = twoway_error(fit, pairs)
    found = {name: _draw(error.around(fit.theta), truth) for name, error in errors.items()}
    by_ql = quasi_estimate(pairs.a, pairs.b, pairs.p, pairs.person).estimate
    return found | {"theta.ql, se.participant": _draw(by_ql, truth_ql)}


def _draw(estimate: Estimate, truth: float) -> Draw:
    return Draw(estimate.value, truth, estimate.se, estimate.low <= truth <= estimate.high, estimate.reason)


def _top(
    pairs: Pairs, own: OwnAbilities, truth: Array, size: int, resamples: int, rng: np.random.Generator
) -> dict[str, Draw]:
    """The published Top, cross-fitted and by empirical Bayes, each against the people it selected."""
    if not is_top(size, len(own.theta)):
        reason = Reason.TOO_FEW_PEOPLE if len(own.theta) else Reason.NO_PAIRS
        return dict.fromkeys(("top.paper", "top.crossfit5", "top.eb"), _draw(unknown(reason), math.nan))
    codes = [f"{i:06}" for i in range(len(truth))]
    present = [codes[i] for i in own.person]
    _, row = np.unique(pairs.person, return_inverse=True)
    raw = np.bincount(row, pairs.p) / np.bincount(row)
    by_raw = ranked(raw, present)[:size]
    chosen = np.isin(row, by_raw)
    paper = float(pairs.a[chosen] @ pairs.z[chosen]) / float(pairs.a[chosen] @ pairs.a[chosen])
    [fitted] = crossfit(pairs, codes, rng, splits=SPLITS_OF_DRAWS).estimates(
        [size], resamples, rng.spawn(1)[0]
    )
    selected = float(truth[own.person[by_raw]].mean())
    # The mean of the highest shrunken abilities; the error of people must be known for it.
    why = Reason.TOO_FEW_PEOPLE if len(own.theta) < MIN_TO_SHRINK else own.reason
    if why is None:
        shrunken = shrunken_abilities(own).theta
        best = ranked(shrunken, present)[:size]
        of_best = float(truth[own.person[best]].mean())
        by_bayes = Draw(float(shrunken[best].mean()), of_best, math.nan, held=False)
    else:
        by_bayes = _draw(unknown(why), math.nan)
    return {
        "top.paper": Draw(paper, selected, math.nan, held=False),
        "top.crossfit5": _draw(fitted, selected),
        "top.eb": by_bayes,
    }


def _recovery(name: str, draws: Sequence[Draw]) -> Recovery:
    columns = ([getattr(draw, part) for draw in draws] for part in ("estimate", "truth", "se", "held"))
    estimate, truth, se, held = (np.array(column, dtype=np.float64) for column in columns)
    known = ~np.isnan(estimate)
    with_error = known & ~np.isnan(se)
    coverage, number = _mean(held[with_error]), int(with_error.sum())
    uncertain = number * coverage * (1 - coverage) + Z_95**2 / 4
    return Recovery(
        name=name,
        mean=_mean(estimate[known]),
        truth=_mean(truth[known]),
        bias=_mean((estimate - truth)[known]),
        spread=float(estimate[known].std(ddof=1)) if known.sum() > 1 else math.nan,
        mean_se=_mean(se[with_error]),
        coverage=coverage,
        error=math.sqrt(uncertain) / (number + Z_95**2) if number else math.nan,
        studies=int(known.sum()),
        undefined=dict(Counter(draw.reason for draw in draws if draw.reason and math.isnan(draw.estimate))),
    )


def _moments(table: Array, centre: float, spread: float) -> tuple[float, float]:
    """Mean and SD of theta* over normal abilities of the process."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(NODES)
    values = np.interp(centre + spread * nodes, GRID, table)
    mean = float(values @ weights / weights.sum())
    return mean, math.sqrt(float((values - mean) ** 2 @ weights / weights.sum()))


def _mean(values: Sequence[float] | Array) -> float:
    known = [float(value) for value in values if not math.isnan(value)]
    return math.fsum(known) / len(known) if known else math.nan
