"""A study at a glance for staff. No text, no score and no name is in it."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median_low

from batches.models import BatchPlan
from batches.rules.coverage import coverage_lines
from batches.selectors.plans import plan_coverage
from batches.selectors.progress import StatusCounts, StudyProgress, study_progress
from scoring.models import ResultSet
from scoring.selectors.runs import newest_study_results
from screening.selectors.flow import StudyFlow, study_flow
from screening.selectors.participants import undecided_participants
from studies.models import Amendment, Study
from studies.protocol.settings import ProtocolSettings


@dataclass(frozen=True)
class Filled:
    """How far some places are filled: `done` sessions have ended, `running` have not, of `places`."""

    name: str
    done: int
    running: int
    withdrawn: int
    places: int


@dataclass(frozen=True)
class BatchFilled:
    """One batch with an entry per profile and per arm, in the order of the protocol."""

    number: int
    prompts: int
    profiles: Sequence[Filled]
    arms: Sequence[Filled]


@dataclass(frozen=True)
class AnswersPerPrompt:
    """How many answers that count the prompts of the study have by now."""

    least: int
    middle: int
    most: int
    without: int


@dataclass(frozen=True)
class Overview:
    """Everything the study's page shows."""

    protocol: ProtocolSettings
    flow: StudyFlow
    plan: BatchPlan | None
    profiles: Sequence[Filled]
    arms: Sequence[Filled]
    batches: Sequence[BatchFilled]
    answers_per_prompt: AnswersPerPrompt | None
    coverage: Sequence[str]
    undecided: int
    results: ResultSet | None
    amendments: Sequence[Amendment]


def study_overview(study: Study) -> Overview:
    """The page's content; a fixed number of queries for any size."""
    protocol = study.protocol
    plan = BatchPlan.objects.select_related("study").filter(study=study).first()
    progress = study_progress(study)
    matrix = plan is not None and plan.assembly == "matrix"  # hundreds of batches, for one person each
    return Overview(
        protocol=protocol,
        flow=study_flow(study),
        plan=plan,
        profiles=[
            _filled(
                profile.name,
                progress.profiles[profile.slug],
                sum(batch.places[profile.slug] for batch in progress.batches),
            )
            for profile in protocol.profiles
        ],
        arms=[
            _filled(arm, counts, sum(batch.arm_places[arm] for batch in progress.batches))
            for arm, counts in progress.arms.items()
        ],
        batches=_batches(protocol, progress),
        answers_per_prompt=_answers_per_prompt(progress),
        coverage=coverage_lines(plan_coverage(plan), per_batch=not matrix) if plan else (),
        undecided=undecided_participants(study).count(),
        results=newest_study_results(study),
        amendments=list(study.amendments.select_related("made_by").order_by("number")),
    )


def _batches(protocol: ProtocolSettings, progress: StudyProgress) -> list[BatchFilled]:
    return [
        BatchFilled(
            number=batch.number,
            prompts=batch.prompts,
            profiles=[
                _filled(profile.name, batch.profiles[profile.slug], batch.places[profile.slug])
                for profile in protocol.profiles
            ],
            arms=[_filled(arm, counts, batch.arm_places[arm]) for arm, counts in batch.arms.items()],
        )
        for batch in progress.batches
    ]


def _filled(name: str, counts: StatusCounts, places: int) -> Filled:
    return Filled(name, counts.submitted + counts.expired, counts.active, counts.withdrawn, places)


def _answers_per_prompt(progress: StudyProgress) -> AnswersPerPrompt | None:
    numbers = sorted(progress.prompt_coverage.values())
    if not numbers:
        return None
    return AnswersPerPrompt(numbers[0], median_low(numbers), numbers[-1], numbers.count(0))
