"""What an audit says about the judges: in the sample, and weighted back to all verdicts.

In the scope `public` it speaks of the verdicts on public prompts: of each stratum how many there were and how
many of them were drawn was kept at the draw.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from django.db.models import QuerySet

from judging.models import AuditItem, AuditSample, ScoringRun
from judging.selectors.audits import (
    PUBLIC_ITEM,
    counting_items,
    sample_judges,
    sample_strata,
    scores_by_judge,
)
from psychometrics.agreement.audit import AuditAgreement, Ratings, audit_agreement, rated
from psychometrics.agreement.audit_sample import Stratum
from psychometrics.agreement.paired import MET
from psychometrics.inference.measure import Scope

RESAMPLES = 1000


@dataclass(frozen=True)
class AuditedJudge:
    """One judge beside people: on the items as they were drawn, and on all verdicts. Judge less people."""

    run: ScoringRun
    found: AuditAgreement


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


def audit_result(sample: AuditSample, scope: Scope = Scope.ALL) -> AuditResult:
    """Everything there is to say, in a few queries."""
    judges, frame = sample_judges(sample), sample_strata(sample, scope)
    ratings = _ratings(sample, judges, scope)
    drawn = sum(stratum.drawn for stratum in frame)
    return AuditResult(
        drawn=drawn,
        gone=drawn - len(ratings.strata),
        rated=rated(ratings),
        raters=len(_raters(sample, scope)),
        judges=tuple(
            AuditedJudge(
                judge, audit_agreement(ratings, column, frame, seed=sample.seed, resamples=RESAMPLES)
            )
            for column, judge in enumerate(judges)
        ),
        strata=tuple(_audited_stratum(one, ratings) for one in frame),
    )


def _items(sample: AuditSample, scope: Scope) -> QuerySet[AuditItem]:
    items = counting_items(sample)
    return items.filter(PUBLIC_ITEM) if scope == Scope.PUBLIC else items


def _raters(sample: AuditSample, scope: Scope) -> set[str]:
    rated_items = _items(sample, scope).filter(human_score__isnull=False)
    return set(rated_items.order_by().values_list("rater", flat=True))


def _ratings(sample: AuditSample, judges: Sequence[ScoringRun], scope: Scope) -> Ratings:
    items = _items(sample, scope)
    facts = list(items.values_list("stratum", "row__answer", "row__criterion", "human_score"))
    named = items.values_list("row__answer__session__participant__code", "row__answer__prompt__prompt_id")
    runs = [judge.pk for judge in judges]
    scores = scores_by_judge(sample.judging_run.study, runs, items.order_by())
    judged = [
        [scores.get((run, (answer, criterion)), math.nan) for run in runs]
        for _, answer, criterion, _ in facts
    ]
    return Ratings(
        strata=[stratum for stratum, *_ in facts],
        answers=[f"{code}\n{prompt_id}" for code, prompt_id in named],
        human=np.array([math.nan if score is None else score for *_, score in facts]),
        judged=np.array(judged, dtype=np.float64).reshape(len(facts), len(runs)),
    )


def _audited_stratum(stratum: Stratum, ratings: Ratings) -> AuditedStratum:
    here = np.array([name == stratum.name for name in ratings.strata], dtype=bool)
    known = here & ~np.isnan(ratings.human)
    human, judged = ratings.human[known], ratings.judged[known, 0]
    return AuditedStratum(
        stratum=stratum,
        gone=stratum.drawn - int(here.sum()),
        rated=int(known.sum()),
        same_side=int(((human >= MET) == (judged >= MET)).sum()),
        offset=float((judged - human).mean()) if known.any() else math.nan,
    )
