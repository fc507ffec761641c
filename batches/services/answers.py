"""Saving answers. Nothing that reaches the server is lost: accepted or refused, a text becomes a revision.

One exception keeps a participant from filling the disk: an answer's history holds `HISTORY_CHARACTERS`, each
revision weighing its length but at least `LEAST_WEIGHT`. After that a save still changes the answer, but its
earlier versions are no longer kept, nor are refused texts. Five hours of autosaving every two seconds fit.
"""

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from django.db import transaction

from batches.models import Answer, Revision, RevisionOutcome, Session, SessionEventKind
from batches.rules.deadlines import Lateness, lateness
from batches.rules.saves import SaveDecision, decide_save
from batches.rules.statuses import SessionStatus
from batches.rules.texts import check_answer_text, is_blank
from batches.services.trail import session_event
from studies.services.refusals import Refused

HISTORY_CHARACTERS = 20_000_000
LEAST_WEIGHT = 500

Duplicate = Literal["duplicate"]
DUPLICATE: Duplicate = "duplicate"
SaveOutcome = RevisionOutcome | Duplicate


class AnswerNotFound(Refused):
    """This person has no such answer."""


class TextRefused(Refused):
    """The text can never be stored as it is."""


@dataclass(frozen=True, slots=True)
class IncomingText:
    """One save as a page sends it (see `rules.saves` for what the numbers mean)."""

    text: str
    base_revision: int
    tab: str
    sequence: int


@dataclass(frozen=True, slots=True)
class SaveReceipt:
    """What became of a save, and what the server holds now."""

    outcome: SaveOutcome
    sentence: str
    revision: int
    saved_at: datetime | None
    seconds_left: int
    current_text: str
    kept: bool

    @property
    def saved(self) -> bool:
        """Whether the server's current text is the one that was sent."""
        return self.outcome in _SAVED


def answer_save(
    *, user_id: int, session_id: uuid.UUID, position: int, incoming: IncomingText, now: datetime
) -> SaveReceipt:
    """Save one text; `now` is when it arrived. The receipt says whether it was accepted.

    The clock decides, not the sweep: a text that arrived in time is accepted even where the sweep came first.
    Raises AnswerNotFound or TextRefused.
    """
    with transaction.atomic():
        answer = _locked_answer(user_id, session_id, position)
        sentence = check_answer_text(incoming.text, max_characters=answer.session.answer_max_characters)
        if sentence is not None:
            raise TextRefused(sentence)
        outcome = _outcome(answer, incoming, now)
        kept = _keep(answer, incoming, outcome, now)
    return SaveReceipt(
        outcome=outcome,
        sentence=_sentence(outcome, answer.session),
        revision=answer.revision,
        saved_at=answer.saved_at,
        seconds_left=answer.session.seconds_left(now),
        current_text=answer.text,
        kept=kept,
    )


def prompt_seen(*, session: Session, position: int, now: datetime) -> bool:
    """Stamp the first view of a prompt in a running session; False where it was stamped, or is too late."""
    if not session.is_running(now):
        return False
    unseen = Answer.objects.filter(session=session, position=position, first_seen_at=None)
    return bool(unseen.update(first_seen_at=now))


def _locked_answer(user_id: int, session_id: uuid.UUID, position: int) -> Answer:
    """The answer with its session, both locked: a save and a submission happen one after the other."""
    answer = (
        Answer.objects.select_for_update(of=("self", "session"), no_key=True)
        .select_related("session")
        .filter(session_id=session_id, position=position, session__participant__user_id=user_id)
        .first()
    )
    if answer is None:
        raise AnswerNotFound("There is no such answer in a session of yours.")
    return answer


def _outcome(answer: Answer, incoming: IncomingText, now: datetime) -> SaveOutcome:
    decision = decide_save(
        current_revision=answer.revision,
        current_tab=answer.tab,
        current_sequence=answer.sequence,
        current_text=answer.text,
        base_revision=incoming.base_revision,
        tab=incoming.tab,
        sequence=incoming.sequence,
        text=incoming.text,
    )
    # A retry of what is saved is told so even after the end: it only missed the reply.
    if decision == SaveDecision.DUPLICATE:
        return DUPLICATE
    session = answer.session
    late = lateness(now=now, deadline_at=session.deadline_at, tolerance=session.tolerance)
    if session.status not in _WRITABLE or late == Lateness.LATE:
        return RevisionOutcome.REFUSED_LATE
    if decision == SaveDecision.ACCEPT and late == Lateness.WITHIN_TOLERANCE:
        return RevisionOutcome.ACCEPTED_LATE
    return _OUTCOMES[decision]


