"""What an audit says about the judges: in the sample, and weighted back to all verdicts.

In the scope `public` it speaks of the verdicts on public prompts: of each stratum how many there were and how
many of them were drawn was kept at the draw.
"""

import math
from dataclasses import dataclass

import numpy as np

from judging.models import AuditSample, ScoringRun
from judging.selectors import audits
from psychometrics.agreement.audit import AuditAgreement, Ratings, audit_agreement, rated
from psychometrics.agreement.audit_sample import Stratum
from psychometrics.agreement.two_raters import MET
from psychometrics.inference.measure import Scope
from studies.selectors.private_questions import of_public

RESAMPLES = 1000
CODE, PROMPT_ID = "row__answer__session__participant__code", "row__answer__prompt__prompt_id"
ITEM_FACTS = ("stratum", "row__answer", "row__criterion", "human_score", "rater", CODE, PROMPT_ID)


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
    judges, frame = audits.sample_judges(sample), audits.sample_strata(sample, scope)
    items = audits.counting_items(sample)
    if scope == Scope.PUBLIC:
        items = items.filter(of_public(audits.PROMPT))
    facts = list(items.values_list(*ITEM_FACTS, named=True))
    runs = [judge.pk for judge in judges]
    scores = audits.scores_by_judge(sample.judging_run.study, runs, items.order_by())
    judged = [
        [scores.get((run, (item.row__answer, item.row__criterion)), math.nan) for run in runs]
        for item in facts
    ]
    ratings = Ratings(
        strata=[item.stratum for item in facts],
        answers=[f"{getattr(item, CODE)}\n{getattr(item, PROMPT_ID)}" for item in facts],
        human=np.array([math.nan if item.human_score is None else item.human_score for item in facts]),
        judged=np.array(judged, dtype=np.float64).reshape(len(facts), len(runs)),
    )
    drawn = sum(stratum.drawn for stratum in frame)
    return AuditResult(
        drawn=drawn,
        gone=drawn - len(facts),
        rated=rated(ratings),
        raters=len({item.rater for item in facts if item.human_score is not None}),
        judges=tuple(
            AuditedJudge(
                judge, audit_agreement(ratings, column, frame, seed=sample.seed, resamples=RESAMPLES)
            )
            for column, judge in enumerate(judges)
        ),
        strata=tuple(_audited_stratum(one, ratings) for one in frame),
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
