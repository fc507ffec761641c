"""From recruited to retained, in numbers."""

from collections import Counter
from dataclasses import dataclass

from django.db.models import BooleanField, Count, ExpressionWrapper, Q

from batches.models import Answer
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
    """Count everything as it is now: two queries."""
    answers, answers_retained = _answer_states(study, public_only)
    return StudyFlow(**_people(study), answers=answers, answers_retained=answers_retained)


def _people(study: Study) -> dict[str, int]:
    """The people at each step, by the names of `StudyFlow`."""
    person, status = Q(is_test=False), SessionStatus
    ended = person & Q(session__status__in=participants.ENDED)
    flagged = Q(pk__in=participants.flagged_participants(study).order_by().values("pk"))
    excluded = Q(pk__in=participants.excluded_participants(study).values("pk"))
    steps = {
        "recruited": person,
        "approved": person & Q(vetting_status=VettingStatus.APPROVED),
        "rejected": person & Q(vetting_status=VettingStatus.REJECTED),
        "started": person & Q(session__isnull=False),
        "active": person & Q(session__status=status.ACTIVE),
        "submitted": person & Q(session__status=status.SUBMITTED),
        "expired": person & Q(session__status=status.EXPIRED),
        "withdrawn": person & Q(session__status=status.WITHDRAWN),
        "voided": person & Q(session__voided_at__isnull=False),
        "flagged": flagged,
        "excluded": excluded,
        "ended": ended,
        "test_participants": Q(is_test=True),
    }
    found: dict[str, int] = Participant.objects.filter(study=study).aggregate(
        **{name: Count("pk", filter=step) for name, step in steps.items()}
    )
    found["withdrawn"] -= found["voided"]
    found["retained"] = found.pop("ended") - found["excluded"]
    return found


def _answer_states(study: Study, public_only: bool) -> tuple[dict[str, int], dict[str, int]]:
    """How many answers are in each state, of everybody and of who is retained; all are named, `void` where
    there is one.
    """
    of_people = {"session__participant__study": study, "session__participant__is_test": False}
    facts = Answer.objects.filter(**of_people).order_by()
    if public_only:
        facts = facts.filter(prompt__split="public")
    retained = Q(session__participant__in=participants.retained_participants(study).values("pk"))
    rows = (
        facts.annotate(
            seen=ExpressionWrapper(Q(first_seen_at__isnull=False), output_field=BooleanField()),
            saved=ExpressionWrapper(Q(revision__gt=0), output_field=BooleanField()),
            voided=ExpressionWrapper(Q(session__voided_at__isnull=False), output_field=BooleanField()),
        )
        .values_list("session__status", "voided", "seen", "saved", "has_text")
        .annotate(answers=Count("pk"), retained=Count("pk", filter=retained))
    )
    totals: Counter[str] = Counter(dict.fromkeys(map(str, AnswerState), 0))
    of_retained = totals.copy()
    for status, voided, seen, saved, has_text, number, number_retained in rows:
        state = answer_state(
            session_status=SessionStatus(status), first_seen=seen, revisions=int(saved), has_text=has_text
        )
        name = VOID if voided else state.value
        totals[name] += number
        if number_retained:
            of_retained[name] += number_retained
    return dict(totals), dict(of_retained)
