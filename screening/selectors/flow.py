"""From recruited to retained, in numbers."""

from collections import Counter
from dataclasses import dataclass

from django.db.models import BooleanField, Count, ExpressionWrapper, Q, QuerySet

from batches.models import Answer, Session
from batches.rules.statuses import VOID, AnswerState, SessionStatus, answer_state
from screening.selectors import participants
from studies.models import Participant, Study, VettingStatus


@dataclass(frozen=True)
class StudyFlow:
    """People of a study; test participants are counted apart and nowhere else.

    `withdrawn` are sessions that people withdrew, `voided` those that the study team voided.

    `answers` counts the answers of all sessions by state, `answers_retained` those of retained participants;
    with `public_only` in `study_flow` those to public prompts.
    """

    recruited: int
    approved: int
    rejected: int
    started: int
    active: int
    submitted: int
    expired: int
    withdrawn: int
    voided: int
    flagged: int
    excluded: int
    retained: int
    test_participants: int
    answers: dict[str, int]
    answers_retained: dict[str, int]


def study_flow(study: Study, *, public_only: bool = False) -> StudyFlow:
    """Count everything as it is now."""
    people = participants.study_people(study)
    vetting = dict(people.order_by().values_list("vetting_status").annotate(people=Count("pk")))
    sessions = Session.objects.filter(participant__study=study, participant__is_test=False)
    statuses = Counter(sessions.values_list("status", flat=True))
    voided = sessions.exclude(voided_at=None).count()
    retained = participants.retained_participants(study)
    return StudyFlow(
        recruited=sum(vetting.values()),
        approved=vetting.get(VettingStatus.APPROVED, 0),
        rejected=vetting.get(VettingStatus.REJECTED, 0),
        started=statuses.total(),
        active=statuses[SessionStatus.ACTIVE],
        submitted=statuses[SessionStatus.SUBMITTED],
        expired=statuses[SessionStatus.EXPIRED],
        withdrawn=statuses[SessionStatus.WITHDRAWN] - voided,
        voided=voided,
        flagged=participants.flagged_participants(study).count(),
        excluded=participants.excluded_participants(study).count(),
        retained=retained.count(),
        test_participants=Participant.objects.filter(study=study, is_test=True).count(),
        answers=_answer_states(sessions, public_only),
        answers_retained=_answer_states(sessions.filter(participant__in=retained.values("pk")), public_only),
    )


def _answer_states(sessions: QuerySet[Session], public_only: bool = False) -> dict[str, int]:
    """How many answers of these sessions are in each state; all are named, `void` where there is one."""
    facts = Answer.objects.filter(session__in=sessions.values("pk")).order_by()
    if public_only:
        facts = facts.filter(prompt__split="public")
    rows = (
        facts.annotate(
            seen=ExpressionWrapper(Q(first_seen_at__isnull=False), output_field=BooleanField()),
            saved=ExpressionWrapper(Q(revision__gt=0), output_field=BooleanField()),
            voided=ExpressionWrapper(Q(session__voided_at__isnull=False), output_field=BooleanField()),
        )
        .values_list("session__status", "voided", "seen", "saved", "has_text")
        .annotate(answers=Count("pk"))
    )
    totals: Counter[str] = Counter(dict.fromkeys(map(str, AnswerState), 0))
    for status, voided, seen, saved, has_text, number in rows:
        state = answer_state(
            session_status=SessionStatus(status), first_seen=seen, revisions=int(saved), has_text=has_text
        )
        totals[VOID if voided else state.value] += number
    return dict(totals)
