"""Practising before the start: saved by the same rules as answers, counted nowhere.

The practice clock runs as a session's does and ends nothing.
"""

from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext as _

from batches.models import PracticeAnswer, PracticeClock, RevisionOutcome, Session
from batches.rules.statuses import SessionStatus
from batches.selectors.sessions import session_of
from batches.services.answers import AnswerNotFound, IncomingText, require_storable
from batches.services.receipts import DUPLICATE, OUTCOMES, SaveReceipt, outcome_sentence
from batches.services.starting import budget_of
from studies.models import Participant
from studies.selectors.participants import has_valid_consent
from studies.services.events import has_withdrawn
from studies.services.people.participants import participant_lock
from studies.services.refusals import Refused


class PracticeClosed(Refused):
    """The person cannot practise now: not yet, or not any more."""


def require_practice(participant: Participant) -> None:
    """Raise PracticeClosed where the person may not practise: between consent and start one may."""
    if session_of(participant) is not None:
        raise PracticeClosed(_("Practice is over: your session has started."))
    if has_withdrawn(participant):
        raise PracticeClosed(_("You have withdrawn from this study, so there is nothing to practise for."))
    if not participant.approved:
        raise PracticeClosed(_("You can practise once the study team has admitted you to the study."))
    if not has_valid_consent(participant):
        raise PracticeClosed(_("You can practise once you have read the consent text and agreed to it."))


def practice_session(participant: Participant, now: datetime) -> Session:
    """What a session of the study would be, with the practice clock; it is never stored and ends nothing."""
    clock = PracticeClock.objects.filter(participant=participant).first()
    started_at = clock.started_at if clock else now
    protocol = participant.study.protocol
    # Without the person, who would be taken to have started.
    return Session(
        started_at=started_at,
        deadline_at=started_at + budget_of(participant),
        overdue_rule=protocol.overdue_rule,
        answer_max_characters=protocol.answer_max_characters,
        asks_note=protocol.note_per_prompt,
        asks_confidence=protocol.confidence_per_prompt,
    )


def practice_answers(participant: Participant) -> list[PracticeAnswer]:
    """One for each practice prompt, in order; an empty row, not stored, where nothing is."""
    stored = {answer.number: answer for answer in participant.practice_answers.all()}
    numbers = range(1, len(participant.study.protocol.practice_prompts) + 1)
    return [
        stored.get(number) or PracticeAnswer(participant=participant, number=number) for number in numbers
    ]


def practice_of(participant: Participant, number: int) -> PracticeAnswer:
    """The one with this number, from 1. Raises AnswerNotFound where the study has no such prompt."""
    answers = practice_answers(participant)
    if not 1 <= number <= len(answers):
        raise AnswerNotFound(_("There is no such practice question in this study."))
    return answers[number - 1]


@transaction.atomic
def practice_open(*, participant: Participant, number: int, now: datetime) -> PracticeAnswer:
    """Stamp the first view of a practice prompt; the first prompt that is opened starts the practice clock.

    Raises AnswerNotFound or PracticeClosed.
    """
    answer = _own_answer(participant, number)
    PracticeClock.objects.get_or_create(participant=answer.participant, defaults={"started_at": now})
    if answer.first_seen_at is None:
        answer.first_seen_at = now
        answer.save()
    return answer


@transaction.atomic
def practice_restart(*, participant: Participant, now: datetime) -> None:
    """Start the practice clock again. Raises PracticeClosed."""
    participant = participant_lock(participant)
    require_practice(participant)
    PracticeClock.objects.update_or_create(participant=participant, defaults={"started_at": now})


@transaction.atomic
def practice_flag(*, participant: Participant, number: int, flagged: bool) -> None:
    """Set or take away the person's own mark. Raises AnswerNotFound or PracticeClosed."""
    answer = _own_answer(participant, number)
    answer.is_flagged = flagged
    answer.save()


@transaction.atomic
def practice_save(
    *, participant: Participant, number: int, incoming: IncomingText, now: datetime
) -> SaveReceipt:
    """Save one practice text. Raises PracticeClosed, AnswerNotFound or TextRefused."""
    answer = _own_answer(participant, number)
    session = practice_session(answer.participant, now)
    require_storable(session, incoming)
    outcome = OUTCOMES[incoming.decision(answer)]
    if outcome == RevisionOutcome.ACCEPTED:
        answer.text, answer.note, answer.confidence = incoming.text, incoming.note, incoming.confidence
        answer.tab, answer.sequence = incoming.tab, incoming.sequence
        answer.revision, answer.saved_at = answer.revision + 1, now
        answer.save()
    return SaveReceipt(
        outcome=outcome,
        sentence=outcome_sentence(outcome, SessionStatus.ACTIVE),
        revision=answer.revision,
        saved_at=answer.saved_at,
        seconds_left=session.seconds_left(now),
        current_text=answer.text,
        current_note=answer.note,
        current_confidence=answer.confidence,
        kept=outcome in (RevisionOutcome.ACCEPTED, DUPLICATE),
    )


def _own_answer(participant: Participant, number: int) -> PracticeAnswer:
    # The same lock as a start: afterwards nothing of the practice moves.
    participant = participant_lock(participant)
    answer = practice_of(participant, number)
    require_practice(participant)
    return answer
