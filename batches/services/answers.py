"""Saving answers. Nothing that reaches the server is lost: accepted or refused, a text becomes a revision.

A text, the note beside it and the confidence are one draft: saved, refused, kept and compared together.

One exception keeps a participant from filling the disk: once what they have stored reaches `PERSON_BYTES`, a
save still changes the answer, but its earlier versions are no longer kept, nor are refused texts. A revision
weighs its length, but at least `MIN_REVISION_BYTES`. With the default, a save every two seconds for five
hours fits as long as the text has 58,000 bytes on average.

Saves are the busiest requests. A save reads without a lock, decides, and claims the answer by updating it
only if it still is what was read; where another save or the end of the session was faster it starts over.
So the database's write lock (SQLite has one for everybody) is held for two short statements. They are plain
SQL, ready before the lock is taken: while the ORM built them under it, every other save waited for Python.
"""

import threading
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import cast

import structlog
from django.conf import settings
from django.db import InterfaceError, OperationalError, connection, transaction
from django.db.models import Exists, F
from django.utils.translation import gettext as _

from batches.models import Answer, PracticeAnswer, RevisionOutcome, Session, SessionEventKind
from batches.rules.deadlines import Lateness, lateness, seconds_left
from batches.rules.saves import SaveDecision, check_answer_text, check_note, decide_save
from batches.rules.statuses import SessionStatus
from batches.selectors.saved_answers import SavedAnswer, read_saved_answer
from batches.services.receipts import (
    DUPLICATE,
    OUTCOMES,
    SAVED,
    SaveOutcome,
    SaveReceipt,
    fault_sentence,
    outcome_sentence,
)
from batches.services.sums import session_uncount
from batches.services.trail import session_event
from formats.text_faults import is_blank
from studies.models import Participant
from studies.services.database import short_wait
from studies.services.refusals import Refused

LOG = structlog.get_logger("chiron")
MIN_REVISION_BYTES = 500
# A page counts whole seconds, and may tell again of a view whose reply got lost.
SAME_VIEW = timedelta(seconds=10)
# How long after the end a page may tell of a view from before it; the results say that they rest on less.
TOLD_WITHIN = timedelta(days=1)
# The person's total follows an answer's history in so many steps: next to no save has to write it.
STEPS = 1_000

Stored = datetime | str | int | None
CLAIM = """
UPDATE batches_answer
   SET text = %s, note = %s, confidence = %s, has_text = %s, revision = %s, tab = %s, sequence = %s,
       saved_at = %s, history_bytes = %s
 WHERE id = %s AND revision = %s AND history_bytes = %s AND is_open
"""
HISTORY = """
INSERT INTO batches_revision
       (answer_id, number, base_revision, outcome, text, note, confidence, tab, sequence, received_at)
VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s)
"""


class AnswerNotFound(Refused):
    """This person has no such answer."""

    def __init__(self, sentence: str = "") -> None:
        super().__init__(sentence or _("There is no such answer in a session of yours."))


class TextRefused(Refused):
    """The text can never be stored as it is."""


@dataclass(frozen=True, slots=True)
class IncomingText:
    """One save as a page sends it (see `rules.saves` for what the numbers mean)."""

    text: str
    base_revision: int
    tab: str
    sequence: int
    note: str = ""
    confidence: int | None = None

    @property
    def weight(self) -> int:
        """What it adds to the answer's history."""
        return max(MIN_REVISION_BYTES, len(self.text.encode()) + len(self.note.encode()))

    def decision(self, saved: SavedAnswer | PracticeAnswer) -> SaveDecision:
        """What becomes of it beside what is stored, as far as the clock has no say."""
        stored = (saved.text, saved.note, saved.confidence)
        return decide_save(
            current_revision=saved.revision,
            current_tab=saved.tab,
            current_sequence=saved.sequence,
            base_revision=self.base_revision,
            tab=self.tab,
            sequence=self.sequence,
            is_same=stored == (self.text, self.note, self.confidence),
        )


