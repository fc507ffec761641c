"""DIF of groups of prompts: is a category, a modality, or a profile on a category off what is expected?

Part        D_c = mean of r over the pairs of the part
Contrast    D_gc = (mean r of g on c - of g elsewhere) - (mean r of the others on c - of the others elsewhere)
Error       CR2 of the influence of each pair, (r - its cell's mean) / size of the cell, by batch where every
            prompt is in one batch only (`nested`), with its t; else two-way (`standard_errors`)
Slope       least squares of r on (a, -a b), clustered alike: a slope on -a b away from 0 says that the axis
            of difficulty is compressed (below 0) or stretched for people
Fitted      what is expected rests on numbers x fitted to the same answers (`dif`): influence psi_k +
            sum_x (d value / d x) psi_k^x, x the distribution of abilities, and for the slope the SD of
            deviations and the share of confidences at 1, too

A profile is compared within itself, as its mean residual is a matter of ability, not of prompts.

Where the correlation of an answer's criteria is not known (`fit.criteria`), all is computed at the value
taken and at both ends of what is possible, and nothing is flagged that does not hold at all three.

Flags: which prompts may be off, by themselves or by a group they are in, and what is left without them.

Prompt      p_j = 2 Phi(-|z_j|), z_j from `dif.item_dif`; flagged where Holm's adjusted p over all prompts
            with an answer is at most 5 %: false alarms are few, and so are those found
            with four or five answers to a prompt
Group       every prompt of a flagged category or modality (`dif_groups`, Holm within the family)
Extreme     |a b| > 6.5: uniformly passed or failed by the models of the calibration
Any         all of these together

A flag is a reason to look at the result without the prompt, never to drop it: p is approximate, as single
answers are not normal, and with no DIF at all one study in four flags a prompt. Where all answers are to one
prompt its shift cannot be told from ability: not tested.

Sources: Cameron, Gelbach and Miller (2011) for the errors; Lim, Choe and Han (2022) for residual DIF.
"""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import ndtr, stdtr

from psychometrics.data.cohort import Codes, Cohort, Mask, Pairs
from psychometrics.dif.prompts import Deviation, FittedPrior, ItemDif
from psychometrics.inference.clusters import ROUNDING, Array, ClusterError, Leverage
from psychometrics.inference.estimates import Estimate, Reason, unknown
from psychometrics.inference.holm import holm
from psychometrics.inference.standard_errors import Fit, cluster_error, twoway_error

MIN_PROMPTS = 3  # that differ in their parameters: a line goes through any two
LEVEL = 0.05
EXTREME = 6.5
MIN_TESTED = 2  # prompts; one prompt's shift cannot be told from ability
MIN_PAIRS = 10  # of a cell; with fewer its mean is that of a few answers


@dataclass(frozen=True)
class GroupDif:
    """A shift in logits of y with its interval; `p` is two-sided against no shift, NaN without an error.

    Counts are None where they would tell of too few.
    """

    estimate: Estimate
    p: float
    n: int | None
    clusters: int | None


def held_by_all(group_difs: Sequence[GroupDif]) -> GroupDif:
    """The first of the same shift under processes that are all possible, as far as all of them bear it out.

    Its interval reaches over all of theirs, and p is the largest of them; 1 where they differ in sign.
    """
    first = group_difs[0]
    if len(group_difs) == 1 or math.isnan(first.p):
        return first
    low, high = (
        min(dif.estimate.low for dif in group_difs),
        max(dif.estimate.high for dif in group_difs),
    )
    sides = {dif.estimate.value > 0 for dif in group_difs}
    p = 1.0 if len(sides) > 1 else max(dif.p for dif in group_difs)
    return replace(first, estimate=replace(first.estimate, low=low, high=high), p=p)


def _design_error(
    value: float, influence: Array, leverage: Leverage, pairs: Pairs, nested: bool
) -> ClusterError:
    """The error of a value with these influences (n,): by batch where prompts are nested, else two-way."""
    fit = Fit(value, influence, 1.0, leverage)
    return cluster_error(fit, pairs.batch) if nested else twoway_error(fit, pairs)


def mean_shift(
    r: Array, pairs: Pairs, part: Mask, *, nested: bool, prior: FittedPrior | None = None
) -> GroupDif:
    """Mean residual of the pairs of a mask (n,); the error includes that of a `prior` fitted to the pairs."""
    return _contrast(r, pairs, [(part, 1.0)], nested, prior)


def profile_shift(
    r: Array, pairs: Pairs, focal: Mask, part: Mask, *, nested: bool, prior: FittedPrior | None = None
) -> GroupDif:
    """How much more the focal people are off on a part than elsewhere, compared with the other people."""
    cells = [(focal & part, 1.0), (focal & ~part, -1.0), (~focal & part, -1.0), (~focal & ~part, 1.0)]
    return _contrast(r, pairs, cells, nested, prior)


