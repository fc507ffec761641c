"""Whether several criteria a call may be used for scores: only after a comparison with one, on a sample."""

from collections.abc import Iterable

from judging.models import ScoringRun
from judging.selectors.comparisons import MIN_ANSWERS, MIN_CRITERIA, ComparisonEvidence, compared_so_far
from judging.services.running.judge_specs import criteria_per_call_of, identity_sha256
from studies.services.refusals import Refused


class NotCompared(Refused):
    """Scores by several criteria a call were asked for before that was compared with one a call."""


def require_compared(runs: Iterable[ScoringRun]) -> None:
    """Raise NotCompared unless each of these judges may ask as many criteria a call as it does."""
    for run in runs:
        if criteria_per_call_of(run) > 1 and not (found := compared_for(run)).is_enough:
            raise NotCompared(_remedy(run, found))


def compared_for(run: ScoringRun) -> ComparisonEvidence:
    """What the comparisons of the run's judge with itself, asked one criterion a call, rest on."""
    kept = {name: value for name, value in run.judge.items() if name != "batched_text_sha256"}
    single = identity_sha256({**kept, "criteria_per_call": 1})
    return compared_so_far(run.study, single_sha256=single, batched_sha256=run.judge_sha256)


def _remedy(run: ScoringRun, found: ComparisonEvidence) -> str:
    number, name = criteria_per_call_of(run), run.config.slug if run.config else run.judge_kind
    unfinished = "" if found.finished else ", and no comparison is finished"
    return (
        f'The judge "{name}" may not score with {number} criteria a call before that was compared with one '
        f"a call on at least {MIN_ANSWERS} answers and {MIN_CRITERIA} criteria, under these judge texts "
        f"and on this prompt bank; so far: answers {found.answers:,}, criteria {found.criteria:,}"
        f"{unfinished}. Run compare_batched {run.study.slug} --judge {name} --criteria-per-call {number} "
        "(with more --answers or another --seed, if you did), or ask one criterion a call."
    )