def _keep(answer: Answer, incoming: IncomingText, outcome: SaveOutcome, now: datetime) -> bool:
    """Write what the outcome demands; return whether the text is stored somewhere."""
    if outcome == DUPLICATE:
        return True
    accepted = outcome in _SAVED
    room = answer.history_characters < HISTORY_CHARACTERS
    if accepted:
        answer.revision += 1
        answer.text, answer.has_text = incoming.text, not is_blank(incoming.text)
        answer.tab, answer.sequence, answer.saved_at = incoming.tab, incoming.sequence, now
    if room:
        answer.history_characters += max(LEAST_WEIGHT, len(incoming.text))
        _write_history(answer, incoming, outcome, now)
    if accepted or room:
        _write_answer(answer, accepted=accepted)
    return accepted or room


def _write_answer(answer: Answer, *, accepted: bool) -> None:
    fields = _ACCEPTED_FIELDS if accepted else _HISTORY_FIELDS
    Answer.objects.filter(pk=answer.pk).update(**{name: getattr(answer, name) for name in fields})


def _write_history(answer: Answer, incoming: IncomingText, outcome: SaveOutcome, now: datetime) -> None:
    Revision.objects.create(
        answer=answer,
        number=answer.revision if outcome in _SAVED else None,
        base_revision=incoming.base_revision,
        outcome=outcome,
        text=incoming.text,
        tab=incoming.tab,
        sequence=incoming.sequence,
        received_at=now,
    )
    kinds = [_EVENTS[outcome]] if outcome in _EVENTS else []
    if answer.history_characters >= HISTORY_CHARACTERS:
        kinds.append(SessionEventKind.HISTORY_FULL)
    for kind in kinds:
        session_event(
            session=answer.session, kind=kind, happened_at=now, recorded_at=now, position=answer.position
        )


def _sentence(outcome: SaveOutcome, session: Session) -> str:
    if outcome == RevisionOutcome.REFUSED_LATE:
        return _OVER_SENTENCES.get(SessionStatus(session.status), _TIME_SENTENCE)
    if outcome == RevisionOutcome.ACCEPTED_LATE:
        return "Saved: your text was on its way when the time ended."
    return _DECISIONS[outcome].sentence


_WRITABLE = frozenset({SessionStatus.ACTIVE, SessionStatus.EXPIRED})
_SAVED: frozenset[str] = frozenset({RevisionOutcome.ACCEPTED, RevisionOutcome.ACCEPTED_LATE, DUPLICATE})
_HISTORY_FIELDS = ("history_characters",)
_ACCEPTED_FIELDS = (*_HISTORY_FIELDS, "revision", "text", "has_text", "tab", "sequence", "saved_at")
_OUTCOMES: Mapping[SaveDecision, RevisionOutcome] = {
    SaveDecision.ACCEPT: RevisionOutcome.ACCEPTED,
    SaveDecision.STALE: RevisionOutcome.REFUSED_STALE,
    SaveDecision.SUPERSEDED: RevisionOutcome.SUPERSEDED,
}
_DECISIONS: Mapping[str, SaveDecision] = {
    DUPLICATE: SaveDecision.DUPLICATE,
    **{outcome: decision for decision, outcome in _OUTCOMES.items()},
}
_EVENTS: Mapping[str, SessionEventKind] = {
    RevisionOutcome.ACCEPTED_LATE: SessionEventKind.LATE_SAVE_ACCEPTED,
    RevisionOutcome.REFUSED_LATE: SessionEventKind.LATE_SAVE_REFUSED,
}
_TIME_SENTENCE = (
    "Your time has ended, so this text does not change your answer. What was saved before stays saved; "
    "you can copy this text from the page."
)
_OVER_SENTENCES: Mapping[SessionStatus, str] = {
    SessionStatus.SUBMITTED: (
        "You have submitted this batch, so this text does not change your answer. "
        "You can copy it from the page."
    ),
    SessionStatus.WITHDRAWN: (
        "You have withdrawn from this study, so this text is not used. You can copy it from the page."
    ),
}
