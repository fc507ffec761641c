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

Errors: by batch where every prompt lies in one of several batches (this holds the model's own noise on a
prompt, too), by people and prompts where batches overlap: other people and other prompts like these. With one
batch by people: other people, these prompts and these responses of the model. The design is paired, so an
easy set of prompts favours nobody.

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
from psychometrics.inference.clusters import ROUNDING, ClusterError, Codes, Leverage, cluster_codes
from psychometrics.inference.estimates import Estimate, Reason, unknown, without_interval
from psychometrics.inference.jackknife import (
    jackknife_error,
    prompt_thetas_without,
    theta_prompt,
    twoway_jackknife,
)
from psychometrics.inference.quasi_estimate import unbounded
from psychometrics.inference.standard_errors import (
    Fit,
    cluster_error,
    no_fit,
    pooled_fit,
    quasi_fit,
    twoway_error,
)
from psychometrics.inference.standard_errors_table import first_error
from psychometrics.irt.quasi_likelihood import weights_at
from psychometrics.irt.transform import Array, Transform
from psychometrics.models.scores import ModelScores

TOLERANCE = 1e-12  # logits


class Design(StrEnum):
    """What the error of a difference takes as independent."""

    BATCH = "batch"
    TWO_WAY = "twoway"
    PARTICIPANT = "participant"


class Theta(StrEnum):
    """The three estimates; each is compared with the same one of the model."""

    POOL = "theta.pool"
    PROMPT = "theta.prompt"
    QL = "theta.ql"


@dataclass(frozen=True)
class Found:
    """An estimate with what it rests on, and the degrees of freedom of its error.

    `k` is the number of responses behind each logit, on average; NaN for theta.ql, which depends on none.
    """

    estimate: Estimate
    pairs: int
    people: int
    prompts: int
    clusters: int
    df: float
    k: float


def bounded(found: Found, a: Array, b: Array, p: Array) -> Found:
    """An ability, or where all the scores p (n,) it rests on are 1, or all 0, what bounds it."""
    return replace(found, estimate=unbounded(a, b, p) or found.estimate)


def design_of(pairs: Pairs) -> Design:
    """How the error of this cohort is clustered; see the module."""
    placed = np.unique(np.stack([pairs.prompt, pairs.batch], axis=1), axis=0)
    nested = len(placed) == len(np.unique(pairs.prompt))
    return Design(first_error(nested=nested, batches=len(np.unique(pairs.batch))).removeprefix("se."))


def cohort_theta(theta: Theta, pairs: Pairs, design: Design, transform: Transform) -> Found:
    """The cohort's own estimate on all of its pairs (n,)."""
    return bounded(_cohort_theta(theta, pairs, design, transform), pairs.a, pairs.b, pairs.p)


def _cohort_theta(theta: Theta, pairs: Pairs, design: Design, transform: Transform) -> Found:
    if theta is Theta.PROMPT:
        return _by_prompt(pairs, design, transform)
    fit = pooled_fit(pairs) if theta is Theta.POOL else quasi_fit(pairs)
    k = 1.0 if theta is Theta.POOL else math.nan
    return _found(fit.theta, _error(fit, pairs, design), pairs, k, fit.reason)


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
        fit = _weighted_pool(rows, n if theta is Theta.POOL else np.ones(len(n)), of_prompt)
    return _found(fit.theta, cluster_error(fit, rows.prompt), pairs, k, fit.reason)


def difference(theta: Theta, pairs: Pairs, m: Array, k: float, design: Design, transform: Transform) -> Found:
    """Cohort minus model on the pairs whose prompt the model has a score on. `k` is the model's.

    People who answered just as the model did differ from it by 0 without a spread, not by a rounding error.
    """
    pairs, m = _present(pairs, m)
    if theta is Theta.QL:
        fit = _quasi_difference(pairs, m)
        found = _found(fit.theta, _error(fit, pairs, design), pairs, k, fit.reason)
    else:
        found = replace(_cohort_theta(theta, replace(pairs, b=-m / pairs.a), design, transform), k=k)
    rounding = ROUNDING * float(np.abs(m).max(initial=1.0))
    if not found.estimate.se <= rounding:
        return found
    return replace(found, estimate=without_interval(found.estimate.value, Reason.NO_SPREAD))


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


def _weighted_pool(rows: Pairs, n: Array, y: Array) -> Fit:
    """Pooled theta of rows (R,) with logits y, each n times; one summand per row."""
    root = np.sqrt(n)
    return pooled_fit(replace(rows, a=root * rows.a, y=root * y))


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


def _error(fit: Fit, pairs: Pairs, design: Design) -> ClusterError:
    if design is Design.TWO_WAY:
        return twoway_error(fit, pairs)
    return cluster_error(fit, pairs.batch if design is Design.BATCH else pairs.person)


def _by_prompt(pairs: Pairs, design: Design, transform: Transform) -> Found:
    prompts = np.count_nonzero(np.bincount(pairs.prompt))
    k = len(pairs) / prompts if prompts else math.nan
    if not len(pairs):
        return _found(math.nan, ClusterError(math.nan, 0, 0), pairs, k, Reason.NOTHING_SCORED)
    if design is Design.TWO_WAY:
        error = twoway_jackknife(pairs, transform)
    else:
        codes, number = cluster_codes(pairs.batch if design is Design.BATCH else pairs.person)
        error = jackknife_error(prompt_thetas_without(pairs, codes, number, transform), len(pairs))
    return _found(theta_prompt(pairs, transform), error, pairs, k, None)


def _found(theta: float, error: ClusterError, pairs: Pairs, k: float, reason: Reason | None) -> Found:
    estimate = unknown(reason) if reason is not None else error.around(theta)
    people, prompts = (int(np.count_nonzero(np.bincount(codes))) for codes in (pairs.person, pairs.prompt))
    return Found(estimate, len(pairs), people, prompts, error.clusters, error.df, k)
