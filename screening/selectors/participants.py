"""Who counts, by flags and verdicts on what people last worked on. Test participants are nobody here.

Whoever was given time after the end works on: what was found and decided before says nothing about the new
texts, and stops counting at once, not only when somebody screens again.
"""

from collections.abc import Sequence

from django.db.models import CharField, Count, Exists, OuterRef, Q, QuerySet, Subquery, Value
from django.db.models.functions import Coalesce

from batches.models import SessionEvent, SessionEventKind
from batches.rules.statuses import SessionStatus
from screening.models import AnswerFlag, ParticipantFlag, ScreeningRun, Verdict, VerdictDecision
from screening.offtask.readings import LeftOpen
from studies.models import Participant, Study, User

ENDED = (SessionStatus.SUBMITTED, SessionStatus.EXPIRED)


def study_people(study: Study) -> QuerySet[Participant]:
    """Everyone in the study except test participants."""
    return Participant.objects.filter(study=study, is_test=False)


def screened_participants(study: Study) -> QuerySet[Participant]:
    """Those whose session has ended and was not withdrawn."""
    return study_people(study).filter(session__status__in=ENDED)


def final_verdicts(study: Study) -> QuerySet[Verdict]:
    """Those of the standing verdicts in a study that leave nothing to other reviewers."""
    return standing_verdicts().filter(participant__study=study, leaves_open=LeftOpen.NOTHING)


def excluding_verdicts(study: Study) -> QuerySet[Verdict]:
    """Those that exclude somebody: until a second reading or a settling is there, nobody is excluded."""
    return final_verdicts(study).filter(decision=VerdictDecision.CONFIRM)


def excluded_participants(study: Study) -> QuerySet[Participant]:
    """Those whose exclusion is confirmed for good."""
    return screened_participants(study).filter(pk__in=excluding_verdicts(study).values("participant"))


def retained_participants(study: Study) -> QuerySet[Participant]:
    """Those with an ended session whose exclusion is not confirmed for good."""
    return screened_participants(study).exclude(pk__in=excluding_verdicts(study).values("participant"))


def is_retained(study: Study) -> Q:
    """Whether the person of a session that has ended is among these."""
    return ~Q(participant__in=excluding_verdicts(study).values("participant"))


def flagged_participants(study: Study) -> QuerySet[Participant]:
    """Those a participant-level rule proposes for exclusion, decided or not, by code."""
    flagged = current_participant_flags().filter(participant__study=study).values("participant")
    return screened_participants(study).filter(pk__in=flagged).order_by("code")


def undecided_participants(study: Study) -> QuerySet[Participant]:
    """Flagged participants whom nobody decided about, or whom another reviewer is still to read, by code.

    They are retained until somebody decides.
    """
    return undecided_among(study_people(study)).order_by("code")


def undecided_among(people: QuerySet[Participant]) -> QuerySet[Participant]:
    """The same among people of any studies."""
    flagged = Exists(current_participant_flags().filter(participant=OuterRef("pk")))
    decided = Exists(standing_verdicts().filter(participant=OuterRef("pk"), leaves_open=LeftOpen.NOTHING))
    return people.filter(flagged, ~decided, session__status__in=ENDED)


def undecided_numbers(studies: Sequence[Study]) -> dict[int, int]:
    """How many `undecided_participants` each study has that has any, by its key. One query."""
    undecided = undecided_among(Participant.objects.filter(study__in=studies, is_test=False)).order_by()
    return dict(undecided.values_list("study").annotate(number=Count("pk")))


def unread_participants(study: Study) -> QuerySet[Participant]:
    """Flagged participants without any verdict that counts."""
    read = current_verdicts().filter(participant__study=study).values("participant")
    return flagged_participants(study).exclude(pk__in=read)


def waiting_for(study: Study, reviewer: User, *, settles: bool) -> QuerySet[Participant]:
    """Undecided participants whom this reviewer can give the next verdict on; `waits_for` says which.

    What they read themselves waits for others; whoever `settles` may settle that, too.
    """
    verdicts = current_verdicts().filter(participant=OuterRef("pk"))
    newest = verdicts.order_by("-pk").values("leaves_open")[:1]
    people = undecided_participants(study).annotate(
        waits_for=Coalesce(Subquery(newest), Value("first"), output_field=CharField()),
        read_before=Exists(verdicts.filter(decided_by=reviewer)),
    )
    others = [LeftOpen.SECOND] if settles else [LeftOpen.SECOND, LeftOpen.SETTLING]
    return people.exclude(read_before=True, waits_for__in=others)


def studies_with_open_verdicts() -> list[Study]:
    """Where somebody still waits for a verdict."""
    return [study for study in Study.objects.all() if undecided_participants(study).exists()]


WENT_ON = (SessionEventKind.EXTENDED, SessionEventKind.REOPENED, SessionEventKind.REVIVED)


def current_answer_flags() -> QuerySet[AnswerFlag]:
    """Flags on answers whose session has not gone on since."""
    return AnswerFlag.objects.exclude(_went_on_after("flagged_at", session=OuterRef("answer__session")))


def current_participant_flags() -> QuerySet[ParticipantFlag]:
    """Flags on people whose session has not gone on since."""
    return ParticipantFlag.objects.exclude(
        _went_on_after("flagged_at", session__participant=OuterRef("participant"))
    )


def current_verdicts() -> QuerySet[Verdict]:
    """Verdicts on people whose session has not gone on since."""
    return Verdict.objects.exclude(_went_on_after("decided_at", session__participant=OuterRef("participant")))


def standing_verdicts() -> QuerySet[Verdict]:
    """The verdict that counts, of everyone in any study who has one: the newest of the current ones."""
    later = current_verdicts().filter(participant=OuterRef("participant"), pk__gt=OuterRef("pk"))
    return current_verdicts().filter(~Exists(later))


def _went_on_after(moment: str, **of_row: OuterRef) -> Exists:
    """Whether the session a row leads to ran again after the time in the row's `moment`.

    Found from the few sessions that went on, not by way of every row's session.
    """
    return Exists(SessionEvent.objects.filter(**of_row, kind__in=WENT_ON, happened_at__gt=OuterRef(moment)))


def filter_ran_after(study: str, ended_at: str) -> Exists:
    """Whether the off-task rules went over everybody of a study after somebody's end; names of the outer
    query's columns. Before that nobody knows whether the person counts.
    """
    return Exists(ScreeningRun.objects.filter(study=OuterRef(study), ran_at__gte=OuterRef(ended_at)))


def filter_ran_at(study: Study) -> Subquery:
    """When the off-task rules went over everybody of the study last; looked up once in a query."""
    return Subquery(ScreeningRun.objects.filter(study=study).order_by("-ran_at").values("ran_at")[:1])
