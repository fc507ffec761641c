"""Several criteria a call beside one a call: the same judge asked about one sample, and what came of it."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from random import Random
from typing import TypeVar

import numpy as np

from judging.models import JudgeConfig, JudgingRun, RunPurpose, ScoringRun
from judging.selectors.comparisons import (
    ComparisonEvidence,
    JudgingCost,
    RubricAnswer,
    answer_scores,
    criteria_of,
    criterion_scores,
    rubric_answers,
    spent_on,
)
from judging.services.judge_keys import JudgeNotConfigured
from judging.services.running.judge_specs import (
    JudgeSpec,
    compared_for,
    scoring_run_open,
    study_judge_specs,
)
from judging.services.running.planning import Progress
from judging.services.running.runs import RunPlan, run_plan, run_start
from psychometrics.agreement.pairs import Agreement, agreement_from_seed
from psychometrics.agreement.warnings import AgreementWarning, ThetaChange, agreement_warnings
from psychometrics.inference.clusters import Array, ClusterEstimate, linear_estimate
from psychometrics.irt.bank import ItemBank
from studies.models import Study, User
from studies.selectors.item_arrays import item_arrays
from studies.services.refusals import Refused

USUAL_ANSWERS = 40
RESAMPLES = 1000
SAMPLE = "sample"
Key = TypeVar("Key", bound=Hashable)


class NothingToCompare(Refused):
    """The study has no answers that could be asked about in both ways."""


@dataclass(frozen=True)
class Comparison:
    """One judge, asked about the same answers by one criterion a call and by several; `seed` drew them."""

    study: Study
    config: JudgeConfig
    criteria_per_call: int
    seed: int
    answers: tuple[RubricAnswer, ...]

    @property
    def specs(self) -> tuple[JudgeSpec, JudgeSpec]:
        return JudgeSpec(self.config), JudgeSpec(self.config, criteria_per_call=self.criteria_per_call)

    @property
    def answer_pks(self) -> list[int]:
        return [answer.pk for answer in self.answers]

    def scoring_runs(self, now: datetime) -> tuple[ScoringRun, ScoringRun]:
        """The scores by one criterion a call, and those by several."""
        single, batched = (scoring_run_open(study=self.study, spec=spec, now=now) for spec in self.specs)
        return single, batched


def comparison_draw(
    *, study: Study, config: JudgeConfig, criteria_per_call: int, answers: int, seed: int
) -> Comparison:
    """Draw the sample; the same answers and seed give the same one, whatever is judged already.

    Fewer than `answers` where there are no more. Raises JudgeNotConfigured, NothingToCompare.
    """
    if criteria_per_call < 2:
        raise JudgeNotConfigured("One criterion a call is what is compared with: give 2 or more a call.")
    study_judge_specs(study=study, configs=[config], criteria_per_call=criteria_per_call)
    there = rubric_answers(study)
    if not there:
        raise NothingToCompare(
            f'The study "{study.slug}" has no answers that count to prompts with two criteria or more; wait '
            "until there are some, or ask one criterion a call."
        )
    # From as many prompts as possible: one answer to each, then a second one to each ….
    rng = Random(seed)  # noqa: S311  # a sample, no secret
    by_prompt: dict[int, list[RubricAnswer]] = {}
    for answer in there:
        by_prompt.setdefault(answer.prompt_pk, []).append(answer)
    for own in by_prompt.values():
        rng.shuffle(own)
    drawn: list[RubricAnswer] = []
    while len(drawn) < min(answers, len(there)):
        left = [own for own in by_prompt.values() if own]
        turn = rng.sample(left, min(len(left), answers - len(drawn)))
        drawn += [own.pop() for own in turn]
    drawn.sort(key=lambda answer: answer.pk)
    return Comparison(study, config, criteria_per_call, seed, tuple(drawn))


def comparison_plan(*, comparison: Comparison, now: datetime, progress: Progress) -> RunPlan:
    """What is left to ask of the sample, both ways. Raises what `run_plan` raises."""
    return run_plan(
        study=comparison.study,
        specs=comparison.specs,
        now=now,
        progress=progress,
        only=frozenset(comparison.answer_pks),
    )


def comparison_start(
    *, comparison: Comparison, plan: RunPlan, budget: Decimal | None, actor: User | None, now: datetime
) -> JudgingRun:
    """Freeze the plan; seed and size of the sample go on record with it. Raises RunIsOpen, PlanOutdated.

    A plan without rows makes a run, too, which ends at once: that everything was known is on record then.
    """
    return run_start(
        plan=plan,
        budget=budget,
        actor=actor,
        now=now,
        purpose=RunPurpose.COMPARISON,
        details={"seed": comparison.seed, "answers": len(comparison.answers)},
    )


def comparison_is_needed(comparison: Comparison, plan: RunPlan, now: datetime) -> bool:
    """Whether something is left to ask, or no comparison of these two is on record yet."""
    _, batched = comparison.scoring_runs(now)
    return bool(plan.rows) or not compared_for(batched).finished


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
    drawn, pks, seed = comparison.answers, comparison.answer_pks, comparison.seed
    # Every criterion of the drawn answers, not multiplied with the judge's confidence.
    criteria = criteria_of({answer.prompt_pk for answer in drawn})
    cells = [(answer.pk, criterion) for answer in drawn for criterion in criteria[answer.prompt_pk]]
    x, y = (_aligned(criterion_scores(run, pks), cells) for run in (single, batched))
    by_criterion = agreement_from_seed(x, y, [pk for pk, _ in cells], seed=seed, resamples=RESAMPLES)
    x, y = (_aligned(answer_scores(run, pks), pks) for run in (single, batched))
    people = [answer.participant for answer in drawn]
    by_answer = agreement_from_seed(x, y, people, seed=seed, resamples=RESAMPLES)
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


def _aligned(scores: Mapping[Key, float], keys: Sequence[Key]) -> Array:
    """(keys,), NaN where there is no score."""
    return np.array([scores.get(key, np.nan) for key in keys], dtype=np.float64)


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
