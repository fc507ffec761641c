"""The block dif: how far answers are off what the person's other answers let expect."""

import math
from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from scoring.export.recomputing.estimators import Root, cluster_variance, codes_of, with_error
from scoring.export.recomputing.formulas import formula
from scoring.export.recomputing.people import chi_square_below, own_thetas
from scoring.export.recomputing.places import holm, p_of
from scoring.export.recomputing.process import ABILITIES, STEPS, Process, expected_of, judged
from scoring.export.recomputing.reading import Z_95, Array, Rows, Run, Values
from scoring.export.recomputing.slices import in_part
from scoring.export.recomputing.uncertainty import twoway_of

MOST_STEPS, STEP, FEWEST_REPEATS = 16, 0.25, 100
SHARE_STEP = 0.01  # of the share of confidences at 1
LEAST_SD = 0.1  # of abilities between people


@dataclass(frozen=True, eq=False)
class Shifts:
    """Of each pair (n,) its residual, its expectation and its variance under the process.

    `change` (n, 2) is what the residual changes by for one more logit of the SD of deviations and one more of
    the share of confidences at 1, `pull` what the pair moves both by. `prior_change` (n, 2), that of the
    variance and `prior_pull` are the same of the parameters of the normal distribution of abilities, the
    pull that of the person.
    """

    rows: Rows
    process: Process
    r: Array
    expected: Array
    variance: Array
    change: Array
    pull: Array
    prior_change: Array
    prior_variance_change: Array
    prior_pull: Array

    def through_prior(self, gradient: Array, used: Array) -> Array:
        """What used pairs move a number with this gradient (2,) by, each an equal part of its person's."""
        person, people = codes_of(self.rows.person[used])
        whole = self.prior_pull[used] @ gradient
        found: Array = whole / np.bincount(person, minlength=people)[person]
        return found

    @property
    def within(self) -> tuple[Array, Array]:
        """(n,): residuals within prompts, and the share of a variance that is left there."""
        codes, _ = codes_of(self.rows.prompt)
        n = np.bincount(codes)
        return self.r - (np.bincount(codes, self.r) / n)[codes], (1 - 1 / n)[codes]

    @property
    def beyond(self) -> Array:
        """(n,): squared residuals within prompts less what is expected of them."""
        within, share = self.within
        found: Array = within**2 - share * self.variance
        return found


def likelihood(reached: Array, mean: Array, variance: Array, third: Array) -> Array:
    """(n, G), constant without an answer: normal, with the first term for the skewness of a sum."""
    known = variance[:, :1] > 0
    safe = np.where(known, variance, 1)
    z = (reached[:, None] - mean) / np.sqrt(safe)
    bound = np.minimum(np.maximum(z, -5), 5)
    skewness = np.minimum(np.maximum(third / safe**1.5, -1), 1)
    skewed = np.maximum(1 + skewness / 6 * bound * (bound**2 - 3), 0.1)
    log = np.where(known, np.log(skewed) - z**2 / 2 - np.log(safe) / 2, 0)
    found: Array = np.exp(log - log.max(axis=1, keepdims=True))
    return found


def prior_of(likelihoods: Array) -> tuple[float, Array]:
    """The standard deviation of abilities and their weights on the grid, normal, by EM."""
    mean, sd = 0.0, 1.0
    for _ in range(500):
        weights = normal(mean, sd)
        shared = weights * (likelihoods.T @ (1 / (likelihoods @ weights))) / len(likelihoods)
        before = (mean, sd)
        mean = float(shared @ ABILITIES)
        sd = max(math.sqrt(float(shared @ (ABILITIES - mean) ** 2)), LEAST_SD)
        if abs(mean - before[0]) + abs(sd - before[1]) < 1e-5:
            break
    return sd, normal(mean, sd)


def normal(mean: float, sd: float) -> Array:
    weights = np.exp(-(((ABILITIES - mean) / sd) ** 2) / 2)
    found: Array = weights / weights.sum()
    return found


