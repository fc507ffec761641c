"""What every statistic is reported as: a value, its 95 % interval, or the reason why there is none.

NaN is "not measured" and never stands for zero. A statistic without a value names the reason; so does one
that has a value but no interval. The limits below which nothing is told stand beside the reasons.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum

from psychometrics.inference.readable import interval_text, number_text

CONFIDENCE = 0.95


class Reason(StrEnum):
    """Why a value or, from ONE_CLUSTER on, only its interval is missing."""

    NO_PAIRS = "no_pairs"  # nothing was scored by both judges
    TOO_FEW_PAIRS = "too_few_pairs"  # so few that their number decides the statistic, not the scores
    X_CONSTANT = "x_constant"  # the first judge gave one score throughout
    Y_CONSTANT = "y_constant"
    NO_FINITE_SOLUTION = "no_finite_solution"  # all scores are 0 or all are 1: ability has a bound at most
    NO_VARIATION = "no_variation"  # what the statistic is divided by is zero
    NOTHING_SCORED = "nothing_scored"  # no answer here has a score on a prompt with item parameters
    NOT_JUDGED = "not_judged"  # it needs the answers of people who were excluded before anything was judged
    TOO_FEW_PEOPLE = "too_few_people"  # Top would be all of the group or more, or a number one person's own
    TOO_FEW_PROMPTS = "too_few_prompts"  # a number would be one prompt's own
    TOO_FEW_PRIVATE = "too_few_private"  # a number would tell of one or two private prompts
    COMPLEMENT = "complement"  # with the whole it would tell of a neighbour that is too few to be told
    TOO_FEW_QUESTIONS = "too_few_questions"  # per task: a harmonic mean of so few says their number, not more
    NOT_RATED_TWICE = "not_rated_twice"  # agreement of raters, where one rater decided alone
    SEPARATED = "separated"  # a logistic regression predicts some outcomes with certainty: no finite estimate
    EPOCHS_UNKNOWN = "epochs_unknown"  # a published theta without the number of responses it rests on
    BEYOND_SIMULATION = "beyond_simulation"  # a published theta further out than any ability simulated
    ONE_CLUSTER = "one_cluster"  # nothing varies between clusters where there is one
    OTHER_DESIGN = "other_design"  # this error assumes a way of assigning prompts that the study did not use
    SELECTED = "selected"  # chosen on the outcome: an interval that ignores the choice would be wrong
    LESS_THAN_CHANCE = "less_than_chance"  # people differ even less than their errors would make them
    CHANCE_ONLY = "chance_only"  # of the DIF SD or a shrunken shift: prompts do not differ beyond chance
    TOO_FEW_RESAMPLES = "too_few_resamples"  # too few for the tails of the bootstrap, or none asked for
    UNSTABLE = "unstable"  # undefined in too many resamples
    ONE_SIDED = "one_sided"  # nearly all resamples lie on one side of the value: their range would miss it
    NOT_PUBLISHED = "not_published"  # whoever published the value gave no error with it
    LOGISTIC_BANK = "logistic_bank"  # the bank was fitted with the logistic 2PL: its ability is theta_QL
    EARLIER_VERSION = "earlier_version"  # of stored results: this version puts another error here
    NO_SPREAD = "no_spread"  # the same in all resamples: no width can be told, and zero would be wrong


# How few is too few: below these limits a number is not told, or not without a word beside it.
MIN_PEOPLE = MIN_PROMPTS = 2
MIN_PRIVATE = 3
WITHHELD = frozenset(
    {Reason.TOO_FEW_PEOPLE, Reason.TOO_FEW_PROMPTS, Reason.TOO_FEW_PRIVATE, Reason.COMPLEMENT}
)
FEW_CLUSTERS = 15  # below, how wide intervals by clusters come out is largely chance
FEW_BATCHES = 8  # below, the two-way error stands beside the one by batch
MIN_QUESTIONS = 20  # per task; below, a harmonic mean is shown beside models at the same number only


def few_private(number: int) -> bool:
    """Whether so many private prompts would be told of: none is told of nobody's, three are an aggregate."""
    return 0 < number < MIN_PRIVATE


@dataclass(frozen=True)
class Estimate:
    """A statistic with standard error and 95 % interval.

    `reason` says why the value is NaN or, where there is a value, why its error and interval are. Without a
    value `low` or `high` may be there alone: the value lies above it, or below.
    """

    value: float
    se: float
    low: float
    high: float
    reason: Reason | None = None

    @property
    def known(self) -> bool:
        return not math.isnan(self.value)

    def __repr__(self) -> str:
        if not self.known:
            ends = (("above", self.low), ("below", self.high))
            bounds = [f"{where} {number_text(end)}" for where, end in ends if not math.isnan(end)]
            return f"{bounds[0] if bounds else 'none'} ({self.reason})"
        why = f"no interval: {self.reason}" if self.reason else ""
        why = interval_text(self.low, self.high) or why
        return f"{number_text(self.value)} {why}".rstrip()


@dataclass(frozen=True)
class Share:
    """`count` of `n`; the estimate is their ratio in [0, 1], not a percentage."""

    count: int
    n: int
    estimate: Estimate

    def __repr__(self) -> str:
        return f"{self.count} of {self.n}: {self.estimate!r}"


def estimate_columns(estimates: Iterable[Estimate]) -> dict[str, list[object]]:
    """Value, standard error, interval and reason as columns of a table; NaN where there is none."""
    listed = list(estimates)
    numbers = {
        name: [getattr(estimate, name) for estimate in listed] for name in ("value", "se", "low", "high")
    }
    return {**numbers, "reason": [str(estimate.reason or "") for estimate in listed]}


def unknown(reason: Reason) -> Estimate:
    return Estimate(math.nan, math.nan, math.nan, math.nan, reason)


def without_interval(value: float, reason: Reason) -> Estimate:
    return Estimate(value, math.nan, math.nan, math.nan, reason)


def around(value: float, se: float, quantile: float) -> Estimate:
    """The value with this standard error, `quantile` of them to either side."""
    half = quantile * se
    return Estimate(value, se, value - half, value + half)


def within(estimate: Estimate, least: float, most: float) -> Estimate:
    """The part of the interval that the statistic can have; with few people a t interval reaches beyond."""
    if math.isnan(estimate.low):
        return estimate
    return replace(estimate, low=max(estimate.low, least), high=min(estimate.high, most))


def none_if_nan(value: float) -> float | None:
    """What a database and JSON hold for it: NaN is absent."""
    return None if math.isnan(value) else float(value)
