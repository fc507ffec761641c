"""Reads of answers for everything downstream: screening, judging, exports."""

from dataclasses import dataclass

from django.db.models import QuerySet

from batches.models import Answer, Session
from batches.rules.statuses import AnswerState, SessionStatus
from studies.models import Study


@dataclass(frozen=True, slots=True)
class StatedAnswer:
    """An answer with the reason why it is there, or why it is not."""

    answer: Answer
    state: AnswerState


def answers_with_states(session: Session) -> list[StatedAnswer]:
    """Every answer of one session in order, prompts selected along."""
    answers = session.answers.select_related("prompt", "session")
    return [StatedAnswer(answer, answer.state) for answer in answers]


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
