"""What the off-task filter found in a study, in numbers: never a score, a profile or a name."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Max, Q, Subquery

from psychometrics.agreement.coefficients import kappa_of
from psychometrics.exclusions.rules import rated_twice
from screening.models import ParticipantFlag, ScreeningPlan, ScreeningRun
from screening.selectors import participants
from screening.selectors.exclusion_facts import decisions_by_rater
from studies.models import Study


@dataclass(frozen=True)
class Screening:
    """Flags under one version of the rules, and what became of the flagged people under any."""

    rules_version: str
    participants: int
    answers: dict[str, int]
    people: dict[str, int]
    undecided: int
    excluded: int


@dataclass(frozen=True)
class LastFilter:
    """When the rules last ran; `participants` is None where a version ran them that kept no count."""

    ran_at: datetime
    rules_version: str
    participants: int | None
    flagged_people: int | None


@dataclass(frozen=True)
class PeopleCounts:
    """Finished people by what became of them; `finished_since` ended after the moment that was asked for."""

    finished: int
    flagged: int
    undecided: int
    excluded: int
    finished_since: int

    @property
    def counted(self) -> int:
        return self.finished - self.excluded


@dataclass(frozen=True)
class ReviewerAgreement:
    """How far two reviewers agree: over the `people` both decided about. NaN: too few, or all alike."""

    kappa: float
    people: int
    agreeing: int


def screening_summary(study: Study, rules_version: str) -> Screening:
    """Count the stored flags of ended sessions."""
    people = participants.screened_participants(study).values("pk")
    of_answers = participants.current_answer_flags().filter(
        answer__session__participant__in=people, rules_version=rules_version
    )
    of_people = participants.current_participant_flags().filter(
        participant__in=people, rules_version=rules_version
    )
    return Screening(
        rules_version=rules_version,
        participants=people.count(),
        answers=dict(of_answers.values_list("reason").annotate(flags=Count("pk")).order_by("reason")),
        people=dict(of_people.values_list("reason").annotate(flags=Count("pk")).order_by("reason")),
        undecided=participants.undecided_participants(study).count(),
        excluded=participants.excluded_participants(study).count(),
    )


def last_filter(study: Study) -> tuple[LastFilter | None, float | None]:
    """The newest run of the rules, None where they never ran, so that nothing is known of anybody; and the
    share of flagged people that two reviewers read, None where the study has not decided.
    """
    share = ScreeningPlan.objects.filter(study=study).values_list("second_share", flat=True)
    runs = ScreeningRun.objects.filter(study=study).annotate(second_share=Subquery(share[:1]))
    run = runs.order_by("-pk").first()
    if run is not None:
        found = LastFilter(run.ran_at, run.rules_version, run.participants, run.flagged_people)
        return found, run.second_share
    flags = ParticipantFlag.objects.filter(participant__study=study).order_by()
    newest = flags.values_list("rules_version").annotate(at=Max("flagged_at")).order_by("-at").first()
    return (LastFilter(newest[1], newest[0], None, None) if newest else None), share.first()


def people_counts(study: Study, since: datetime | None) -> PeopleCounts:
    """Everything that is counted of finished people, in one query."""
    flagged = participants.flagged_participants(study).order_by().values("pk")
    undecided = participants.undecided_participants(study).order_by().values("pk")
    excluded = participants.excluded_participants(study).values("pk")
    since_then = Q(session__ended_at__gt=since) if since else Q()
    found = participants.screened_participants(study).aggregate(
        finished=Count("pk"),
        flagged=Count("pk", filter=Q(pk__in=flagged)),
        undecided=Count("pk", filter=Q(pk__in=undecided)),
        excluded=Count("pk", filter=Q(pk__in=excluded)),
        finished_since=Count("pk", filter=since_then),
    )
    return PeopleCounts(**found)


def reviewer_agreement(study: Study) -> ReviewerAgreement:
    """Cohen's kappa of the first two independent readings."""
    twice = rated_twice(decisions_by_rater(study))
    first, second = [float(one.first) for one in twice], [float(one.second) for one in twice]
    agreeing = sum(one.first == one.second for one in twice)
    return ReviewerAgreement(kappa_of(first, second), len(twice), agreeing)