@cache
def shifts_of(run: Run) -> Shifts:
    """With the SD of deviations at which answers to a prompt scatter as much as expected."""
    process, prompts = judged(run), run.cohort.pairs.prompt
    if len(prompts) - len(set(prompts.tolist())) < FEWEST_REPEATS:
        alone = under(run, process)
        return with_share(run, alone, alone, 0.0)
    tried = {}
    low, high = -1, MOST_STEPS + 1  # more scatter than expected at `low`, not so at `high`
    while high - low > 1:
        middle = (low + high) // 2
        tried[middle] = under(run, replace(process, deviation=middle * STEP))
        low, high = (middle, high) if tried[middle].beyond.sum() > 0 else (low, middle)
    if low < 0 or high > MOST_STEPS:
        return with_share(run, tried[max(low, 0)], tried[max(low, 0)], 0.0)
    below, above = tried[low], tried[high]
    rate = STEP / float(below.beyond.sum() - above.beyond.sum())
    part = float(below.beyond.sum()) * rate / STEP

    def between(name: str) -> Array:
        found: Array = (1 - part) * getattr(below, name) + part * getattr(above, name)
        return found

    names = ("r", "expected", "variance", "prior_change", "prior_variance_change", "prior_pull")
    found = replace(
        below, process=replace(process, deviation=(low + part) * STEP), **{one: between(one) for one in names}
    )
    within, share = found.within
    gradient = 2 * within @ found.prior_change - share @ found.prior_variance_change
    pull = rate * (found.beyond + found.through_prior(gradient, np.ones(len(prompts), dtype=bool)))
    found.change[:, 0], found.pull[:, 0] = (above.r - below.r) / STEP, pull
    return with_share(run, found, below, rate)


def with_share(run: Run, found: Shifts, near: Shifts, rate: float) -> Shifts:
    """With what the share of confidences at 1 has to do with the residuals and the fitted SD."""
    rows = run.cohort.pairs
    met, certain = rows.certain > 0, np.zeros(len(rows))
    ratios = rows.p[met] / rows.certain[met] > 1 - 0.5 / STEPS
    certain[met] = (ratios - ratios.mean()) / len(ratios) if len(ratios) else 0
    if not certain.any():
        return found
    step = SHARE_STEP if near.process.certain >= SHARE_STEP else -SHARE_STEP  # upwards where 0 is nearer
    less = under(run, replace(near.process, certain=near.process.certain - step))
    change, pull = found.change.copy(), found.pull.copy()
    change[:, 1], pull[:, 1] = (near.r - less.r) / step, certain
    pull[:, 0] += rate * float(near.beyond.sum() - less.beyond.sum()) / step * certain
    return replace(found, change=change, pull=pull)


def under(run: Run, process: Process) -> Shifts:
    """Expected from the other answers of the person, under this process."""
    rows, table = run.cohort.pairs, expected_of(run, process)
    person, people = codes_of(rows.person)
    a, y = rows.a[:, None], run.logit(rows.p)
    mean, variance, third = (one[rows.prompt] for one in (table.mean, table.variance, table.third))
    reached = np.bincount(person, rows.a * y, minlength=people)
    sum_mean, sum_variance, sum_third = np.zeros((3, people, len(ABILITIES)))
    np.add.at(sum_mean, person, a * mean)
    np.add.at(sum_variance, person, a**2 * variance)
    np.add.at(sum_third, person, a**3 * third)
    of_people = likelihood(reached, sum_mean, sum_variance, sum_third)
    sd, prior = prior_of(of_people)
    others = (np.bincount(person) > 1)[person][:, None]
    weights = prior * likelihood(
        reached[person] - rows.a * y, sum_mean[person] - a * mean,
        np.where(others, sum_variance[person] - a**2 * variance, 0), sum_third[person] - a**3 * third,
    )  # fmt: skip
    weights = weights / weights.sum(axis=1, keepdims=True)
    expected = (weights * mean).sum(axis=1)
    scatter = (weights * (variance + mean**2)).sum(axis=1) - expected**2
    powers = np.stack([ABILITIES, ABILITIES**2 if sd > LEAST_SD else 0 * ABILITIES], axis=1)
    powers -= prior @ powers
    of_weights, squares = weights @ powers, weights * (variance + mean**2)
    of_mean = (weights * mean) @ powers - expected[:, None] * of_weights
    of_scatter = (
        squares @ powers - squares.sum(axis=1)[:, None] * of_weights - 2 * expected[:, None] * of_mean
    )
    pull = pull_on_prior(of_people * prior, prior, powers)[person]
    change, moved = np.zeros((len(rows), 2)), np.zeros((len(rows), 2))
    return Shifts(
        rows, process, y - expected, expected, scatter, change, moved, -of_mean, of_scatter, pull
    )  # fmt: skip


