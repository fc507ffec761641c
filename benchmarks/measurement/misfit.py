"""How often people who do not follow the prompts are flagged (design, section A5): see `fit_and_dif.py`.

People answer 20 prompts, nothing is missing. The first 20 of a study's 195 behave in one of these ways; the
design names them, and what they mean here was chosen because it comes closest to the stated power:

careless    every answer is a response of expected score 0.15, whatever the prompt
gave up     nothing right after the tenth prompt
leaked      ten of the answers, drawn at random, are complete
reversed    one's own scores, the best on the hardest prompt
off-task    every answer is a response of expected score 0.03, whatever the prompt

A statistic at its empirical 5 % point flags 5 % of the people in studies where all fit, on the same bank.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import chdtrc

from psychometrics.data.cohort import Codes, Mask, Pairs
from psychometrics.fit.abilities import likelihood_of, prior_of, sums_of
from psychometrics.fit.people import LEVEL, Rows, abilities, compared, mahalanobis_parts, person_fit
from psychometrics.fit.reference import Reference
from psychometrics.irt.responses import RubricResponses
from psychometrics.irt.transform import Array

ABERRANT, AFTER = 20, 10
CARELESS, OFF_TASK = 0.15, 0.03
BEHAVIOURS = ("careless", "gave up", "leaked", "reversed", "off-task")
PUBLISHED_SIGMA = 2.53
# At the empirical 5 % point, in the order of BEHAVIOURS.
STATED_POWER: Mapping[str, tuple[float, ...]] = {
    "Q": (0.31, 0.45, 0.47, 0.99, 0.07),
    "outfit": (0.74, 0.42, 0.62, 0.99, 0.39),
    "correlation": (0.90, 0.46, 0.50, 1.00, 0.86),
    "either": (0.93, 0.58, 0.71, 1.00, 0.88),
}
STATED_CHANCE: Mapping[str, float] = {"Q, 2.53, chi2": 0.98, "Q, own s1, chi2": 0.02}


@dataclass(frozen=True, eq=False)
class Statistics:
    """Of each person (P,): correlation, undefined ones as 0, outfit, Q with the cohort's s1; and s1."""

    correlation: Array
    outfit: Array
    q: Array
    n: Codes
    residual_sd: float


@dataclass(frozen=True)
class Cuts:
    """The empirical 5 % points."""

    correlation: float
    outfit: float
    q: float

    def flagged(self, one: Statistics) -> dict[str, Mask]:
        low, high = one.correlation < self.correlation, one.outfit > self.outfit
        return {"Q": one.q > self.q, "outfit": high, "correlation": low, "either": low | high}


def statistics_of(pairs: Pairs, reference: Reference) -> Statistics:
    rows = Rows(pairs)
    sums = sums_of(replace(rows.pairs, person=rows.of), reference, len(rows.n))
    prior = prior_of(likelihood_of(sums), reference.grid)
    theta = abilities(rows, sums, prior, reference, rows.pairs.y)
    correlation = compared(rows.correlations(rows.pairs.y))
    q, _, residual_sd = mahalanobis_parts(rows)
    return Statistics(correlation, rows.outfits(rows.pairs.y, theta, reference), q, rows.n, residual_sd)


def cuts_of(fitting: list[Statistics]) -> Cuts:
    """From studies in which all people fit."""
    columns = (
        np.concatenate([getattr(one, name) for one in fitting]) for name in ("correlation", "outfit", "q")
    )
    correlation, outfit, q = columns
    return Cuts(
        float(np.quantile(correlation, LEVEL)),
        float(np.quantile(outfit, 1 - LEVEL)),
        float(np.quantile(q, 1 - LEVEL)),
    )


def flagged_by_chance(one: Statistics) -> dict[str, Mask]:
    """By chi^2 with the published sigma_hat and with the cohort's own s1."""
    published = one.q * one.residual_sd**2 / PUBLISHED_SIGMA**2
    values = {"Q, 2.53, chi2": published, "Q, own s1, chi2": one.q}
    return {name: chdtrc(np.maximum(one.n - 1, 1), q) <= LEVEL for name, q in values.items()}


def flagged_by_simulation(pairs: Pairs, reference: Reference, rng: np.random.Generator) -> dict[str, Mask]:
    """What the platform flags: each person beside simulated answers to the same prompts."""
    fit = person_fit(pairs, reference, rng)
    return {
        "outfit, simulated": fit.high_outfit,
        "correlation, simulated": fit.low_correlation,
        "either, simulated": fit.low_correlation | fit.high_outfit,
    }


def behaving(pairs: Pairs, behaviour: str, responses: RubricResponses, rng: np.random.Generator) -> Pairs:
    """The same study with its first people answering in this way."""
    p = pairs.p.copy()
    for one in range(ABERRANT):
        rows = np.flatnonzero(pairs.person == one)
        answered = Answered(p[rows], pairs.a[rows] * pairs.b[rows], pairs.prompt[rows])
        p[rows] = answered.under(behaviour, responses, rng)
    return replace(pairs, p=p, y=responses.bank.transform.to_logit(p))


@dataclass(frozen=True, eq=False)
class Answered:
    """One person's scores (n,) in the order of the batch, with a b and the position of the prompts."""

    p: Array
    difficulty: Array
    prompt: Codes

    def under(self, behaviour: str, responses: RubricResponses, rng: np.random.Generator) -> Array:
        """The scores under a behaviour."""
        n = len(self.p)
        if behaviour in ("careless", "off-task"):
            mean = CARELESS if behaviour == "careless" else OFF_TASK
            return responses.responses(np.full(n, mean), self.prompt, rng)
        if behaviour == "gave up":
            return np.where(np.arange(n) < AFTER, self.p, 0.0)
        if behaviour == "leaked":
            return np.where(rng.permutation(n) < AFTER, 1.0, self.p)
        scores = np.empty(n)
        scores[np.argsort(self.difficulty)] = np.sort(self.p)
        return scores
