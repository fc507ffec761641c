"""How far a judge agrees with people on a stratified sample: as it was drawn, and weighted to all verdicts.

With N_h verdicts and n_h drawn, of which k_h still count and r_h are rated, stratum h stands for
N_h k_h / n_h verdicts, and each rated one for w = N_h k_h / (n_h r_h) of them. A stratum of which none was
drawn, as a part of one can be, stands for all N_h and is not covered. Every coefficient is the same
function of weighted sums as of plain ones (`coefficients`, `kappa`); the weights are scaled to average 1.
x is what people say and y the judge: the offset is what the judge gives more.

Intervals are percentiles of the rescaled bootstrap of a stratified draw without replacement (Rao and Wu
1988): from each stratum r - 1 of its r rated are drawn with replacement, each k times, and weights become

    w (1 - q + q k r / (r - 1)),   q = sqrt(1 - r / verdicts it stands for)

so that a stratum that is rated whole adds nothing. Strata with one rating for many verdicts are taken
together. Nothing is random but the draw: the interval is about all verdicts of these runs, not about what
other people would say.
"""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from psychometrics.agreement.audit_records import MIN_COVERED, STATISTICS, AuditAgreement
from psychometrics.agreement.audit_sample import Stratum
from psychometrics.agreement.paired import ScorePairs, ScoresRefused, columns, pair_scores, sums_of
from psychometrics.agreement.pairs import agreement_from_seed
from psychometrics.agreement.statistics import values_of
from psychometrics.agreement.two_raters import DECIMALS, MIN_PAIRS
from psychometrics.inference.clusters import Array
from psychometrics.inference.estimates import Estimate, Reason, unknown
from psychometrics.inference.resampling import bootstrap_estimate

SAME = {"mean_human": "mean_x", "mean_judge": "mean_y"}  # x is what people say, y the judge
COUNTS = [0, 8, 9, 10, 11, 12, 13]  # the columns of Sums that count rows


@dataclass(frozen=True)
class WeightedAgreement:
    """Agreement as it is estimated for all verdicts; differences are judge - people, shares in [0, 1].

    `pairs` carry both scores. `covered` is the share of the verdicts that the rated strata stand for.
    """

    pairs: int
    covered: float
    mean_human: Estimate
    mean_judge: Estimate
    offset: Estimate
    sd_of_differences: Estimate
    near_exact: Estimate
    same_side: Estimate
    kappa: Estimate
    pabak: Estimate
    ac1: Estimate
    pearson: Estimate
    ccc: Estimate


@dataclass(frozen=True, eq=False)
class Ratings:
    """The drawn items that count: stratum, answer and people's score (n,), NaN where not rated; judges'
    scores (n, judges), NaN where there is none.
    """

    strata: Sequence[str]
    answers: Sequence[str]
    human: Array
    judged: Array


@dataclass(frozen=True, eq=False)
class _Group:
    """Rated rows that are resampled together, and how many verdicts they stand for."""

    rows: NDArray[np.int64]
    verdicts: float


def audit_agreement(
    ratings: Ratings, column: int, frame: Sequence[Stratum], *, seed: int, resamples: int
) -> AuditAgreement:
    """The judge of this column; `frame` are the strata that were drawn from."""
    judged, draws = ratings.judged[:, column], {"seed": seed, "resamples": resamples}
    sample = agreement_from_seed(ratings.human, judged, ratings.answers, **draws)
    weighted = weighted_agreement(ratings.human, judged, ratings.strata, frame, **draws)
    own = sample.statistics
    return AuditAgreement(
        pairs=weighted.pairs,
        clusters=sample.clusters,
        covered=weighted.covered,
        weighted={name: getattr(weighted, name) for name in STATISTICS},
        sample={name: own[SAME.get(name, name)] for name in STATISTICS},
    )


def rated(ratings: Ratings) -> int:
    """How many of the items people have judged."""
    return int((~np.isnan(ratings.human)).sum())