def pull_on_prior(posterior: Array, prior: Array, powers: Array) -> Array:
    """(P, 2): scores of people over the information, for log weights with slopes `powers`."""
    posterior = posterior / posterior.sum(axis=1, keepdims=True)
    score = posterior @ powers
    known = len(score) * (powers.T * prior) @ powers + score.T @ score
    pull: Array = score @ np.linalg.pinv(known - (powers.T * posterior.sum(axis=0)) @ powers)
    return pull


@dataclass(frozen=True, eq=False)
class PromptShifts:
    """Of each prompt its mean residual and that mean's variance by the residual SD that people share.

    `mean` and `between` are mean and variance of the true shifts.
    """

    prompt: Array
    d: Array
    v: Array
    q: float
    mean: float
    between: float


@cache
def by_prompt_shifts(run: Run) -> PromptShifts:
    """The variance between prompts by DerSimonian and Laird."""
    found = shifts_of(run)
    codes, _ = codes_of(found.rows.prompt)
    n = np.bincount(codes)
    d, v = np.bincount(codes, found.r) / n, own_thetas(run).residual / n
    w = 1 / v
    q = float(w @ (d - w @ d / w.sum()) ** 2)
    between = max(0.0, (q - (len(d) - 1)) / float(w.sum() - w @ w / w.sum()))
    inside = 1 / (between + v)
    mean = float(inside @ d / inside.sum())
    return PromptShifts(np.unique(found.rows.prompt), d, v, q, mean, between)


@formula("dif", "dif.sd")
def spread_of_shifts(run: Run, row: Values) -> Values:
    """The ends are where the observed Q is an extreme of its approximate distribution."""
    found = by_prompt_shifts(run)
    w = 1 / found.v
    share = w / w.sum()
    expected = (found.between + found.v) * w * (1 - share)
    off = w * (found.d - share @ found.d) ** 2 - expected
    k = len(found.d)
    phi = max(1.0, k / (k - 1) * float(off @ off) / moments_of_q(found.between, found.v)[1])
    low, high = (math.sqrt(variance_where(found.q, found.v, part, phi)) for part in (0.975, 0.025))
    ends = {"low": low, "high": high} if high else {}  # none where prompts differ less than by chance
    return {"value": math.sqrt(found.between), "prompts": k} | ends


def moments_of_q(variance: float, v: Array) -> tuple[float, float]:
    """Mean and variance of Q at this variance between prompts, were all of it normal."""
    w, total = 1 / v, variance + v
    s1, s2 = float(w.sum()), float(w**2 @ total)
    spread = 2 * (float(w**2 @ total**2) - 2 * float(w**3 @ total**2) / s1 + (s2 / s1) ** 2)
    return float(w @ total) - s2 / s1, spread


def variance_where(q: float, v: Array, probability: float, phi: float) -> float:
    """The variance between prompts at which P(Q <= q) is this probability, by halving."""

    def below(variance: float) -> float:
        mean, spread = moments_of_q(variance, v)
        return chi_square_below(2 * mean * q / (phi * spread), 2 * mean**2 / (phi * spread))

    low, high = 0.0, float(v.max())
    if below(0.0) <= probability:
        return 0.0
    while below(high) > probability:
        high *= 2
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if below(middle) > probability else (low, middle)
    return (low + high) / 2


@formula("dif", "dif.items_flagged")
def flagged_prompts(run: Run, row: Values) -> Values:
    found = by_prompt_shifts(run)
    flagged = np.abs(found.d / np.sqrt(found.v)) > Z_95
    return {
        "value": float(flagged.mean()), "n": len(found.d), "details": {"flagged": int(flagged.sum())}
    }  # fmt: skip


@formula("dif", "dif.items_flagged.holm")
def flagged_prompts_by_holm(run: Run, row: Values) -> Values:
    flagged = flagged_by_holm(run)
    facts = {"flagged": int(flagged.sum())}
    return {"value": float(flagged.mean()), "n": len(flagged), "details": facts}


def flagged_by_holm(run: Run) -> Array:
    """Of each prompt with an answer: the lowest p as long as p_(l) (m - l + 1) is at most 5 %."""
    found = by_prompt_shifts(run)
    p = np.array([math.erfc(abs(z) / math.sqrt(2)) for z in found.d / np.sqrt(found.v)])
    order = np.argsort(p, kind="stable")
    low = p[order] * np.arange(len(p), 0, -1) <= 0.05
    flagged = np.zeros(len(p), dtype=bool)
    flagged[order[np.cumprod(low).astype(bool)]] = len(p) > 1
    return flagged


