"""What the study team may know about one person, and do for them now: facts, no answers, no prompts."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from operator import attrgetter

from django.db.models import QuerySet

from batches.models import Session, SessionEvent
from batches.rules.statuses import AnswerState, SessionStatus
from batches.selectors.sessions import answer_places
from studies.models import Participant, StudyEvent, User
from studies.selectors.participants import check_attempts_left, check_passed
from studies.selectors.private_questions import is_private

# What events carry beyond these is the person's own words, or means nothing to a reader.
SHOWN_DETAILS = (
    "reason minutes deadline_at before deadline_before deletes_at check_attempts minutes_before batch arm "
    "position prompt lateness failed_saves for_seconds saved_since clock_off_seconds"
).split()


@dataclass(frozen=True, slots=True)
class SessionFacts:
    """A session as the study team sees it; `status` is the one by the clock, `labels` are those of the
    public prompts, by position.
    """

    session: Session
    status: SessionStatus
    states: Sequence[AnswerState]
    labels: Mapping[int, str]

    @property
    def has_declared(self) -> bool:
        """Whether the person said which resources they used."""
        return self.session.resources_recorded_at is not None


@dataclass(frozen=True, slots=True)
class TrailEntry:
    """One event of a study or a session; `actor` is None where the person or the clock did it."""

    kind: str
    details: Mapping[str, object]
    actor: User | None
    happened_at: datetime
    recorded_at: datetime


def session_facts(participant: Participant, now: datetime) -> SessionFacts | None:
    """The person's session, if they have started."""
    session = Session.objects.select_related("batch").filter(participant=participant).first()
    if session is None:
        return None
    answers = list(answer_places(session))
    labels = {one.position: one.prompt.label for one in answers if not is_private(one.prompt)}
    return SessionFacts(session, session.status_at(now), [one.state for one in answers], labels)


def person_events(participant: Participant) -> QuerySet[StudyEvent]:
    """What happened to the person in the study, the earliest first, with who did it."""
    return StudyEvent.objects.filter(participant=participant).select_related("actor")


def person_trail(of_study: Iterable[StudyEvent], facts: SessionFacts | None) -> Sequence[TrailEntry]:
    """What happened to the person in the study and in their session, in the order it happened."""
    of_session: list[SessionEvent] = []
    labels: Mapping[int, str] = facts.labels if facts else {}
    if facts is not None:
        of_session += SessionEvent.objects.filter(session=facts.session).select_related("actor")
    for event in of_session:
        event.details["prompt"] = labels.get(event.details.get("position"))
    entries = [_entry(event, event.happened_at) for event in of_study]
    entries += [_entry(event, event.recorded_at) for event in of_session]
    return sorted(entries, key=attrgetter("happened_at", "recorded_at"))


def _entry(event: StudyEvent | SessionEvent, recorded_at: datetime) -> TrailEntry:
    details = {
        name: event.details[name] for name in SHOWN_DETAILS if event.details.get(name) not in (None, "")
    }
    return TrailEntry(event.kind, details, event.actor, event.happened_at, recorded_at)


class PersonAction(StrEnum):
    """One form of the person's page."""

    EXTRA_TIME = "extra-time"
    EXTEND = "extend"
    REOPEN = "reopen"
    CHECK_ATTEMPT = "check-attempt"
    WITHDRAW = "withdraw"


def person_actions(
    participant: Participant, session: Session | None, *, withdrew: bool
) -> list[PersonAction]:
    """The actions that the services would not refuse as they are now."""
    if withdrew:
        return []
    if session is not None and session.voided_at is not None:
        return [PersonAction.WITHDRAW]
    if session is not None:
        early = session.status == SessionStatus.SUBMITTED and session.time_left_at_end
        return [PersonAction.REOPEN if early else PersonAction.EXTEND, PersonAction.WITHDRAW]
    tries = [PersonAction.CHECK_ATTEMPT] * needs_check_attempt(participant)
    return [PersonAction.EXTRA_TIME, *tries, PersonAction.WITHDRAW]


def needs_check_attempt(participant: Participant) -> bool:
    """Whether the person has used all tries at the check questions without passing."""
    return not check_passed(participant) and not check_attempts_left(participant)
