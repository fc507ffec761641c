"""A cohort beside a model on the same prompts, at the same number of responses.

Every pair k of the cohort (one person's response to prompt j) meets the model's logit m_j on that prompt:

    theta.pool      m_j = mean over epochs of the model's logits (k = 1)
    theta.prompt    m_j = expected logit of the mean of min(epochs, n_j) epochs, n_j the cohort's responses
    theta.ql        the model's mean score in place of p

Prompts that the model has no score on are left out of both. With all else as in the cohort's own estimate

    cohort - model  =  sum_k a_k (y_k - m_k) / sum_k a_k^2

which is the cohort's theta on a bank whose difficulties are b_j = -m_j / a_j: the pooled estimate, the mean
per prompt and its jackknife serve for the difference as they stand. For theta_QL the influences of both are
subtracted.

Errors are those that stand first for the cohort's own theta, too (`inference.first_error`). By batch, or by
people and prompts: other people and other prompts like these; the model's own noise on a prompt is in them.
With one batch by people: other people, these prompts and these responses of the model. The design is paired,
so an easy set of prompts favours nobody.

A model has one number per prompt, so that prompt j with n_j pairs is a row of weight n_j: 200,000 pairs are
820 rows. For the pooled estimate that is a row with sqrt(n) a and sqrt(n) y; theta_QL solves
sum_j n_j a_j (p_j - pi_j) = 0. Source: measurement design, sections A2, A3 and "Question E"; Miller
(arXiv 2411.00640).
"""

import math
from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np
from scipy.optimize import brentq
from scipy.special import logit

from psychometrics.data.cohort import Pairs
from psychometrics.inference.clusters import ROUNDING, Codes, Leverage
from psychometrics.inference.estimates import Estimate, Reason, without_interval
from psychometrics.inference.first_error import (
    FirstError,
    estimated,
    first_error,
    first_prompt_error,
    group_theta,
)
from psychometrics.inference.jackknife import theta_prompt
from psychometrics.inference.quasi_estimate import unbounded
from psychometrics.inference.standard_errors import Fit, cluster_error, no_fit, pooled_fit
from psychometrics.irt.quasi_likelihood import weights_at
from psychometrics.irt.transform import Array, Transform
from psychometrics.models.scores import ModelScores

TOLERANCE = 1e-12  # logits


class Theta(StrEnum):
    """The three estimates; each is compared with the same one of the model."""

    POOL = "theta.pool"
    PROMPT = "theta.prompt"
    QL = "theta.ql"


@dataclass(frozen=True)
class Found:
    """An estimate with what it rests on, and its error.

    `k` is the number of responses behind each logit, on average; NaN for theta.ql, which depends on none.
    """

    estimate: Estimate
    pairs: int
    people: int
    prompts: int
    error: FirstError
    k: float


def bounded(found: Found, a: Array, b: Array, p: Array) -> Found:
    """An ability, or where all the scores p (n,) it rests on are 1, or all 0, what bounds it."""
    return replace(found, estimate=unbounded(a, b, p) or found.estimate)


def cohort_theta(theta: Theta, pairs: Pairs, transform: Transform, *, nested: bool) -> Found:
    """The cohort's own estimate on all of its pairs (n,), of a study of this design."""
    own, k = group_theta(theta, pairs, transform, nested=nested), math.nan
    if theta is not Theta.QL:
        prompts = np.count_nonzero(np.bincount(pairs.prompt)) if theta is Theta.PROMPT else len(pairs)
        k = len(pairs) / prompts if prompts else math.nan
    return _found(own.estimate, own.error, pairs, k)


def model_theta(theta: Theta, pairs: Pairs, m: Array, k: float) -> Found:
    """The model's estimate on the cohort's pairs; `m` (n,) is its logit, or its score for theta.ql.

    Its error is clustered by prompt: one model, other prompts like these.
    """
    pairs, m = _present(pairs, m)
    places, n = _first_rows(pairs)
    rows, of_prompt = pairs.of(places), m[places]
    if theta is Theta.QL:
        fit = _weighted_quasi(rows, n, of_prompt)
    else:
        # A row stands for its n pairs as one summand with the n-fold weight; by prompt each counts once.
        root = np.sqrt(n) if theta is Theta.POOL else np.ones(len(n))
        fit = pooled_fit(replace(rows, a=root * rows.a, y=root * of_prompt))
    error = FirstError("se.prompt", cluster_error(fit, rows.prompt))
    return _found(estimated(fit.theta, error.found), error, pairs, k)


