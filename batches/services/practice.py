"""Practising before the start: saves by the same rules as answers, without a clock, and counted nowhere."""

from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext as _

from batches.models import PracticeAnswer, RevisionOutcome
from batches.rules.saves import SaveDecision, decide_save
from batches.rules.statuses import SessionStatus
from batches.rules.texts import check_answer_text
from batches.selectors.sessions import session_of
from batches.services.answers import AnswerNotFound, IncomingText, TextRefused
from batches.services.receipts import (
    DUPLICATE,
    OUTCOMES,
    SaveOutcome,
    SaveReceipt,
    fault_sentence,
    outcome_sentence,
)
from studies.models import Participant
from studies.selectors.participants import has_valid_consent
from studies.services.events import has_withdrawn
from studies.services.participants import participant_lock
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


def practice_of(participant: Participant, number: int) -> PracticeAnswer:
    """What is saved for a practice prompt, from 1; an empty row, not stored, where nothing is.

    Raises AnswerNotFound where the study has no such prompt.
    """
    if not 1 <= number <= len(participant.study.protocol.practice_prompts):
        raise AnswerNotFound(_("There is no such practice prompt in this study."))
    stored = PracticeAnswer.objects.filter(participant=participant, number=number).first()
    return stored or PracticeAnswer(participant=participant, number=number)


@transaction.atomic
def practice_save(
    *, participant: Participant, number: int, incoming: IncomingText, now: datetime
) -> SaveReceipt:
    """Save one practice text. Raises PracticeClosed, AnswerNotFound or TextRefused."""
    # The same lock as a start: afterwards nothing of the practice moves.
    participant = participant_lock(participant)
    require_practice(participant)
    answer = practice_of(participant, number)
    _require_storable(participant, incoming)
    outcome = _outcome(answer, incoming)
    if outcome == RevisionOutcome.ACCEPTED:
        _store(answer, incoming, now)
    return SaveReceipt(
        outcome=outcome,
        sentence=outcome_sentence(outcome, SessionStatus.ACTIVE),
        revision=answer.revision,
        saved_at=answer.saved_at,
        seconds_left=None,
        current_text=answer.text,
        current_note="",
        current_confidence=None,
        kept=outcome in (RevisionOutcome.ACCEPTED, DUPLICATE),
    )


def _require_storable(participant: Participant, incoming: IncomingText) -> None:
    if incoming.note or incoming.confidence is not None:
        raise TextRefused(_("In practice only the text is saved; leave everything else out."))
    limit = participant.study.protocol.answer_max_characters
    fault = check_answer_text(incoming.text, max_characters=limit)
    if fault is not None:
        raise TextRefused(fault_sentence(fault))


def _outcome(answer: PracticeAnswer, incoming: IncomingText) -> SaveOutcome:
    decision = decide_save(
        current_revision=answer.revision,
        current_tab=answer.tab,
        current_sequence=answer.sequence,
        base_revision=incoming.base_revision,
        tab=incoming.tab,
        sequence=incoming.sequence,
        is_same=incoming.text == answer.text,
    )
    return DUPLICATE if decision == SaveDecision.DUPLICATE else OUTCOMES[decision]


def _store(answer: PracticeAnswer, incoming: IncomingText, now: datetime) -> None:
    answer.text = incoming.text
    answer.revision += 1
    answer.tab, answer.sequence = incoming.tab, incoming.sequence
    answer.saved_at = now
    answer.save()
