"""What remains of the open runs, derived from the database alone; doing it twice, or late, does no harm."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Exists, OuterRef, Q

from judging.models import CriterionScore, JudgeConfig, JudgingRun, RowState, RunPurpose, RunState, ScoringRun
from judging.services.running.claim import judge_free
from judging.services.running.counting import calls_expire
from judging.services.running.judge_specs import JudgeSpec
from judging.services.running.runs import run_finish, scoring_runs_of
from judging.services.running.settling import answers_complete, answers_settle, scoring_run_note_end
from studies.services.refusals import Refused


class RunOfOthers(Refused):
    """The open run asks other judges than those that were named, or was planned under another design."""


@dataclass(frozen=True)
class Remaining:
    """Scores that a run goes on with, and rows of it that could be asked about now."""

    judging_run: JudgingRun
    run: ScoringRun


def run_coordinate(*, judging_run: JudgingRun, now: datetime) -> bool:
    """Score what is decided and end the run where everything is; True where it ended just now.

    What is decided while the scores are brought up waits for the next look: a run that is over is never
    looked at again.
    """
    calls_expire(now)
    decided = not judging_run.rows.filter(state=RowState.OPEN).exists()
    for run in scoring_runs_of(judging_run):
        answers_settle(judging_run=judging_run, run=run, now=now)
        scoring_run_note_end(run=run, now=now)
    if decided:
        # What an earlier run left with all its verdicts, and what moments told by other clocks hid.
        for run in scoring_runs_of(judging_run):
            answers_complete(run=run, now=now)
            scoring_run_note_end(run=run, now=now)
    return decided and run_finish(run=judging_run, now=now)


def remaining_of(judging_run: JudgingRun, now: datetime) -> list[Remaining]:
    """The scores with rows that nobody asks about and whose time has come, and whose judge nobody asks and
    has time; none while the run pauses.
    """
    if not JudgingRun.objects.filter(pk=judging_run.pk, state=RunState.RUNNING).exists():
        return []
    waiting = CriterionScore.objects.filter(
        judging_run=judging_run, run=OuterRef("pk"), state=RowState.OPEN, asked_with=None,
        available_at__lte=now,
    )  # fmt: skip
    free = Q(config=None) | Q(config__in=JudgeConfig.objects.filter(judge_free(now)))
    runs = ScoringRun.objects.filter(free, Exists(waiting), study=judging_run.study_id)
    return [Remaining(judging_run, run) for run in runs.select_related("study", "config").order_by("pk")]


def require_same_judges(
    run: JudgingRun, specs: Sequence[JudgeSpec], *, purpose: RunPurpose = RunPurpose.SCORES
) -> None:
    """Raise RunOfOthers unless the open run asks exactly these judges, as often, under today's design.

    And for the same `purpose`: a comparison asks about a sample only.
    """
    if run.purpose != purpose:
        raise RunOfOthers(
            "The study's open run compares several criteria a call with one, on a sample: let it end (or "
            "continue it with compare_batched, or cancel it) before you score the study."
            if run.purpose == RunPurpose.COMPARISON
            else "The study is being scored: let that run end, or cancel it, before you compare."
        )
    asks = {(each["judge"], each["replicate"], each["criteria_per_call"]) for each in run.estimate}
    kind = run.study.protocol.judge_kind
    named = {
        (spec.config.slug if spec.config else kind, spec.replicate, spec.criteria_per_call) for spec in specs
    }
    if asks != named:
        judges = ", ".join(
            f"{judge} (replicate {replicate}{f', {together} criteria a call' if together > 1 else ''})"
            for judge, replicate, together in sorted(asks)
        )
        raise RunOfOthers(
            f"The study's open run asks {judges}: name the same judges and replicates to continue it, or "
            "cancel it before you ask others."
        )
    if any(scores.design_hash != run.study.design_hash for scores in scoring_runs_of(run)):
        raise RunOfOthers(
            "The study's open run was planned before its protocol was amended; cancel it, and run the same "
            "command again. What both have in common is not asked again."
        )
