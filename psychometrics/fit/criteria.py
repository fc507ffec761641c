"""How much the criteria of one answer go together: their intraclass correlation, from the models' epochs.

Cell        one model on one item of k >= 2 criteria, m and v mean and variance of its n >= 2 epochs
Model       Var(score | cell) = mu (1 - mu) (1 + (k - 1) rho) / k,   mu the cell's mean       (beta-binomial)
Estimator   rho = sum (k v - q) / sum q (k - 1),   q = m (1 - m) + v / n, unbiased for mu (1 - mu)
Confidence  a score is C times the share met, C independent of it: with c = E C and d = E C^2 v becomes
            s / d - w and q becomes m / c - w,   s the mean square of the epochs, w = (m^2 - v / n) / c^2
Error       of the ratio, clustered by item

Epochs repeat a cell with all that belongs to model and item, so that what varies is the answer alone; people
answer a prompt once. Taken is that people's criteria go together as the models' do, and that the judge was as
sure of these as of those; where all of their scores are whole shares of criteria, nobody's confidence is in
them. Where no model tells, or too few, a correlation is assumed, and a flag counts only where it holds over
the range that is possible.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from psychometrics.agreement.coefficients import ratio
from psychometrics.data.places import AskedPrompt
from psychometrics.inference.clusters import Codes
from psychometrics.irt.bank import ItemBank
from psychometrics.irt.responses import ResponseProcess
from psychometrics.irt.transform import Array

LOW, ASSUMED, HIGH = 0.1, ResponseProcess().icc, 0.7  # where nothing tells
LEAST, MOST = 0.01, 0.99  # a process needs some of both
KNOWN_FROM = 0.02  # standard error; more moves slopes by as much as their own error in 195 people
ERRORS = 2.0  # on either side, where it is less well known
WHOLE = 1e-6  # criteria
CERTAIN = ResponseProcess(certain_share=1.0)
PLACES = 2  # tables of a process are computed once for each


@dataclass(frozen=True)
class Correlation:
    """The correlation taken, and the range over which flags are to hold; `cells` tell it, 0 where assumed.

    `se` is its standard error, NaN where nothing tells it.
    """

    value: float
    low: float
    high: float
    cells: int
    se: float

    @property
    def taken(self) -> tuple[float, ...]:
        """The correlations that flags are to hold at, the first of which is the value."""
        return tuple(dict.fromkeys((self.value, self.low, self.high)))


def correlation_of_epochs(p: Array, criteria: Codes, judge: ResponseProcess = CERTAIN) -> Correlation:
    """From scores (M, J, K) of models, NaN for missing, on items with numbers of criteria (J,)."""
    n = (~np.isnan(p)).sum(axis=2)
    used = (n >= 2) & (criteria >= 2)
    met = p * criteria[:, np.newaxis]
    whole = np.abs(met - np.round(met))[used] < WHOLE  # NaN is not
    judge = CERTAIN if whole.sum() == n[used].sum() else judge
    sure, other = judge.certain_share, judge.uncertain_confidence
    first, second = sure + (1 - sure) * other, sure + (1 - sure) * other**2
    m = ratio(np.nansum(p, axis=2), n)
    v = ratio(np.nansum((p - m[:, :, np.newaxis]) ** 2, axis=2), n - 1)
    square = (m**2 - ratio(v, n)) / first**2
    variance = ratio(np.nansum(p**2, axis=2), n) / second - square
    q = np.where(used, m / first - square, 0.0)
    beyond, of_pairs = (
        np.where(used, criteria * variance - q, 0.0).sum(axis=0),
        (q * (criteria - 1)).sum(axis=0),
    )
    total, items = float(of_pairs.sum()), int(used.any(axis=0).sum())
    if total <= 0 or items < 2:
        return Correlation(ASSUMED, LOW, HIGH, 0, np.nan)
    rho = float(beyond.sum()) / total
    left = beyond - rho * of_pairs
    se = float(np.sqrt(items / (items - 1) * left @ left)) / total
    spread = ERRORS * se if se > KNOWN_FROM else 0.0
    value, low, high = (round(min(max(rho + shift, LEAST), MOST), PLACES) for shift in (0.0, -spread, spread))
    return Correlation(value, low, high, int(used.sum()), se)


def correlation_of_criteria(
    prompts: Sequence[AskedPrompt], bank: ItemBank | None, p: Array | None, judge: ResponseProcess = CERTAIN
) -> Correlation:
    """The same for the items of a bank on which models have scores p (M, J, K); None for none.

    Where no prompt has two criteria there is nothing to be told, and nothing to be assumed.
    """
    of_prompt = {prompt.prompt_id: prompt.criteria or 0 for prompt in prompts}
    if max(of_prompt.values(), default=0) < 2:
        return Correlation(ASSUMED, ASSUMED, ASSUMED, 0, np.nan)
    if bank is None or p is None:
        return Correlation(ASSUMED, LOW, HIGH, 0, np.nan)
    return correlation_of_epochs(p, np.array([of_prompt.get(name, 0) for name in bank.prompt_ids]), judge)
