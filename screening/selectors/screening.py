"""What the off-task filter found in a study, in numbers: never a score, a profile or a name."""

from collections import Counter
from dataclasses import dataclass
from datetime import datetime

from django.db.models import BooleanField, Case, Count, ExpressionWrapper, Q, QuerySet, Subquery, When

from psychometrics.agreement.two_raters import kappa_of
from psychometrics.exclusions.rules import rated_twice
from screening.models import ParticipantFlag, VerdictDecision
from screening.offtask.readings import BLIND
from screening.selectors import participants
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
class FilterFacts:
    """`ran` is None where the rules never ran, so that nothing is known of anybody. `share` of the flagged
    people two reviewers read; None where the study has not decided.
    """

    ran: LastFilter | None
    share: float | None

    @property
    def ran_at(self) -> datetime | None:
        return self.ran.ran_at if self.ran else None


@dataclass(frozen=True)
class PeopleCounts:
    """Finished people by what became of them; `finished_since` ended after the moment that was asked for,
    `unfiltered` of these are not decided about either.
    """

    finished: int
    flagged: int
    undecided: int
    excluded: int
    finished_since: int
    unfiltered: int

    @property
    def counted(self) -> int:
        """Flagged people count until somebody decides; nobody does before the filter went over them."""
        return self.finished - self.excluded - self.unfiltered


@dataclass(frozen=True)
class ReviewerAgreement:
    """How far two reviewers agree: over the `people` whom two decided about, both sure and neither knowing
    what the other said. NaN: too few, or all alike. `read_twice` are all whom two or more read, whatever for.
    """

    kappa: float
    people: int
    agreeing: int
    read_twice: int


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


def last_filter(study: Study) -> FilterFacts:
    """The newest run of the rules, with what else is known of the study's screening; one query."""
    flags = ParticipantFlag.objects.filter(participant__study=study).order_by("-flagged_at", "-pk")
    of_flags = [
        Case(When(screening_runs=None, then=Subquery(flags.values(column)[:1])))
        for column in ("flagged_at", "rules_version")
    ]
    of_run = [
        f"screening_runs__{column}"
        for column in ("ran_at", "rules_version", "participants", "flagged_people")
    ]
    rows = Study.objects.filter(pk=study.pk).order_by("-screening_runs__pk")
    *ran, flagged_at, flagged_by, share = rows.values_list(
        *of_run, *of_flags, "screening_plan__second_share"
    )[0]
    share = share if study.protocol.second_share is None else study.protocol.second_share
    if ran[0] is not None:
        return FilterFacts(LastFilter(*ran), share)
    return FilterFacts(LastFilter(flagged_at, flagged_by, None, None) if flagged_at else None, share)


def second_share(study: Study) -> float | None:
    """Which share of the flagged people two reviewers read: by the protocol, or as a lead set it in studies
    that were locked before the protocol said so; None where nobody decided.
    """
    return last_filter(study).share


def people_counts(study: Study, since: datetime | None) -> PeopleCounts:
    """Everything that is counted of finished people, in one query."""
    flags = participants.current_participant_flags().filter(participant__study=study)
    facts = (
        Q(pk__in=flags.values("participant")),
        Q(pk__in=participants.final_verdicts(study).values("participant")),
        Q(pk__in=participants.excluding_verdicts(study).values("participant")),
        Q(session__ended_at__gt=since) if since else Q(pk__isnull=False),
    )
    wrapped = {
        f"fact_{place}": ExpressionWrapper(fact, output_field=BooleanField())
        for place, fact in enumerate(facts)
    }
    # Grouped, so that each of these is asked once.
    groups = (
        participants.screened_participants(study).order_by().values(**wrapped).annotate(people=Count("pk"))
    )
    rows = list(groups.values_list(*wrapped, "people"))
    return PeopleCounts(
        finished=sum(people for *_facts, people in rows),
        flagged=sum(people for flag, *_facts, people in rows if flag),
        undecided=sum(people for flag, done, *_facts, people in rows if flag and not done),
        excluded=sum(people for _flag, _done, out, _since, people in rows if out),
        finished_since=sum(people for *_facts, later, people in rows if later),
        unfiltered=sum(people for _flag, done, _out, later, people in rows if later and not done),
    )


def reviewer_agreement(study: Study) -> ReviewerAgreement:
    """Cohen's kappa of the first two independent readings."""
    twice = rated_twice(decisions_by_rater(study))
    first, second = [float(pair.first) for pair in twice], [float(pair.second) for pair in twice]
    agreeing = sum(pair.first == pair.second for pair in twice)
    people = participants.screened_participants(study).values("pk")
    readers = participants.current_verdicts().filter(participant__in=people).order_by()
    read_twice = readers.values("participant").annotate(readers=Count("decided_by", distinct=True))
    return ReviewerAgreement(
        kappa_of(first, second), len(twice), agreeing, read_twice.filter(readers__gte=2).count()
    )


def excluded_by_reason(study: Study) -> dict[str, int]:
    """How many people are excluded, by what the screening had flagged: "few_answers+mostly_off_task"."""
    rows: QuerySet[ParticipantFlag] = participants.current_participant_flags().filter(
        participant__in=participants.excluded_participants(study).values("pk")
    )
    reasons: dict[int, set[str]] = {}
    for participant, reason in rows.order_by().values_list("participant", "reason"):
        reasons.setdefault(participant, set()).add(reason)
    counts = Counter("+".join(sorted(of_one)) for of_one in reasons.values())
    return dict(sorted(counts.items()))


def decisions_by_rater(study: Study) -> dict[str, dict[int, bool]]:
    """Of each person each rater's first decision (confirmed or not), raters in the order they decided.

    Decisions of readers who were independent: not who was unsure, nor who had seen what others said.
    """
    people = participants.screened_participants(study).values("pk")
    sure = participants.current_verdicts().exclude(decision=VerdictDecision.UNSURE)
    blind = sure.filter(reading__in=BLIND, participant__in=people).order_by("pk")
    decisions: dict[str, dict[int, bool]] = {}
    for code, rater, decision in blind.values_list("participant__code", "decided_by", "decision"):
        decisions.setdefault(code, {}).setdefault(rater, decision == VerdictDecision.CONFIRM)
    return decisions
