"""How far two judges agree on the same responses.

`x` and `y` (n,) are the scores in [0, 1] of the two judges, NaN where a judge gave none; `clusters` (n,)
names what the scores of a row belong to and is resampled as a whole: the response, the participant or the
prompt. A row that lacks either score takes no part; it is counted.

The offset has a cluster-robust interval (CR2 with its t), everything else the
percentiles of a bootstrap over clusters. The formulas stand in `coefficients`, `statistics` and
`krippendorff`.
"""

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from psychometrics.agreement.paired import pair_scores
from psychometrics.agreement.statistics import statistics_of
from psychometrics.inference.clusters import linear_estimate
from psychometrics.inference.estimates import Estimate, Share, estimate_columns
from psychometrics.inference.readable import Library, frame_of, table_text


@dataclass(frozen=True)
class Agreement:
    """Agreement of judges x and y. Differences are y - x, in score points; shares are ratios in [0, 1].

    `rows` = `n` pairs + rows without a pair; `missing_x` and `missing_y` count the rows without that score,
    a row without either in both. `seed` and `resamples` reproduce the bootstrap (`agreement_from_seed`).
    """

    rows: int
    n: int
    missing_x: int
    missing_y: int
    clusters: int

    mean_x: Estimate
    mean_y: Estimate
    pearson: Estimate
    spearman: Estimate
    ccc: Estimate  # Lin's concordance correlation coefficient
    icc: Estimate  # ICC(2,1): two-way random effects, single judge, absolute agreement
    alpha_interval: Estimate  # Krippendorff's alpha of the scores
    alpha_nominal: Estimate  # Krippendorff's alpha of met (>= 0.5) or not

    offset: Estimate  # mean of y - x
    sd_of_differences: Estimate
    lower_limit: Estimate  # Bland-Altman: offset - 1.96 sd
    upper_limit: Estimate
    slope: Estimate  # of the difference on the mean of both: proportional bias

    near_exact: Share  # |y - x| < 0.01
    same_side: Share  # both met or both not: the observed agreement of kappa
    met_x: Share  # x >= 0.5
    met_y: Share
    partial_x: Share  # 0 < x < 1
    partial_y: Share
    kappa: Estimate  # Cohen's, of met or not
    pabak: Estimate  # prevalence- and bias-adjusted kappa, 2 po - 1
    ac1: Estimate  # Gwet's

    seed: int
    resamples: int

    @property
    def statistics(self) -> dict[str, Estimate]:
        """Every statistic and share by its name, in the order above."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        shares = {
            name: statistic.estimate for name, statistic in values.items() if isinstance(statistic, Share)
        }
        return {
            name: statistic
            for name, statistic in (values | shares).items()
            if isinstance(statistic, Estimate)
        }

    def __repr__(self) -> str:
        rows = [(name, repr(statistic)) for name, statistic in self.statistics.items()]
        about = f"Agreement of two judges on {self.n} of {self.rows} responses in {self.clusters} clusters"
        return f"{about}\n{table_text(('statistic', 'value [95 %]'), rows)}"

    def to_frame(self, library: Library | None = None) -> Any:
        """One row a statistic: value, se, low, high, reason. Raises ImportError as `frame_of` does."""
        statistics = self.statistics
        return frame_of({"statistic": list(statistics), **estimate_columns(statistics.values())}, library)

    @property
    def directional_agreement(self) -> Share:
        """What the GIM paper (F.3) reports as such without a definition; read as the same side of 0.5."""
        return self.same_side


def agreement(
    x: ArrayLike, y: ArrayLike, clusters: ArrayLike, *, rng: np.random.Generator, resamples: int
) -> Agreement:
    """Agreement of two judges, with a bootstrap whose seed is drawn from `rng` and kept in the result."""
    return agreement_from_seed(x, y, clusters, seed=int(rng.integers(2**32)), resamples=resamples)


def agreement_from_seed(
    x: ArrayLike, y: ArrayLike, clusters: ArrayLike, *, seed: int, resamples: int
) -> Agreement:
    """The same with a known seed: repeats an earlier result exactly."""
    pairs = pair_scores(x, y, clusters)
    estimates, shares = statistics_of(pairs, np.random.default_rng(seed), resamples)
    found: dict[str, Any] = estimates | shares
    return Agreement(
        rows=pairs.rows,
        n=pairs.n,
        missing_x=pairs.missing_x,
        missing_y=pairs.missing_y,
        clusters=pairs.clusters,
        offset=linear_estimate(np.ones(pairs.n), pairs.difference, pairs.codes).estimate,
        seed=seed,
        resamples=resamples,
        **found,
    )
