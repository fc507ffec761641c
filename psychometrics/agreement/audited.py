"""What an audit says about one judge: in the sample as it was drawn, and weighted back to all verdicts."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from psychometrics.agreement.audit import STATISTICS, WeightedAgreement, weighted_agreement
from psychometrics.agreement.audit_sample import Stratum
from psychometrics.agreement.pairs import Agreement, agreement_from_seed
from psychometrics.inference.clusters import Array
from psychometrics.inference.estimates import Estimate, Share

SAME = {"mean_human": "mean_x", "mean_judge": "mean_y"}  # x is what people say, y the judge


@dataclass(frozen=True, eq=False)
class Ratings:
    """The drawn items that count: stratum, answer and people's score (n,), NaN where not rated; judges'
    scores (n, judges), NaN where there is none.
    """

    strata: Sequence[str]
    answers: Sequence[str]
    human: Array
    judged: Array


@dataclass(frozen=True)
class AuditAgreement:
    """One judge beside people: on the items as they were drawn, and on all verdicts. Judge less people."""

    sample: Agreement
    weighted: WeightedAgreement

    def statistics(self) -> Iterator[tuple[str, str, int, int | None, Estimate]]:
        """Of what, its name, the pairs, their clusters, and the estimate."""
        for name in STATISTICS:
            yield "all", name, self.weighted.pairs, None, getattr(self.weighted, name)
            own = getattr(self.sample, SAME.get(name, name))
            yield "sample", name, self.sample.n, self.sample.clusters, _estimate(own)


def audit_agreement(
    ratings: Ratings, column: int, frame: Sequence[Stratum], *, seed: int, resamples: int
) -> AuditAgreement:
    """The judge of this column; `frame` are the strata that were drawn from."""
    judged = ratings.judged[:, column]
    return AuditAgreement(
        sample=agreement_from_seed(ratings.human, judged, ratings.answers, seed=seed, resamples=resamples),
        weighted=weighted_agreement(
            ratings.human, judged, ratings.strata, frame, seed=seed, resamples=resamples
        ),
    )


def rated(ratings: Ratings) -> int:
    """How many of the items people have judged."""
    return int((~np.isnan(ratings.human)).sum())


def _estimate(value: Estimate | Share) -> Estimate:
    return value.estimate if isinstance(value, Share) else value