def weighted_agreement(
    human: ArrayLike,
    judge: ArrayLike,
    strata: Sequence[str],
    frame: Iterable[Stratum],
    *,
    seed: int,
    resamples: int,
) -> WeightedAgreement:
    """Agreement over all verdicts from those drawn that still count, one row (n,) each.

    `human` is NaN where nobody rated yet, `judge` where the judge gave no score; `strata` names each row's
    stratum, and `frame` has the strata as they were when the sample was drawn, also those without a row.
    """
    human, judge = np.asarray(human, dtype=np.float64), np.asarray(judge, dtype=np.float64)
    stands_for = _verdicts_stood_for(strata, frame)
    is_rated = ~np.isnan(human)
    names = np.asarray(strata, dtype=str)[is_rated]
    groups = [_Group(np.flatnonzero(names == name), of) for name, of in stands_for.items() if name in names]
    verdicts = sum(stands_for.values())
    covered = sum(group.verdicts for group in groups) / verdicts if verdicts else math.nan
    pairs = pair_scores(human, judge, np.arange(len(human)))
    if pairs.n == 0 or covered < MIN_COVERED:
        reason = Reason.TOO_FEW_PAIRS if pairs.n else Reason.NO_PAIRS
        return WeightedAgreement(pairs=pairs.n, covered=covered, **dict.fromkeys(STATISTICS, unknown(reason)))
    summed = columns(pairs)
    weighted = np.zeros((int(is_rated.sum()), summed.shape[1]))  # nothing where the judge gave no score
    weighted[~np.isnan(judge[is_rated])] = summed
    for group in groups:
        weighted[group.rows] *= group.verdicts / len(group.rows)
    weighted *= pairs.n / weighted[:, 0].sum()
    factors = _factors(groups, len(weighted), resamples, np.random.default_rng(seed))
    value, resampled = _values(weighted.sum(axis=0)[None, :], pairs), _values(factors @ weighted, pairs)
    undefined = unknown(Reason.TOO_FEW_PAIRS if pairs.n < MIN_PAIRS else Reason.NO_VARIATION)
    estimates = dict.fromkeys(STATISTICS, undefined)
    for name in STATISTICS:
        if not np.isnan(value[name][0]):
            estimates[name] = bootstrap_estimate(float(value[name][0]), resampled[name], pairs.n)
    return WeightedAgreement(pairs=pairs.n, covered=covered, **estimates)


def _verdicts_stood_for(strata: Sequence[str], frame: Iterable[Stratum]) -> dict[str, float]:
    """N_h k_h / n_h of every stratum; N_h of one from which none was drawn."""
    known = {stratum.name: stratum for stratum in frame}
    counts = Counter(strata)
    if not_drawn := sorted(name for name in counts if name not in known or not known[name].drawn):
        raise ScoresRefused(f"no verdict was drawn from the stratum {not_drawn[0]}")
    return {
        name: stratum.verdicts * counts[name] / stratum.drawn if stratum.drawn else stratum.verdicts
        for name, stratum in sorted(known.items())
    }


def _factors(groups: Sequence[_Group], rows: int, resamples: int, rng: np.random.Generator) -> Array:
    """What each row's weight is multiplied with in each resample, (R, rows).

    It varies in the groups whose draw could have been another one. Those of one row are joined with each
    other, a single one of them with the smallest other.
    """
    in_part = (group for group in groups if len(group.rows) < group.verdicts)
    open_groups = sorted(in_part, key=lambda group: len(group.rows))
    lone = [group for group in open_groups if len(group.rows) == 1]
    together = open_groups[:2] if len(lone) == 1 else lone
    resampled = open_groups[len(together) :]
    if together:
        joined = np.concatenate([group.rows for group in together])
        resampled.append(_Group(joined, sum(group.verdicts for group in together)))
    factors = np.ones((resamples, rows))
    for group in resampled:
        r = len(group.rows)
        if r > 1:
            times = rng.multinomial(r - 1, np.full(r, 1 / r), size=resamples)
            q = math.sqrt(1 - r / group.verdicts)
            factors[:, group.rows] = 1 - q + q * times * r / (r - 1)
    return factors


def _values(totals: Array, pairs: ScorePairs) -> dict[str, Array]:
    totals = totals.copy()
    # Where everything is met the counts must be equal, not nearly.
    totals[:, COUNTS] = totals[:, COUNTS].round(DECIMALS)
    sums = sums_of(totals, pairs)
    with np.errstate(divide="ignore", invalid="ignore"):  # a resample can be without any pair: NaN
        values = values_of(sums) | {"offset": sums.mean_d}
    return {name: values[SAME.get(name, name)] for name in STATISTICS}
