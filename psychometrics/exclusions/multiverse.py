"""The same cohort under every combination of choices an analyst could defend.

A specification is one exclusion rule, one treatment of missing answers, and one way of putting answers
together. Each gives theta of Average and of Top (selected again under every specification: in-sample).

    pooled      theta = sum_k a_k (y_k + a_k b_k) / sum_k a_k^2 over all pairs k
    by prompt   the same over prompts, y_j = logit(0.998 mean_k p_k + 0.001)             (GIM paper, eq. 2)
    theta_QL    beside each: sum_j w_j a_j (mean_k p_k - pi_j(theta)) = 0, w_j the responses to prompt j where
                pooled, and 1 by prompt                                    (`irt.quasi_likelihood`)
    as zero     skipped and not reached prompts count as p = 0; other missing answers stay missing

The spread over specifications is what the choices are worth; the share of a choice in it is its main effect,
eta^2 = SS(choice) / SS(total), and what remains are interactions. Source: measurement.md, A6; Del Giudice and
Gangestad (2021). Values without a measurable answer are NaN.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from psychometrics.data.cohort import Cohort, Mask
from psychometrics.data.places import Outcome
from psychometrics.inference.clusters import Array
from psychometrics.inference.estimates import Estimate, Reason, unknown
from psychometrics.inference.measure import plain
from psychometrics.irt.quasi_likelihood import thetas_ql
from psychometrics.missing.scores import zero_for_left
from psychometrics.top.ranking import by_mean, by_raw_mean, first_of, raw_means


class MissingRule(StrEnum):
    """What becomes of a prompt without an answer."""

    AS_MISSING = "as_missing"
    AS_ZERO = "as_zero"


class Aggregation(StrEnum):
    """How answers are put together."""

    POOLED = "pooled"
    BY_PROMPT = "by_prompt"


class Choice(StrEnum):
    """What specifications differ in, in the order of the axes of `effects`."""

    EXCLUSION = "exclusion"
    MISSING = "missing"
    AGGREGATION = "aggregation"


@dataclass(frozen=True)
class GroupResult:
    """Theta and theta_QL (logits) of a group under one specification, with what both rest on."""

    theta: Estimate
    ql: Estimate
    people: int
    pairs: int


@dataclass(frozen=True)
class Specification:
    """One combination of choices."""

    rule: str
    missing: MissingRule
    aggregation: Aggregation
    average: GroupResult
    top: GroupResult


@dataclass(frozen=True)
class Spread:
    """Over the measurable specifications: their number, median, range, and each choice's share in it.

    `shares` sum to 1 with `interactions`; NaN where all specifications agree.
    """

    specifications: int
    median: float
    low: float
    high: float
    shares: Mapping[Choice, float]
    interactions: float


def lowest_ranks(cohort: Cohort) -> Array:
    """The share of scored people with a lower mean score than each person's (P,), in [0, 1); NaN: no score.

    Means are over all scored answers, as they are for Top; ties go by code.
    """
    means = raw_means(cohort.person, cohort.p, len(cohort.people))
    order = by_mean(-means, [person.code for person in cohort.people])
    ranks = np.full(len(cohort.people), np.nan)
    ranks[order] = np.arange(len(order)) / max(len(order), 1)
    return ranks


class _Columns:
    """A cohort under one treatment of missing answers, with what every exclusion rule needs of it."""

    def __init__(self, cohort: Cohort) -> None:
        self.cohort, self.pairs = cohort, cohort.pairs
        people, pairs = len(cohort.people), cohort.pairs
        self.counts = np.bincount(pairs.person, minlength=people)
        self.above = np.bincount(pairs.person, pairs.a * pairs.z, minlength=people)
        self.below = np.bincount(pairs.person, pairs.a**2, minlength=people)
        self.ranking = by_raw_mean(cohort)


class _Group:
    """The people of a mask (P,): responses and mean score of each prompt; `why` there is no theta."""

    def __init__(self, columns: _Columns, kept: Mask, why: Reason) -> None:
        pairs, cohort, self.why = columns.pairs, columns.cohort, why
        rows = kept[pairs.person]
        n = np.bincount(pairs.prompt[rows], minlength=len(cohort.prompts))
        sums = np.bincount(pairs.prompt[rows], pairs.p[rows], minlength=len(cohort.prompts))
        seen = n > 0
        self.n, self.mean = n[seen].astype(np.float64), np.clip(sums[seen] / n[seen], 0, 1)
        self.a, self.b = cohort.a[seen], cohort.b[seen]
        self.people, self.pairs = int(kept.sum()), int(columns.counts[kept].sum())
        y = cohort.transform.to_logit(self.mean)
        self.thetas = {
            Aggregation.POOLED: _quotient(float(columns.above[kept].sum()), float(columns.below[kept].sum())),
            Aggregation.BY_PROMPT: _quotient(float(self.a @ (y + self.a * self.b)), float(self.a @ self.a)),
        }

    def result(self, aggregation: Aggregation, ql: float) -> GroupResult:
        if self.why == Reason.NOT_JUDGED or not self.pairs:
            return GroupResult(unknown(self.why), unknown(self.why), self.people, self.pairs)
        quasi = unknown(Reason.NO_FINITE_SOLUTION) if np.isnan(ql) else plain(ql)
        return GroupResult(plain(self.thetas[aggregation]), quasi, self.people, self.pairs)


def specifications(cohort: Cohort, removed: Mapping[str, Mask], top_size: int) -> Iterator[Specification]:
    """Every specification of a cohort with everybody in it; `removed` (P,) by rule.

    A rule that keeps people who were excluded before their answers were judged has no value: NOT_JUDGED.
    """
    unjudged = not_judged(cohort)
    columns = {MissingRule.AS_MISSING: _Columns(cohort), MissingRule.AS_ZERO: _Columns(zero_for_left(cohort))}
    present = np.bincount(cohort.person, minlength=len(cohort.people)) > 0
    groups: dict[tuple[str, MissingRule], tuple[_Group, _Group]] = {}
    for rule, mask in removed.items():
        kept = present & ~mask
        why = Reason.NOT_JUDGED if (kept & unjudged).any() else None
        for missing, of in columns.items():
            average = _Group(of, kept, why or Reason.NOTHING_SCORED)
            best = first_of(of.ranking[kept[of.ranking]], top_size, len(kept))
            top = _Group(of, best, why or Reason.TOO_FEW_PEOPLE)
            groups[rule, missing] = average, top
    quasi = iter(_quasi_thetas([group for both in groups.values() for group in both]))
    for (rule, missing), (average, top) in groups.items():
        of_average, of_top = next(quasi), next(quasi)
        for place, aggregation in enumerate(Aggregation):
            yield Specification(
                rule, missing, aggregation, average.result(aggregation, of_average[place]),
                top.result(aggregation, of_top[place]),
            )  # fmt: skip


def _quasi_thetas(groups: Sequence[_Group]) -> Array:
    """theta_QL (groups, aggregations) in one Newton iteration over all of them."""
    both = [(group, times) for group in groups for times in (group.n, np.ones(len(group.n)))]
    if not both:
        return np.empty((0, len(Aggregation)))
    a, b, p, times = (
        np.concatenate(column)
        for column in zip(*((group.a, group.b, group.mean, times) for group, times in both), strict=True)
    )
    number = np.repeat(np.arange(len(both)), [len(times) for _, times in both])
    return thetas_ql(a, b, p, number, len(both), times).reshape(-1, len(Aggregation))


def not_judged(cohort: Cohort) -> Mask:
    """(P,): excluded people most of whose answers have no score, as they were excluded before judging."""
    people = len(cohort.people)
    scored = np.bincount(cohort.person[cohort.outcome == Outcome.SCORED], minlength=people)
    unscored = np.bincount(cohort.person[cohort.outcome == Outcome.UNSCORED], minlength=people)
    retained = np.array([person.retained for person in cohort.people], dtype=bool)
    return ~retained & (unscored > scored)


def effects(values: Array) -> tuple[dict[Choice, float], float]:
    """Eta^2 of the main effect of each axis of a full table of values, and the remainder (interactions)."""
    centred = values - values.mean()
    total = float((centred**2).sum())
    if total <= 1e-24 * max(float((values**2).sum()), 1.0):
        return dict.fromkeys(Choice, np.nan), np.nan
    shares = {}
    for axis, choice in enumerate(Choice):
        others = tuple(other for other in range(values.ndim) if other != axis)
        mean = centred.mean(axis=others)
        shares[choice] = float((mean**2).sum() * values.size / len(mean)) / total
    return shares, max(0.0, 1 - sum(shares.values()))


def spread_of(found: Sequence[Specification], group: str, estimator: str = "theta") -> Spread | None:
    """The spread of Average or Top, of `theta` or `ql`; None where nothing is measurable.

    A rule with a specification that is not measurable, or whose scores are all 1 or all 0 so that no theta is
    finite, is left out with all of its specifications, so that every choice is met equally often.
    """
    table: dict[str, list[float]] = {}
    for specification in found:
        own = getattr(specification, group)
        table.setdefault(specification.rule, []).append(
            getattr(own, estimator).value if own.ql.known else math.nan
        )
    rows = [row for row in table.values() if not np.isnan(row).any()]
    if not rows:
        return None
    values = np.array(rows).reshape(len(rows), len(MissingRule), len(Aggregation))
    shares, interactions = effects(values)
    return Spread(
        values.size, float(np.median(values)), float(values.min()), float(values.max()), shares, interactions
    )


def _quotient(above: float, below: float) -> float:
    return above / below if below > 0 else math.nan