@formula("dif", "dif.item")
def shift_of_prompt(run: Run, row: Values) -> Values:
    """Drawn to the mean of all by its unreliability."""
    found = by_prompt_shifts(run)
    names = [run.prompts[place]["prompt_id"] for place in found.prompt]
    here = names.index(row["prompt_id"])
    share = found.between / (found.between + found.v[here])
    value, se = float(found.mean + share * (found.d[here] - found.mean)), math.sqrt(share * found.v[here])
    z = found.d / np.sqrt(found.v)
    p = np.array([math.erfc(abs(one) / math.sqrt(2)) for one in z])
    facts = {
        "raw": float(found.d[here]),
        "z": float(z[here]),
        "p": float(p[here]),
        "p_holm": float(holm(p)[here]),
    }
    return {"value": value, "se": se, "low": value - Z_95 * se, "high": value + Z_95 * se, "details": facts}


def designed_error(run: Run, value: float, influence: Array, rows: Rows) -> Values:
    """By batch where every prompt with item parameters is in one batch only, else two-way."""
    known = run.cohort.of(~np.isnan(run.cohort.a))
    places = set(zip(known.prompt.tolist(), known.batch.tolist(), strict=True))
    root = Root(value, influence, 1.0)
    if len(places) > len({prompt for prompt, _ in places}):
        return twoway_of(root, rows)
    return with_error(value, cluster_variance(root, rows.batch), len(set(rows.batch.tolist())))


@formula("dif", "dif.group")
def shift_of_group(run: Run, row: Values) -> Values:
    """With p by itself and, after Holm's correction, among all parts of its kind."""
    found, p = shift_of_part(run, row["subset"]), p_of_parts(run, row["subset"].partition(":")[0])
    names = list(p)
    adjusted = holm(np.array([p[name] for name in names], dtype=float))[names.index(row["subset"])]
    return found | {"details": {"p": p[row["subset"]], "p_holm": float(adjusted)}}


@cache
def p_of_parts(run: Run, kind: str) -> dict[str, float]:
    """The p of each part of a kind that has a row: categories, modalities, or profiles on categories."""
    rows = [
        one for one in run.measures if one["name"] == "dif.group" and one["subset"].startswith(f"{kind}:")
    ]
    return {
        one["subset"]: math.nan if one["value"] is None else p_of(shift_of_part(run, one["subset"]))
        for one in rows
    }


@cache
def shift_of_part(run: Run, subset: str) -> Values:
    """Mean residual of a part; of a profile on a category, compared with elsewhere and with others."""
    found, rows = shifts_of(run), shifts_of(run).rows
    parts = [in_part(run, rows, *one.split(":", 1)) for one in subset.split("/", 1)]
    cells = [(parts[0], 1.0)]
    if len(parts) > 1:
        who, what = parts
        cells = [(who & what, 1.0), (who & ~what, -1.0), (~who & what, -1.0), (~who & ~what, 1.0)]
    value, weights, left = 0.0, np.zeros(len(rows)), np.zeros(len(rows))
    for cell, sign in cells:
        value += sign * float(found.r[cell].mean())
        weights[cell], left[cell] = sign / cell.sum(), found.r[cell] - found.r[cell].mean()
    used = np.logical_or.reduce([cell for cell, _ in cells])
    influence = (weights * left)[used] + found.through_prior(weights @ found.prior_change, used)
    return {"n": int(used.sum())} | designed_error(run, value, influence, rows.of(used))


@formula("dif", "dif.slope", "dif.slope.expected", "dif.slope.excess")
def slope_of_answers(run: Run, row: Values) -> Values:
    """Least squares on a and -a b, without a constant: of answers, of expectations, of residuals."""
    found, rows = shifts_of(run), shifts_of(run).rows
    design = np.stack([rows.a, -rows.a * rows.b], axis=1)
    lever = np.linalg.solve(design.T @ design, design.T)
    if row["name"] != "dif.slope.excess":
        outcome = run.logit(rows.p) if row["name"] == "dif.slope" else found.expected
        return {"value": float(lever[1] @ outcome)}
    slopes = lever @ found.r
    if len(np.unique(design, axis=0)) < 3:  # a line goes through any two prompts
        return {"value": float(slopes[1])}
    influence = lever[1] * (found.r - design @ slopes) + found.pull @ (lever[1] @ found.change)
    influence += found.through_prior(lever[1] @ found.prior_change, np.ones(len(rows), dtype=bool))
    return designed_error(run, float(slopes[1]), influence, rows)
