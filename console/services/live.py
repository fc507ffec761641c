"""What the study team does to sessions from the live board: for one, a set or all, each for a reason."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from batches.models import Session, SessionEvent, SessionEventKind
from batches.rules.statuses import SessionStatus
from batches.selectors.sessions import ended_too_early
from batches.services.extending import DeadlineMoved, session_extend, session_reopen, session_revive
from batches.services.voiding import session_void
from studies.models import Study, User
from studies.services.events import StudyEventKind, event_record
from studies.services.people.messages import message_answer
from studies.services.refusals import Refused

TIME_GIVEN = (SessionEventKind.EXTENDED, SessionEventKind.REOPENED, SessionEventKind.REVIVED)


class SessionAction(StrEnum):
    """What can be done to sessions."""

    EXTEND = "extend"
    MESSAGE = "message"
    REOPEN = "reopen"
    VOID = "void"


class NobodyChosen(Refused):
    """There is no session to do it to."""


@dataclass(frozen=True)
class Order:
    """One action as somebody decided on it: `text` is the reason, or the message; `seen_at` is when the page
    that they looked at was made.
    """

    action: SessionAction
    text: str
    actor: User
    seen_at: datetime
    minutes: int = 0


@dataclass
class Reached:
    """Whom an action reached, by code, and why it did not reach the others. Those reached `before` had this
    message by a button pressed twice; it is not sent again.
    """

    reached: list[str] = field(default_factory=list)
    before: set[str] = field(default_factory=set)
    refused: list[tuple[str, str]] = field(default_factory=list)


def sessions_change(*, study: Study, sessions: QuerySet[Session], order: Order, now: datetime) -> Reached:
    """Do it to each session that allows it, and say of each other one why not.

    What somebody else changed since the page was shown is left alone. All of it is one event of the study,
    and one of each session. Raises NobodyChosen.
    """
    outcome = Reached()
    with transaction.atomic():
        # In one order whoever asks, so that two leads never wait for each other.
        chosen = list(sessions.select_related("participant__study").order_by("pk"))
        if not chosen:
            raise NobodyChosen(_("Nobody was chosen, so nothing was done. Choose people in the list first."))
        # Those to which somebody gave time after the page was made.
        given = SessionEvent.objects.filter(
            session__in=chosen, kind__in=TIME_GIVEN, recorded_at__gt=order.seen_at
        )
        moved = set(given.values_list("session", flat=True))
        for session in chosen:
            code = session.participant.code
            try:
                if session.pk in moved and order.action != SessionAction.MESSAGE:
                    raise DeadlineMoved(
                        _("The time was changed since this page was shown. Look at it and decide again.")
                    )
                is_new = DOING[order.action](session, order, now)
            except Refused as refusal:
                outcome.refused.append((code, str(refusal)))
            else:
                outcome.reached.append(code)
                if not is_new:
                    outcome.before.add(code)
        _record(study, order, outcome, now)
    return outcome


def _record(study: Study, order: Order, outcome: Reached, now: datetime) -> None:
    people = [code for code in outcome.reached if code not in outcome.before]
    if not people:
        return
    # The messages of a person stay in their conversation.
    reason = "" if order.action == SessionAction.MESSAGE else order.text
    event_record(
        study,
        StudyEventKind.SESSIONS_CHANGED,
        now,
        actor=order.actor,
        action=order.action.value,
        reason=reason,
        people=people,
        not_reached=[code for code, _sentence in outcome.refused],
    )


def _extend(session: Session, order: Order, now: datetime) -> bool:
    session_extend(
        session=session,
        minutes=order.minutes,
        reason=order.text,
        now=now,
        actor=order.actor,
        deadline_seen=session.deadline_at,
    )
    return True


def _message(session: Session, order: Order, now: datetime) -> bool:
    """False where the person had it already: it is of an earlier moment."""
    sent = message_answer(participant=session.participant, text=order.text, actor=order.actor, now=now)
    return sent.sent_at == now


def _reopen(session: Session, order: Order, now: datetime) -> bool:
    """A session that a wrong clock ended gets back what it lost; one that was handed in what was left."""
    lost_by_clock = session.status == SessionStatus.EXPIRED and ended_too_early(session, now)
    reopen = session_revive if lost_by_clock else session_reopen
    reopen(session=session, reason=order.text, now=now, actor=order.actor)
    return True


def _void(session: Session, order: Order, now: datetime) -> bool:
    session_void(session=session, reason=order.text, now=now, actor=order.actor)
    return True


# Each says whether it did anything.
DOING: Mapping[SessionAction, Callable[[Session, Order, datetime], bool]] = {
    SessionAction.EXTEND: _extend,
    SessionAction.MESSAGE: _message,
    SessionAction.REOPEN: _reopen,
    SessionAction.VOID: _void,
}
