"""What an audit says about the judges: in the sample, and weighted back to all verdicts.

In the scope `public` it speaks of the verdicts on public prompts: of each stratum how many there were and how
many of them were drawn was kept at the draw.
"""

import math
from collections.abc import Sequence, Set
from dataclasses import dataclass

import numpy as np

from judging.models import AuditSample, ScoringRun
from judging.selectors.audits import (
    PUBLIC_ITEM,
    counting_items,
    sample_judges,
    sample_strata,
    scores_by_judge,
)
from psychometrics.agreement.audit import WeightedAgreement, weighted_agreement
from psychometrics.agreement.audit_sample import Stratum
from psychometrics.agreement.paired import MET
from psychometrics.agreement.pairs import Agreement, agreement_from_seed
from psychometrics.inference.clusters import Array
from psychometrics.inference.measure import Scope

RESAMPLES = 1000


@dataclass(frozen=True)
class AuditedJudge:
    """One judge beside people: on the items as they were drawn, and on all verdicts. Judge less people."""

    run: ScoringRun
    sample: Agreement
    weighted: WeightedAgreement


@dataclass(frozen=True)
class AuditedStratum:
    """One stratum, with what people say to its first judge. `offset` is NaN where nothing is rated."""

    stratum: Stratum
    gone: int
    rated: int
    same_side: int
    offset: float

    @property
    def percent(self) -> float:
        """How probable it was for one of its verdicts to be drawn."""
        return 100 * self.stratum.probability


@dataclass(frozen=True)
class AuditResult:
    """`gone` items were drawn and count no more: withdrawn, excluded or changed since.

    `drawn` are those drawn of the scope's verdicts, `strata` the scope's part of each that has one.
    """

    drawn: int
    gone: int
    rated: int
    raters: int
    judges: tuple[AuditedJudge, ...]
    strata: tuple[AuditedStratum, ...]

    @property
    def asked(self) -> int:
        return self.drawn - self.gone

    @property
    def verdicts(self) -> int:
        return sum(one.stratum.verdicts for one in self.strata)


@dataclass(frozen=True, eq=False)
class _Ratings:
    """The items that count: stratum, answer and people's score (NaN: not rated); a column for each judge."""

    strata: Sequence[str]
    answers: Sequence[str]
    raters: Set[str]
    human: Array
    judged: Array


def audit_result(sample: AuditSample, scope: Scope = Scope.ALL) -> AuditResult:
    """Everything there is to say, in a few queries."""
    judges, frame = sample_judges(sample), sample_strata(sample, scope)
    ratings = _ratings(sample, judges, scope)
    drawn = sum(stratum.drawn for stratum in frame)
    return AuditResult(
        drawn=drawn,
        gone=drawn - len(ratings.strata),
        rated=int((~np.isnan(ratings.human)).sum()),
        raters=len(ratings.raters),
        judges=tuple(
            _audited_judge(judge, ratings, column, frame, sample.seed) for column, judge in enumerate(judges)
        ),
        strata=tuple(_audited_stratum(one, ratings) for one in frame),
    )


def _ratings(sample: AuditSample, judges: Sequence[ScoringRun], scope: Scope) -> _Ratings:
    items = counting_items(sample)
    if scope == Scope.PUBLIC:
        items = items.filter(PUBLIC_ITEM)
    facts = list(items.values_list("stratum", "row__answer", "row__criterion", "human_score"))
    named = items.values_list("row__answer__session__participant__code", "row__answer__prompt__prompt_id")
    raters = items.filter(human_score__isnull=False).order_by().values_list("rater", flat=True)
    runs = [judge.pk for judge in judges]
    scores = scores_by_judge(sample.judging_run.study, runs, items.order_by())
    judged = [
        [scores.get((run, (answer, criterion)), math.nan) for run in runs]
        for _, answer, criterion, _ in facts
    ]
    return _Ratings(
        strata=[stratum for stratum, *_ in facts],
        answers=[f"{code}\n{prompt_id}" for code, prompt_id in named],
        raters=set(raters),
        human=np.array([math.nan if score is None else score for *_, score in facts]),
        judged=np.array(judged, dtype=np.float64).reshape(len(facts), len(runs)),
    )


def _audited_judge(
    run: ScoringRun, ratings: _Ratings, column: int, frame: Sequence[Stratum], seed: int
) -> AuditedJudge:
    judged = ratings.judged[:, column]
    return AuditedJudge(
        run=run,
        sample=agreement_from_seed(ratings.human, judged, ratings.answers, seed=seed, resamples=RESAMPLES),
        weighted=weighted_agreement(
            ratings.human, judged, ratings.strata, frame, seed=seed, resamples=RESAMPLES
        ),
    )


def _audited_stratum(stratum: Stratum, ratings: _Ratings) -> AuditedStratum:
    here = np.array([name == stratum.name for name in ratings.strata], dtype=bool)
    rated = here & ~np.isnan(ratings.human)
    human, judged = ratings.human[rated], ratings.judged[rated, 0]
    return AuditedStratum(
        stratum=stratum,
        gone=stratum.drawn - int(here.sum()),
        rated=int(rated.sum()),
        same_side=int(((human >= MET) == (judged >= MET)).sum()),
        offset=float((judged - human).mean()) if rated.any() else math.nan,
    )
