"""Who counts. Test participants are nobody here."""

from django.db.models import Max, QuerySet

from batches.rules.statuses import SessionStatus
from screening.models import Verdict, VerdictDecision
from screening.selectors.current import current_participant_flags, current_verdicts
from studies.models import Participant, Study

ENDED = (SessionStatus.SUBMITTED, SessionStatus.EXPIRED)


def study_people(study: Study) -> QuerySet[Participant]:
    """Everyone in the study except test participants."""
    return Participant.objects.filter(study=study, is_test=False)


def newest_verdicts(study: Study) -> QuerySet[Verdict]:
    """The verdict that counts, of everyone who has one."""
    newest = current_verdicts().filter(participant__study=study).order_by().values("participant")
    return Verdict.objects.filter(pk__in=newest.annotate(newest=Max("pk")).values("newest"))


def screened_participants(study: Study) -> QuerySet[Participant]:
    """Those whose session has ended and was not withdrawn."""
    return study_people(study).filter(session__status__in=ENDED)


def excluded_participants(study: Study) -> QuerySet[Participant]:
    """Those whose newest verdict confirms the exclusion."""
    confirmed = newest_verdicts(study).filter(decision=VerdictDecision.CONFIRM)
    return screened_participants(study).filter(pk__in=confirmed.values("participant"))


def retained_participants(study: Study) -> QuerySet[Participant]:
    """Those with an ended session who are not excluded by a confirmed verdict."""
    confirmed = newest_verdicts(study).filter(decision=VerdictDecision.CONFIRM)
    return screened_participants(study).exclude(pk__in=confirmed.values("participant"))


def flagged_participants(study: Study) -> QuerySet[Participant]:
    """Those a participant-level rule proposes for exclusion, decided or not, by code."""
    flagged = current_participant_flags().filter(participant__study=study).values("participant")
    return screened_participants(study).filter(pk__in=flagged).order_by("code")


def undecided_participants(study: Study) -> QuerySet[Participant]:
    """Flagged participants without a verdict that counts: they are retained until somebody decides."""
    decided = current_verdicts().filter(participant__study=study).values("participant")
    return flagged_participants(study).exclude(pk__in=decided)


def studies_with_open_verdicts() -> list[Study]:
    """Where somebody still waits for a verdict."""
    return [study for study in Study.objects.all() if undecided_participants(study).exists()]
