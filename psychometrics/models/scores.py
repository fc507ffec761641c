"""Scores of models on a bank, and what they give per prompt at a chosen number of responses.

The logit of a mean of k scores is not the mean of their logits: single responses lie further out than means
of five (Jensen). So a model is put beside people at their number of responses:

    k = 1       mean over epochs of logit p: linear, so that theta is the mean of the per-epoch thetas
    k of K      mean over all sets of k epochs of the logit of their mean score
    theta_QL    linear in p: the mean score serves at every k

NaN is a missing response; it enters no mean. A prompt without any response is NaN.
"""

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from math import comb

import numpy as np

from psychometrics.agreement.coefficients import ratio
from psychometrics.inference.clusters import Codes
from psychometrics.irt.transform import Array, Transform

MAX_SETS = 100  # of epochs; where there are more, as many are drawn


@dataclass(frozen=True, eq=False)
class ModelScores:
    """Scores p (J, K) of one configuration: J items of the bank, K epochs; NaN where missing."""

    p: Array
    transform: Transform

    @cached_property
    def epochs(self) -> Codes:
        """Scored responses per prompt, (J,)."""
        counts: Codes = (~np.isnan(self.p)).sum(axis=1)
        return counts

    @cached_property
    def mean_p(self) -> Array:
        """Mean score of each prompt over its epochs, (J,)."""
        return _mean(self.p)

    @cached_property
    def single_logits(self) -> Array:
        """Mean over epochs of the logit, (J,): what one response gives on average."""
        return _mean(self.transform.to_logit(self.p))

    @cached_property
    def mean_logits(self) -> Array:
        """Logit of the mean score, (J,): how models are scored on a leaderboard (GIM paper, section 4)."""
        return self.transform.to_logit(self.mean_p)

    def matched_logits(self, wanted: Codes, rng: np.random.Generator) -> Array:
        """Expected logit (J,) of the mean of min(`wanted`, epochs there are) epochs, drawn without return.

        All sets of epochs are averaged where there are at most MAX_SETS, else as many are drawn by `rng`.
        """
        k_of_prompt = np.minimum(wanted, self.epochs)
        values = np.full(len(self.p), np.nan)
        for k in np.unique(k_of_prompt[k_of_prompt > 0]):
            rows = k_of_prompt == k
            values[rows] = self._expected(self.p[rows], int(k), rng)
        return values

    def _expected(self, p: Array, k: int, rng: np.random.Generator) -> Array:
        epochs = p.shape[1]
        if comb(epochs, k) <= MAX_SETS:
            means = [p[:, list(chosen)].mean(axis=1) for chosen in combinations(range(epochs), k)]
        else:
            means = []
            for _ in range(MAX_SETS):  # k present scores of each row, every one of which has as many
                keys = np.where(np.isnan(p), np.inf, rng.random(p.shape))
                first = np.argsort(keys, axis=1)[:, :k]
                means.append(np.take_along_axis(p, first, axis=1).mean(axis=1))
        return _mean(self.transform.to_logit(np.stack(means, axis=1)))


def _mean(values: Array) -> Array:
    """Means (n,) of the present values of each row (n, K); NaN where there is none."""
    present = ~np.isnan(values)
    return ratio(np.where(present, values, 0).sum(axis=1), present.sum(axis=1))
