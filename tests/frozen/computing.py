"""Compute everything that rests on people's answers again, by the services that the commands use."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TypeVar

from judging.judges.interface import JudgeTask
from judging.judges.local_judges import LocalJudge
from judging.models import AnswerScore, CriterionScore, JudgeCall, ScoringRun
from judging.selectors.judging import prompts_to_judge
from judging.services.running.judge_specs import judge_of, scoring_run_open, spec_of
from judging.services.running.settling import answer_scores, scores_store
from scoring.models import JudgeComparison
from scoring.selectors.measures import measurement_of
from scoring.selectors.runs import newest_results
from scoring.services.agreements import agreements_compute
from scoring.services.freshness import runs_to_keep
from scoring.services.measurement import SEED, measurement_compute
from scoring.services.results import results_compute
from screening.models import AnswerFlag, ParticipantFlag
from screening.services.screening import study_screen
from studies.models import Study

Row = TypeVar("Row", CriterionScore, JudgeCall)
MIN_RESAMPLES = 100  # that measure_study takes


def study_compute(study: Study, now: datetime) -> None:
    """Flags, verdicts that need no model, scores, agreement, results, measurement.

    Seeds and resamples are those of the newest measurement.
    """
    flags_again(study)
    runs = runs_to_keep(study)
    for run in runs:
        judge_again(run, now)
        scores_again(run)
    # JudgeComparison whose inputs are as they were would only be stamped.
    JudgeComparison.objects.filter(first__study=study).update(inputs_sha256="")
    agreements_compute(study=study, now=now)
    for run in runs:
        seed, resamples = draws_of(run)
        results = results_compute(run=run, now=now)
        measurement_compute(results=results, now=now, seed=seed, resamples=resamples)


def draws_of(run: ScoringRun) -> tuple[int, int]:
    """Seed and resamples of the newest measurement, else what a first one takes."""
    results = newest_results(run)
    earlier = measurement_of(results) if results else None
    return (earlier.seed, earlier.resamples) if earlier else (SEED, MIN_RESAMPLES)


def flags_again(study: Study) -> None:
    """Off-task flags are added and never changed, so that those there are have to go first."""
    of_people = ParticipantFlag.objects.filter(participant__study=study)
    of_answers = AnswerFlag.objects.filter(answer__session__participant__study=study)
    moments = {
        *of_people.values_list("flagged_at", flat=True),
        *of_answers.values_list("flagged_at", flat=True),
    }
    if moments:
        of_people.delete()
        of_answers.delete()
        study_screen(study=study, now=min(moments))


def judge_again(run: ScoringRun, now: datetime) -> None:
    """Verdicts of a judge that computes; of a language model the hashes of what it would be asked.

    Raises AssertionError where the same judge would now be taken for another one.
    """
    spec = spec_of(run)
    assert scoring_run_open(study=run.study, spec=spec, now=now) == run, f"the judge of {run} is another one"
    with judge_of(run.study, spec) as judge:
        if isinstance(judge, LocalJudge):
            verdicts_again(run, judge)
            return
        calls = list(JudgeCall.objects.filter(run=run).select_related("answer", "criterion"))
        for call, task in tasks_of(calls):
            position = call.criterion.position if call.criterion else None
            if request := judge.request(task, (position,)):
                JudgeCall.objects.filter(pk=call.pk).update(request_sha256=request.sha256)


def verdicts_again(run: ScoringRun, judge: LocalJudge) -> None:
    rows = list(CriterionScore.objects.filter(run=run).select_related("answer", "criterion"))
    for row, task in tasks_of(rows):
        said = judge.verdict(task, row.criterion.position if row.criterion else None)
        row.score, row.confidence, row.explanation = said.score, said.confidence, said.explanation
    CriterionScore.objects.bulk_update(rows, ["score", "confidence", "explanation"])


def tasks_of(rows: Sequence[Row]) -> Iterator[tuple[Row, JudgeTask]]:
    """Each row with what a judge would be given for its answer."""
    prompts = prompts_to_judge({row.answer.prompt_id for row in rows})
    for row in rows:
        yield row, replace(prompts[row.answer.prompt_id].task, answer=row.answer.text)


def scores_again(run: ScoringRun) -> None:
    """The scores of answers from the verdicts on them, at the moments they were stored."""
    stored = {score.answer_id: score for score in AnswerScore.objects.filter(run=run).order_by("pk")}
    again = answer_scores(run, [(one.answer_id, one.revision) for one in stored.values()], run.started_at)
    for score in again:
        score.judged_at = stored[score.answer_id].judged_at
    scores_store(again)
