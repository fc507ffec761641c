"""The order of the steps; each reads what the one before stored, and none knows the others."""

from collections.abc import Sequence
from dataclasses import dataclass

from scoring.judge.interface import Judge
from scoring.models import ResultSet
from scoring.selectors.judging import JudgingState
from scoring.selectors.screening import Screening
from scoring.services.judging import Clock, Progress, answers_judge, run_open
from scoring.services.results import results_compute
from scoring.services.screening import study_screen
from studies.models import Study

PASSES = 2


@dataclass(frozen=True)
class Scoring:
    """What each step left behind."""

    screening: Screening
    judging: JudgingState
    results: ResultSet


def study_score(
    *, study: Study, judges: Sequence[Judge], concurrency: int, clock: Clock, progress: Progress
) -> Scoring:
    """Screen, judge what has no score yet, compute the results. It may be stopped and run again at any time.

    What a first pass leaves unscored is asked once more. Raises what the steps raise; no results are computed
    then, and everything judged so far is stored.
    """
    screening = study_screen(study=study, now=clock())
    run = run_open(study=study, judge=judges[0], now=clock())
    for _ in range(PASSES):
        judging = answers_judge(
            run=run, judges=judges, concurrency=concurrency, clock=clock, progress=progress
        )
        if judging.left == 0:
            break
    return Scoring(screening, judging, results_compute(run=run, now=clock()))
