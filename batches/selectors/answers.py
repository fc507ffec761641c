"""Reads of answers for everything downstream: screening, judging, exports."""

from django.db.models import QuerySet

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
    """The answers that count under the study's overdue rule: written, and handed in or saved in time.

    The database's form of `rules.statuses.counts`.
    """
    counting = [SessionStatus.SUBMITTED]
    if study.protocol.overdue_rule == "saved_counts":
        counting.append(SessionStatus.EXPIRED)
    return study_answers(study).filter(has_text=True, session__status__in=counting)
