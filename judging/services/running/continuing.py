"""Whether a run that is open already is the one that somebody means."""

from collections.abc import Sequence

from judging.models import JudgingRun, RunPurpose
from judging.services.running.judge_specs import JudgeSpec
from judging.services.running.runs import scoring_runs_of
from studies.services.refusals import Refused


class RunOfOthers(Refused):
    """The open run asks other judges than those that were named, or was planned under another design."""


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
    asks = {(one["judge"], one["replicate"], one["criteria_per_call"]) for one in run.estimate}
    kind = run.study.protocol.judge_kind
    named = {
        (spec.config.slug if spec.config else kind, spec.replicate, spec.criteria_per_call) for spec in specs
    }
    if asks != named:
        judges = ", ".join(_asked_in_words(*one) for one in sorted(asks))
        raise RunOfOthers(
            f"The study's open run asks {judges}: name the same judges and replicates to continue it, or "
            "cancel it before you ask others."
        )
    if any(one.design_hash != run.study.design_hash for one in scoring_runs_of(run)):
        raise RunOfOthers(
            "The study's open run was planned before its protocol was amended; cancel it, and run the same "
            "command again. What both have in common is not asked again."
        )


def _asked_in_words(judge: str, replicate: int, criteria_per_call: int) -> str:
    together = f", {criteria_per_call} criteria a call" if criteria_per_call > 1 else ""
    return f"{judge} (replicate {replicate}{together})"