def answer_save(
    *, user_id: int, session_id: uuid.UUID, position: int, incoming: IncomingText, now: datetime
) -> SaveReceipt:
    """Save one text; `now` is when it arrived. The receipt says whether it was accepted.

    The clock decides, not the sweep: a text that arrived in time is accepted even where the sweep came first.
    Raises AnswerNotFound or TextRefused.
    """
    while True:
        saved = read_saved_answer(user_id=user_id, session_id=session_id, position=position)
        if saved is None:
            raise AnswerNotFound
        require_storable(saved, incoming)
        outcome = _outcome(saved, incoming, now)
        # Every further turn means that another request changed the answer meanwhile, so this ends.
        if outcome not in _ACCEPTED or _accept(saved, incoming, outcome, now):
            break
    room = _has_room(saved)
    if outcome not in SAVED and room:
        # A text that does not become the answer. No later change can turn its refusal around.
        with transaction.atomic():
            weighed = F("history_bytes") + incoming.weight
            Answer.objects.filter(pk=saved.answer_id).update(history_bytes=weighed)
            with connection.cursor() as cursor:
                cursor.execute(HISTORY, _history(saved, incoming, outcome, now))
            _event_of(saved, outcome, now)
    if outcome != DUPLICATE and room:
        _count(saved, incoming, now)
    return _receipt(saved, incoming, outcome, now, kept=room or outcome in SAVED)


def prompt_seen(*, session: Session, position: int, now: datetime, seconds_ago: int = 0) -> bool:
    """Stamp the first view of a prompt while the session ran; False where that is known, or is too late.

    A page that was offline tells of a view later, and how many `seconds_ago` it was by its device: an event
    keeps both times. Where the server has shown the prompt before it heard of that, its own stamp stands.
    No deadline goes by what a page says.
    """
    seen_at = max(session.started_at, now - timedelta(seconds=seconds_ago)) if seconds_ago else now
    if not session.is_running(now):
        # In a session that is over a view is heard of where it ran at that moment, and ended only recently.
        end = min(session.deadline_at, session.ended_at or session.deadline_at)
        if session.status == SessionStatus.WITHDRAWN or seen_at >= end or now > end + TOLD_WITHIN:
            return False
    kind = SessionEventKind.SEEN_OFFLINE
    told = session.events.filter(kind=kind, details__position=position)
    answer = Answer.objects.filter(session=session, position=position)
    with transaction.atomic():
        if seconds_ago:
            # Before the answer, as whoever gives more time does; the sweep that counts is waited for.
            Session.objects.select_for_update(no_key=True).get(pk=session.pk)
        is_news = bool(answer.filter(first_seen_at=None).update(first_seen_at=seen_at))
        if seconds_ago:
            later = answer.filter(~Exists(told), first_seen_at__gt=seen_at + SAME_VIEW)
            is_news = is_news or later.exists()
            if is_news:
                session_event(session.pk, kind, now, happened_at=seen_at, position=position)
                session_uncount(session)
    return is_news


def prompt_seen_soon(*, session: Session, position: int, now: datetime) -> None:
    """The same, without keeping a page from being read: where others write it is stamped beside it, and
    where the database takes nothing, at the next view.
    """
    stamp = partial(prompt_seen, session=session, position=position, now=now)
    try:
        with short_wait():
            stamp()
    except (OperationalError, InterfaceError):
        threading.Thread(target=_stamp_beside, args=(stamp,), daemon=True).start()


def _stamp_beside(stamp: Callable[[], bool]) -> None:
    try:
        stamp()
    except (OperationalError, InterfaceError) as error:
        LOG.error("the first view of a prompt was not noted", reason=type(error).__name__)
    finally:
        connection.close()


def require_storable(saved: SavedAnswer | Session, incoming: IncomingText) -> None:
    """Raise TextRefused where it holds what was not asked for, or could never be stored."""
    if incoming.note and not saved.asks_note:
        raise TextRefused(_("This study asks for no note beside an answer; remove it and save again."))
    if incoming.confidence is not None and not saved.asks_confidence:
        raise TextRefused(_("This study does not ask how sure you are; leave that out and save again."))
    limit = saved.answer_max_characters
    fault = check_answer_text(incoming.text, max_characters=limit) or check_note(incoming.note)
    if fault is not None:
        raise TextRefused(fault_sentence(fault))