def _contrast(
    r: Array, pairs: Pairs, cells: list[tuple[Mask, float]], nested: bool, prior: FittedPrior | None = None
) -> GroupDif:
    """A sum of signed means of residuals over cells that do not overlap."""
    sizes = [int(cell.sum()) for cell, _ in cells]
    used = np.logical_or.reduce([cell for cell, _ in cells])
    if min(sizes) < MIN_PAIRS:
        return GroupDif(unknown(Reason.TOO_FEW_PAIRS), math.nan, sum(sizes), 0)
    value, weights, left = 0.0, np.zeros(len(r)), np.zeros(len(r))
    columns = np.zeros((len(r), len(cells)))
    for column, ((cell, sign), size) in enumerate(zip(cells, sizes, strict=True)):
        mean = float(r[cell].mean())
        value += sign * mean
        weights[cell], left[cell] = sign / size, _off(r[cell], mean)
        columns[cell, column] = size**-0.5
    influence = (weights * left)[used]
    if prior is not None and influence.any():
        influence += prior.moved(weights @ prior.change, used)
    leverage = Leverage.of_weights(weights[used], columns[used])
    return _tested(value, _design_error(value, influence, leverage, pairs.of(used), nested))


def _off(r: Array, fitted: Array | float) -> Array:
    """What a fit leaves of residuals (n,); exactly 0 where that is a rounding error."""
    left = r - fitted
    return np.where(np.abs(left) > ROUNDING * np.abs(r), left, 0.0)


def _tested(value: float, error: ClusterError) -> GroupDif:
    p = math.nan if error.reason else float(2 * stdtr(error.df, -abs(value) / error.se))
    return GroupDif(error.around(value), p, error.n, error.clusters)


@dataclass(frozen=True)
class ScaleInvariance:
    """Slope of people's answers on -a b, and of what was expected of them; `excess` is their difference."""

    observed: float
    expected: float
    excess: GroupDif


def scale_invariance(
    r: Array,
    expected: Array,
    pairs: Pairs,
    *,
    nested: bool,
    deviation: Deviation | None = None,
    prior: FittedPrior | None = None,
) -> ScaleInvariance:
    """The same regression on (a, -a b), without a constant, of answers, expectations and residuals (n,).

    The error includes those of a `deviation` and a `prior` that were fitted to the same pairs.
    """
    design = np.stack([pairs.a, -pairs.a * pairs.b], axis=1)
    gram = design.T @ design
    if np.linalg.matrix_rank(gram) < 2:
        nothing = GroupDif(unknown(Reason.NO_VARIATION), math.nan, len(r), 0)
        return ScaleInvariance(math.nan, math.nan, nothing)
    lever = np.linalg.solve(gram, design.T)
    fitted = lever @ r
    slope = float(fitted[1])
    influence = lever[1] * _off(r, design @ fitted)
    if deviation is not None:
        influence += deviation.influence @ (lever[1] @ deviation.change)
    if prior is not None and influence.any():
        influence += prior.moved(lever[1] @ prior.change, np.ones(len(r), dtype=bool))
    leverage = Leverage.of_weights(lever[1], design @ np.linalg.cholesky(np.linalg.inv(gram)))
    error = _design_error(slope, influence, leverage, pairs, nested)
    if len(np.unique(design, axis=0)) < MIN_PROMPTS:
        error = replace(error, se=math.nan, reason=Reason.TOO_FEW_PROMPTS)
    excess = _tested(slope, error)
    return ScaleInvariance(float(lever[1] @ pairs.y), float(lever[1] @ expected), excess)


def part_masks(labels: list[str], prompt: Codes) -> dict[str, Mask]:
    """The pairs (n,) of each named label of prompts (J,), sorted by name; without those without a label."""
    names = np.array(labels, dtype=np.str_)
    return {name: (names == name)[prompt] for name in sorted(set(labels) - {""})}


def prompt_p_values(items: ItemDif) -> tuple[Array, Array]:
    """Two-sided p of each prompt (J,) and Holm's adjusted p over all of them; NaN where it is not tested."""
    p = 2 * ndtr(-np.abs(items.z))
    if len(p) < MIN_TESTED:
        p = np.full(len(p), np.nan)
    return p, holm(p)


def flags_of(
    cohort: Cohort, items: ItemDif, *, categories: Collection[str], modalities: Collection[str]
) -> Mapping[str, Mask]:
    """Masks (J,) over the cohort's prompts: what each kind of flag is on, and `any` of them.

    `categories` and `modalities` are those that are flagged.
    """
    by_themselves = np.zeros(len(cohort.prompts), dtype=bool)
    by_themselves[items.prompt[prompt_p_values(items)[1] <= LEVEL]] = True
    flags = {
        "flagged-categories": np.array(
            [prompt.category in categories for prompt in cohort.prompts], dtype=bool
        ),
        "flagged-modalities": np.array(
            [prompt.modality in modalities for prompt in cohort.prompts], dtype=bool
        ),
        "flagged-prompts": by_themselves,
        "extreme": np.abs(np.nan_to_num(cohort.a * cohort.b)) > EXTREME,
    }
    return flags | {"any-flag": np.logical_or.reduce(list(flags.values()))}
