"""A comparison of several criteria a call with one a call, from its plan to its report."""

from decimal import Decimal

from judging.coordinator import Clock, run_work_through
from judging.models import RunPurpose
from judging.selectors.runs import open_judging_run
from judging.services.comparing import (
    Comparison,
    ComparisonReport,
    comparison_is_needed,
    comparison_plan,
    comparison_report,
    comparison_start,
)
from judging.services.running.coordinating import require_same_judges
from judging.services.running.planning import Progress
from judging.services.running.settling import answers_complete
from studies.models import User


def judging_compare(
    *,
    comparison: Comparison,
    budget: Decimal | None,
    actor: User | None,
    clock: Clock,
    planning: Progress,
    judging: Progress,
) -> ComparisonReport:
    """Ask about the sample both ways, as far as that is not known yet, and report. No results are computed.

    An open comparison of the same judges is worked through first. Raises what the steps raise, and RunPaused.
    """
    study = comparison.study
    if (under_way := open_judging_run(study)) is not None:
        require_same_judges(under_way, comparison.specs, purpose=RunPurpose.COMPARISON)
        run_work_through(run=under_way, clock=clock, progress=judging)
    plan = comparison_plan(comparison=comparison, now=clock(), progress=planning)
    if comparison_is_needed(comparison, plan, clock()):
        begun = comparison_start(comparison=comparison, plan=plan, budget=budget, actor=actor, now=clock())
        run_work_through(run=begun, clock=clock, progress=judging)
    for run in comparison.scoring_runs(clock()):
        answers_complete(run=run, now=clock())
    return comparison_report(comparison=comparison, now=clock())
