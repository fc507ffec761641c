"""Delete-one-group jackknife of estimates that are no sum over answers: theta.prompt and theta_QL.

    V = (G - 1) / G sum_g (theta_(g) - mean_g theta_(g))^2,      interval theta +- t_{G - 1} sqrt(V)

theta_(g) is the estimate without group g. theta.prompt takes the logit of the mean score of each prompt

    theta = sum_j a_j (y(pbar_j) + a_j b_j) / sum_j a_j^2

so that leaving out a group changes only the prompts it answered: all G estimates cost one pass over the
pairs. Groups are people (other people, these prompts) or, where people and prompts lie within batches, these
(other people and prompts). With few answers a prompt, leaving out one person can take a mean to 0 or 1, where
the logit jumps: theta.prompt by people is then too wide (by a third at 4 to 5 answers, benchmarks/
interval_coverage.py). By batches whole prompts leave, and nothing jumps. For crossed designs

    V = V_I + max(V_P - V_PI, 0)        over prompts I, people P and single answers PI:

what people add to the error by prompts is a difference in which the jumps cancel, so V_P is no floor here.
Sources: Tukey (1958); for clusters MacKinnon, Nielsen and Webb (arXiv 2406.08880).
"""

import math

import numpy as np

from psychometrics.data.cohort import Pairs
from psychometrics.inference.clusters import ROUNDING, ClusterError, Codes, cluster_codes
from psychometrics.inference.estimates import Reason
from psychometrics.irt.quasi_likelihood import theta_ql, weights_at
from psychometrics.irt.transform import Array, Transform

NEWTON_STEPS = 50
CLOSE = 1e-10  # logits
CELLS_AT_ONCE = 300_000


def theta_prompt(pairs: Pairs, transform: Transform) -> float:
    """theta.prompt: mean score per prompt, then the logit; NaN without a pair."""
    above, below = _prompt_sums(pairs, transform)
    return float(above.sum() / below.sum()) if below.sum() > 0 else math.nan


def prompt_information(pairs: Pairs) -> float:
    """Sum of a^2 over the distinct prompts: what the analytic error of theta.prompt rests on."""
    _, first = np.unique(pairs.prompt, return_index=True)
    return float(pairs.a[first] @ pairs.a[first])


def prompt_thetas_without(pairs: Pairs, groups: Codes, number: int, transform: Transform) -> Array:
    """theta.prompt without each of groups 0 .. number - 1, shape (number,); NaN where nothing is left."""
    prompts, asked = cluster_codes(pairs.prompt)
    answers, sums = np.bincount(prompts, minlength=asked), np.bincount(prompts, pairs.p, minlength=asked)
    above, below = _prompt_sums(pairs, transform)
    cells, cell = np.unique(groups * asked + prompts, return_inverse=True)
    group, prompt = cells // asked, cells % asked
    left = answers[prompt] - np.bincount(cell)
    rest = sums[prompt] - np.bincount(cell, pairs.p)
    mean = np.clip(rest / np.maximum(left, 1), 0, 1)
    a = np.zeros(asked)
    a[prompts] = pairs.a
    b = np.zeros(asked)
    b[prompts] = pairs.b
    a, b = a[prompt], b[prompt]
    still_above = np.where(left > 0, a * (transform.to_logit(mean) + a * b), 0)
    still_below = np.where(left > 0, a**2, 0)
    above_without = above.sum() + np.bincount(group, still_above - above[prompt], minlength=number)
    below_without = below.sum() + np.bincount(group, still_below - below[prompt], minlength=number)
    empty = np.bincount(groups, minlength=number) == len(pairs)
    return np.where(empty, np.nan, above_without / np.where(empty, 1, below_without))