def difference(
    theta: Theta, pairs: Pairs, m: Array, k: float, transform: Transform, *, nested: bool
) -> Found:
    """Cohort minus model on the pairs whose prompt the model has a score on. `k` is the model's.

    People who answered just as the model did differ from it by 0 without a spread, not by a rounding error.
    """
    pairs, m = _present(pairs, m)
    moved = replace(pairs, b=-m / pairs.a)
    if theta is Theta.PROMPT:
        value, error = theta_prompt(moved, transform), first_prompt_error(moved, transform, nested=nested)
    else:
        fit = _quasi_difference(pairs, m) if theta is Theta.QL else pooled_fit(moved)
        value, error = fit.theta, first_error(fit, pairs, nested=nested)
    found = estimated(value, error.found)
    if found.se <= ROUNDING * float(np.abs(m).max(initial=1.0)):
        found = without_interval(value, Reason.NO_SPREAD)
    return _found(found, error, pairs, k)


def logits_of_model(
    theta: Theta, model: ModelScores, items: Codes, rng: np.random.Generator
) -> tuple[Array, float]:
    """What `model_theta` and `difference` compare with: m (n,) and the model's k.

    `items` (n,) are the bank positions of the pairs' prompts.
    """
    if theta is Theta.POOL:
        return model.single_logits[items], 1.0
    if theta is Theta.QL:
        return model.mean_p[items], math.nan
    responses = np.bincount(items, minlength=len(model.p))
    matched = model.matched_logits(responses, rng)
    seen = np.flatnonzero((responses > 0) & (model.epochs > 0))
    k = float(np.minimum(responses, model.epochs)[seen].mean()) if len(seen) else math.nan
    return matched[items], k


def _quasi_difference(pairs: Pairs, m: Array) -> Fit:
    """theta_QL of the cohort minus that of the model: each root moves by its scores over its slope."""
    places, n = _first_rows(pairs)
    rows = pairs.of(places)
    mean_scores = np.clip(np.bincount(pairs.prompt, pairs.p)[rows.prompt] / n, 0, 1)
    cohort = _weighted_quasi(rows, n, mean_scores)
    model = _weighted_quasi(rows, n, m[places])
    reason = cohort.reason or model.reason
    if reason is not None or cohort.bread == 0 or model.bread == 0:
        return no_fit(len(pairs), reason or Reason.NO_VARIATION)
    pi, information = weights_at(pairs.a, pairs.b, cohort.theta)
    of_cohort = pairs.p - pi
    of_model = m - weights_at(pairs.a, pairs.b, model.theta)[0]
    influence = pairs.a * (of_cohort / cohort.bread - of_model / model.bread)
    return Fit(cohort.theta - model.theta, influence, 1.0, Leverage.of_information(information))


def _first_rows(pairs: Pairs) -> tuple[Codes, Array]:
    """The place (R,) of one pair of each distinct prompt, and the number of pairs of that prompt."""
    n = np.bincount(pairs.prompt)
    place = np.zeros(len(n), dtype=np.int64)
    place[pairs.prompt] = np.arange(len(pairs))
    seen = np.flatnonzero(n)
    return place[seen], n[seen].astype(np.float64)


def _weighted_quasi(rows: Pairs, n: Array, p: Array) -> Fit:
    """theta_QL of rows (R,) with scores p, each n times; one summand per row."""
    mass, reached = float(n @ rows.a), float(n @ (rows.a * p))
    if not 0 < reached < mass:
        return no_fit(len(rows), Reason.NO_FINITE_SOLUTION if len(rows) else Reason.NOTHING_SCORED)
    # Where every pi is the weighted mean score, the sum has one sign; see psychometrics.irt.quasi_likelihood.
    edges = rows.b + logit(reached / mass) / rows.a

    def g(theta: float) -> float:
        return float(n @ (rows.a * (p - weights_at(rows.a, rows.b, theta)[0])))

    theta = float(brentq(g, edges.min() - 1, edges.max() + 1, xtol=TOLERANCE))
    pi, information = weights_at(rows.a, rows.b, theta)
    leverage = Leverage.of_information(n * information)
    return Fit(theta, n * rows.a * (p - pi), float(n @ information), leverage)


def _present(pairs: Pairs, m: Array) -> tuple[Pairs, Array]:
    """The pairs on whose prompt the model has a score."""
    kept = ~np.isnan(m)
    return (pairs, m) if kept.all() else (pairs.of(kept), m[kept])


def _found(estimate: Estimate, error: FirstError, pairs: Pairs, k: float) -> Found:
    people, prompts = (int(np.count_nonzero(np.bincount(codes))) for codes in (pairs.person, pairs.prompt))
    return Found(estimate, len(pairs), people, prompts, error, k)
