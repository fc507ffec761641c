"""What one response to an item is expected to be, E_j(theta), and how it scatters, V_j(theta) and S_j(theta).

Logits of single responses are not a (theta - b) + noise of one variance: near the ends of the scale they are
stretched and scatter less. So residuals of single responses are taken against tables of an assumed process of
responding (DGP-R, `psychometrics.irt.responses`) and hold for that process only. The number of criteria of
each item is the cohort's own, and so are the judge's confidences; the correlation of criteria is that of
the models' epochs (`fit.criteria`), the SD of deviations is fitted to the cohort (`dif.fitted_residuals`),
the rest is assumed.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from psychometrics.data.cohort import Codes, Cohort
from psychometrics.irt.bank import ItemBank
from psychometrics.irt.responses import (
    LEVELS,
    TARGETS,
    ResponseProcess,
    RubricResponses,
    expected_powers_of_targets,
)
from psychometrics.irt.transform import Array

GRID = np.linspace(-7, 7, 71)  # abilities in logits: steps of 0.2
ASSUMED = ResponseProcess()
VARIANCE_FLOOR = 0.05  # logits^2: where nearly every response is 0, one that is not is rare, not impossible
MAX_CRITERIA = 20  # 30 make V smaller by 1 to 7 %, 100 by 3 to 19 %


@dataclass(frozen=True, eq=False)
class Reference:
    """E, V and S of one response to each of J items at each of G abilities, all (J, G).

    Mean, variance and third central moment, in logits, logits^2 and logits^3.
    """

    grid: Array
    expected: Array
    variance: Array
    third: Array
    responses: RubricResponses

    def at(self, theta: Array, items: Codes) -> tuple[Array, Array]:
        """E and V of rows with abilities and items of any one shape, linear between points of the grid."""
        step = self.grid[1] - self.grid[0]
        place = np.clip((theta - self.grid[0]) / step, 0, len(self.grid) - 1.000001)
        low = place.astype(np.int64)
        part = place - low
        return (
            (1 - part) * self.expected[items, low] + part * self.expected[items, low + 1],
            (1 - part) * self.variance[items, low] + part * self.variance[items, low + 1],
        )

    def draw(self, theta: Array, items: Codes, rng: np.random.Generator) -> Array:
        """One response in logits to each row, each with a deviation of its own; any one shape."""
        bank = self.responses.bank
        target = bank.a[items] * (theta - bank.b[items])
        means = self.responses.cell_means(target, items, rng)
        return bank.transform.to_logit(self.responses.responses(means, items, rng))


def cohort_responses(cohort: Cohort, process: ResponseProcess = ASSUMED) -> RubricResponses:
    """The assumed process on the cohort's prompts, each with its own number of criteria (exact answers: 1).

    Prompts without parameters keep their place with a = 1, b = 0; no pair is on them.
    """
    bank = ItemBank(
        prompt_ids=tuple(prompt.prompt_id for prompt in cohort.prompts),
        a=np.where(cohort.known, cohort.a, 1.0),
        b=np.where(cohort.known, cohort.b, 0.0),
        subcategories=tuple(prompt.subcategory for prompt in cohort.prompts),
        transform=cohort.transform,
        sigma_hat=cohort.sigma_hat,
    )
    criteria = np.array(
        [min(max(prompt.criteria or 1, 1), MAX_CRITERIA) for prompt in cohort.prompts], dtype=np.int64
    )
    return RubricResponses(bank, criteria, process)


def judged_process(cohort: Cohort) -> ResponseProcess:
    """The assumed process with the confidences of the cohort's own judge, c = p / p with every c taken as 1.

    Told are the share of answers at 1 and the mean of the others, to the nearest level.
    """
    met = cohort.is_pair & (cohort.p_certain > 0)
    confidence = cohort.p[met] / cohort.p_certain[met]
    certain = confidence > 1 - 0.5 / LEVELS
    if not len(confidence):
        return ASSUMED
    if certain.all():
        return replace(ASSUMED, certain_share=1.0)
    level = round(float(confidence[~certain].mean()) * LEVELS)
    return replace(
        ASSUMED,
        certain_share=float(certain.mean()),
        uncertain_confidence=min(max(level, 1), LEVELS - 1) / LEVELS,
    )


def certainty_influence(cohort: Cohort) -> Array:
    """What each pair (n,) moves the share of confidences at 1 by; 0 where nothing was met."""
    p, p_certain = cohort.p[cohort.is_pair], cohort.p_certain[cohort.is_pair]
    met = p_certain > 0
    certain = p[met] / p_certain[met] > 1 - 0.5 / LEVELS
    influence = np.zeros(len(p))
    if len(certain):
        influence[met] = (certain - certain.mean()) / len(certain)
    return influence


def references_of(cohort: Cohort, icc: float = ASSUMED.icc) -> Callable[[float, float], Reference]:
    """The cohort's tables by SD of deviations, and by what is taken off the share of confidences at 1."""
    process = replace(judged_process(cohort), icc=icc)

    def of_process(sd: float, less_certain: float) -> Reference:
        share = process.certain_share - less_certain
        met = replace(process, sigma_deviation=sd, certain_share=share)
        return reference_of(cohort_responses(cohort, met))

    return of_process


def reference_of(responses: RubricResponses) -> Reference:
    """Tables for every item of the bank."""
    bank, process = responses.bank, responses.process
    target = bank.a[:, np.newaxis] * (GRID - bank.b[:, np.newaxis])
    first, square, cube = (np.empty(target.shape) for _ in range(3))
    for n in np.unique(responses.criteria):
        own = responses.criteria == n
        for power, table in enumerate((first, square, cube), start=1):
            of_targets = expected_powers_of_targets(int(n), power, process, bank.transform)
            table[own] = np.interp(target[own], TARGETS, of_targets)
    variance = square - first**2
    third = cube - 3 * first * variance - first**3
    return Reference(GRID, first, np.maximum(variance, VARIANCE_FLOOR), third, responses)