def quasi_thetas_without(pairs: Pairs, groups: Codes, number: int) -> Array:
    """theta_QL without each group, shape (number,); NaN where the rest has no finite one."""
    prompts, asked = cluster_codes(pairs.prompt)
    a, b = np.zeros(asked), np.zeros(asked)
    a[prompts], b[prompts] = pairs.a, pairs.b
    answers = np.bincount(prompts, minlength=asked).astype(np.float64)
    cells = np.bincount(groups * asked + prompts, minlength=number * asked).reshape(number, asked)
    scored = pairs.a @ pairs.p - np.bincount(groups, pairs.a * pairs.p, minlength=number)
    start = theta_ql(pairs.a, pairs.b, pairs.p)
    rows = max(1, CELLS_AT_ONCE // max(asked, 1))
    parts = [
        _quasi_roots(a, b, answers - cells[at : at + rows], scored[at : at + rows], start)
        for at in range(0, number, rows)
    ]
    return np.concatenate(parts)


def jackknife_error(without: Array, n: int) -> ClusterError:
    """The error from estimates without each group (G,), of `n` pairs."""
    clusters = len(without)
    if clusters < 2:
        return ClusterError(math.nan, n, clusters, Reason.ONE_CLUSTER if clusters else Reason.NOTHING_SCORED)
    if np.isnan(without).any():
        return ClusterError(math.nan, n, clusters, Reason.UNSTABLE)
    variance = (clusters - 1) / clusters * float(((without - without.mean()) ** 2).sum())
    if variance <= (ROUNDING * max(float(np.abs(without).max()), 1.0)) ** 2:  # rounding errors of logits
        return ClusterError(math.nan, n, clusters, Reason.NO_SPREAD)
    return ClusterError(math.sqrt(variance), n, clusters)


def prompt_jackknife(pairs: Pairs, groups: Codes, transform: Transform) -> ClusterError:
    """The error of theta.prompt by group labels (n,)."""
    return jackknife_error(prompt_thetas_without(pairs, *cluster_codes(groups), transform), len(pairs))


def twoway_jackknife(pairs: Pairs, transform: Transform) -> ClusterError:
    """The error of theta.prompt by people and prompts at once; refused with one batch."""
    (people, number), (prompts, asked) = map(cluster_codes, (pairs.person, pairs.prompt))
    n, clusters = len(pairs), min(number, asked)
    if clusters < 2 or len(np.unique(pairs.batch)) < 2:
        return ClusterError(math.nan, n, clusters, Reason.ONE_CLUSTER if n else Reason.NOTHING_SCORED)
    by_person, by_prompt, by_pair = (
        jackknife_error(prompt_thetas_without(pairs, groups, count, transform), n)
        for groups, count in ((people, number), (prompts, asked), (np.arange(n), n))
    )
    if by_person.reason or by_prompt.reason or by_pair.reason:
        return ClusterError(math.nan, n, clusters, by_person.reason or by_prompt.reason or by_pair.reason)
    variance = by_prompt.se**2 + max(by_person.se**2 - by_pair.se**2, 0.0)
    return ClusterError(math.sqrt(variance), n, clusters)


def _prompt_sums(pairs: Pairs, transform: Transform) -> tuple[Array, Array]:
    """Sums a (y + a b) and a^2 of each distinct prompt, in the order of their numbers."""
    prompts, asked = cluster_codes(pairs.prompt)
    _, first = np.unique(prompts, return_index=True)
    means = np.bincount(prompts, pairs.p, minlength=asked) / np.bincount(prompts, minlength=asked)
    a, b = pairs.a[first], pairs.b[first]
    return a * (transform.to_logit(np.clip(means, 0, 1)) + a * b), a**2


def _quasi_roots(a: Array, b: Array, answers: Array, scored: Array, start: float) -> Array:
    """Roots (r,) of sum_j a_j n_gj pi_j(theta) = scored_g by Newton from the estimate of all pairs.

    NaN where Newton does not arrive: the rest has no finite root, or it is far from that of all pairs.
    """
    theta = np.full(len(scored), start)
    most = answers @ a
    solvable = (scored > ROUNDING * most) & (scored < (1 - ROUNDING) * most)
    theta[~solvable] = np.nan
    for _ in range(NEWTON_STEPS):
        pi, information = weights_at(a, b, theta[solvable, np.newaxis])
        g = scored[solvable] - ((a * pi) * answers[solvable]).sum(axis=1)
        h = (information * answers[solvable]).sum(axis=1)
        step = np.divide(g, h, out=np.full(len(h), np.nan), where=h > 0)
        theta[solvable] += np.clip(step, -1, 1)
        if not (np.abs(step) > CLOSE).any():
            return theta
    theta[solvable] = np.where(np.abs(step) > CLOSE, np.nan, theta[solvable])
    return theta