def _outcome(saved: SavedAnswer, incoming: IncomingText, now: datetime) -> SaveOutcome:
    decision = incoming.decision(saved)
    # A retry of what is saved is told so even after the end: it only missed the reply.
    if decision == SaveDecision.DUPLICATE:
        return DUPLICATE
    tolerance = timedelta(seconds=saved.late_tolerance_seconds)
    late = lateness(now=now, deadline_at=saved.deadline_at, tolerance=tolerance)
    if not saved.is_open or late == Lateness.LATE:
        return RevisionOutcome.REFUSED_LATE
    if decision == SaveDecision.ACCEPT and late == Lateness.WITHIN_TOLERANCE:
        return RevisionOutcome.ACCEPTED_LATE
    return OUTCOMES[decision]


def _accept(saved: SavedAnswer, incoming: IncomingText, outcome: SaveOutcome, now: datetime) -> bool:
    """Claim the answer and write its new text; False, and nothing written, where it is not as read."""
    room = _has_room(saved)
    claim: list[Stored] = [
        *(incoming.text, incoming.note, incoming.confidence, not is_blank(incoming.text)),
        *(saved.revision + 1, incoming.tab, incoming.sequence, _stored(now)),
        saved.history_bytes + (incoming.weight if room else 0),
        *(saved.answer_id, saved.revision, saved.history_bytes),
    ]
    history = _history(saved, incoming, outcome, now)
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(CLAIM, claim)
        claimed: bool = cursor.rowcount == 1
        if claimed and room:
            cursor.execute(HISTORY, history)
            _event_of(saved, outcome, now)
    return claimed


def _history(saved: SavedAnswer, incoming: IncomingText, outcome: SaveOutcome, now: datetime) -> list[Stored]:
    """One revision, in the order of HISTORY."""
    number = saved.revision + 1 if outcome in SAVED else None
    return [
        *(saved.answer_id, number, incoming.base_revision, str(outcome)),
        *(incoming.text, incoming.note, incoming.confidence, incoming.tab, incoming.sequence, _stored(now)),
    ]


def _stored(moment: datetime) -> Stored:
    """As the database keeps it: SQLite knows no time zones."""
    return cast("Stored", connection.ops.adapt_datetimefield_value(moment))


def _event_of(saved: SavedAnswer, outcome: SaveOutcome, now: datetime) -> None:
    if outcome in _EVENTS:
        session_event(saved.session_id, _EVENTS[outcome], now, position=saved.position)


def _has_room(saved: SavedAnswer) -> bool:
    return saved.stored_bytes < settings.PERSON_BYTES


def _count(saved: SavedAnswer, incoming: IncomingText, now: datetime) -> None:
    """Add to the person's total each time that the answer's history has grown by a step.

    After the save and outside of its transaction: others lock the person first and then the answers.
    """
    step = max(1, settings.PERSON_BYTES // STEPS)
    history = saved.history_bytes
    added = ((history + incoming.weight) // step - history // step) * step
    if not added:
        return
    with transaction.atomic():
        person = Participant.objects.filter(session=saved.session_id)
        person.update(stored_bytes=F("stored_bytes") + added)
        total = person.values_list("stored_bytes", flat=True).get()
        if total - added < settings.PERSON_BYTES <= total:
            session_event(saved.session_id, SessionEventKind.HISTORY_FULL, now, position=saved.position)


def _receipt(
    saved: SavedAnswer, incoming: IncomingText, outcome: SaveOutcome, now: datetime, *, kept: bool
) -> SaveReceipt:
    accepted = outcome in _ACCEPTED
    current = incoming if accepted else saved
    status = SessionStatus(saved.status)
    running = status == SessionStatus.ACTIVE
    return SaveReceipt(
        outcome=outcome,
        sentence=outcome_sentence(outcome, status),
        revision=saved.revision + accepted,
        saved_at=now if accepted else saved.saved_at,
        seconds_left=seconds_left(now=now, deadline_at=saved.deadline_at) if running else 0,
        current_text=current.text,
        current_note=current.note,
        current_confidence=current.confidence,
        kept=kept,
        found=saved,
    )


_ACCEPTED: frozenset[str] = frozenset({RevisionOutcome.ACCEPTED, RevisionOutcome.ACCEPTED_LATE})
_EVENTS: Mapping[str, SessionEventKind] = {
    RevisionOutcome.ACCEPTED_LATE: SessionEventKind.LATE_SAVE_ACCEPTED,
    RevisionOutcome.REFUSED_LATE: SessionEventKind.LATE_SAVE_REFUSED,
}
