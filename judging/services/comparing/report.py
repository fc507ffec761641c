"""What a comparison found: agreement with one criterion a call, theta, and what was saved."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np

from judging.models import ScoringRun
from judging.selectors.comparisons import (
    ComparisonEvidence,
    JudgingCost,
    RubricAnswer,
    answer_scores,
    criteria_of,
    criterion_scores,
    spent_on,
)
from judging.services.comparing.comparisons import Comparison
from judging.services.running.compared import compared_for
from psychometrics.agreement.pairs import Agreement, agreement_from_seed
from psychometrics.agreement.warnings import AgreementWarning, ThetaChange, agreement_warnings
from psychometrics.inference.clusters import Array, ClusterEstimate, linear_estimate
from psychometrics.irt.bank import ItemBank
from studies.selectors.banks import item_arrays

RESAMPLES = 1000
SAMPLE = "sample"


@dataclass(frozen=True)
class ComparisonReport:
    """Judge x is asked one criterion a call, judge y several; differences are several less one.

    `by_criterion` holds the scores of criteria, clustered by answer; `by_answer` the sample scores, clustered
    by participant. `theta` is of all drawn answers that both scored, None without an item bank. `so_far` is
    everything this judge was compared on, which decides whether it may be used.
    """

    comparison: Comparison
    by_criterion: Agreement
    by_answer: Agreement
    theta: ThetaChange | None
    warnings: tuple[AgreementWarning, ...]
    single: JudgingCost
    batched: JudgingCost
    so_far: ComparisonEvidence


def comparison_report(*, comparison: Comparison, now: datetime) -> ComparisonReport:
    """Read off what is stored; the seed of the sample is that of the bootstrap, too."""
    single, batched = comparison.scoring_runs(now)
    drawn, pks = comparison.answers, comparison.answer_pks
    by_criterion = _criterion_agreement(drawn, single, batched, comparison.seed)
    x, y = (_scores_of(drawn, answer_scores(run, pks)) for run in (single, batched))
    people = [answer.participant for answer in drawn]
    by_answer = agreement_from_seed(x, y, people, seed=comparison.seed, resamples=RESAMPLES)
    bank = comparison.study.item_bank
    theta = _theta_change(drawn, x, y, item_arrays(bank)) if bank and not bank.is_logistic else None
    return ComparisonReport(
        comparison=comparison,
        by_criterion=by_criterion,
        by_answer=by_answer,
        theta=theta,
        warnings=agreement_warnings(by_criterion, [theta] if theta else []),
        single=spent_on(single, pks),
        batched=spent_on(batched, pks),
        so_far=compared_for(batched),
    )


def _criterion_agreement(
    drawn: Sequence[RubricAnswer], single: ScoringRun, batched: ScoringRun, seed: int
) -> Agreement:
    """Agreement on every criterion of the drawn answers, not multiplied with the judge's confidence."""
    criteria = criteria_of({answer.prompt_pk for answer in drawn})
    cells = [(answer.pk, criterion) for answer in drawn for criterion in criteria[answer.prompt_pk]]
    pks = [answer.pk for answer in drawn]
    x, y = (
        np.array([scores.get(cell, np.nan) for cell in cells], dtype=np.float64)
        for scores in (criterion_scores(single, pks), criterion_scores(batched, pks))
    )
    return agreement_from_seed(x, y, [pk for pk, _ in cells], seed=seed, resamples=RESAMPLES)


def _scores_of(drawn: Sequence[RubricAnswer], scores: Mapping[int, float]) -> Array:
    """(answers,), NaN where there is no score."""
    return np.array([scores.get(answer.pk, np.nan) for answer in drawn], dtype=np.float64)


def _theta_change(drawn: Sequence[RubricAnswer], x: Array, y: Array, items: ItemBank) -> ThetaChange:
    """Theta of the pairs that both scored and the item bank knows; its error is clustered by participant."""
    places = np.array([items.index.get(answer.prompt_id, -1) for answer in drawn], dtype=np.int64)
    rows = np.flatnonzero((places >= 0) & ~np.isnan(x) & ~np.isnan(y))
    people = np.array([answer.participant for answer in drawn], dtype=str)[rows]

    def theta(p: Array) -> ClusterEstimate:
        a, b = items.a[places[rows]], items.b[places[rows]]
        return linear_estimate(a, items.transform.to_logit(p[rows]) + a * b, people)

    of_x, of_y = theta(x).estimate, theta(y).estimate
    return ThetaChange(SAMPLE, of_x.value, of_y.value, of_x.se)
