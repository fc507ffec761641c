"""Reads of answers for everything downstream: screening, judging, exports."""

from django.db.models import Q, QuerySet

from batches.models import Answer
from batches.rules.statuses import SessionStatus
from studies.models import Study


def study_answers(study: Study) -> QuerySet[Answer]:
    """Every answer row of the study's people, of whatever state, test people left out.

    Session, participant and prompt are selected along, so that `answer.state` costs no query.
    """
    return (
        Answer.objects.filter(session__participant__study=study, session__participant__is_test=False)
        .select_related("session__participant", "prompt")
        .order_by("session__participant__code", "position")
    )


def answers_to_score(study: Study) -> QuerySet[Answer]:
    """The answers that count under their session's overdue rule: written, and handed in or saved in time.

    The database's form of `rules.statuses.counts`.
    """
    counting = Q(session__status=SessionStatus.SUBMITTED)
    counting |= Q(session__status=SessionStatus.EXPIRED, session__overdue_rule="saved_counts")
    return study_answers(study).filter(counting, has_text=True)
