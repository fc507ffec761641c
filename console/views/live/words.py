"""How the live board says what it knows."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from django.utils.translation import gettext_lazy as _

from batches.models import SessionEventKind
from batches.rules.statuses import SessionStatus
from batches.views.wording import EVENT_WORDS
from console.selectors.board import Board, Tab
from console.selectors.board_incidents import Incident, Row
from console.selectors.board_trail import OPENED, REFUSED, SAVED, Happening
from console.services.live import SessionAction
from console.views.live.incidents import IncidentWords, Words, clock_words, incident_words, reported_words
from presentation.codes import CodeNames
from presentation.tables import Named
from studies.roles import Can


class ActionWords(NamedTuple):
    """An action as buttons and pages name it, and the right that it takes."""

    label: Words
    sentence: Words
    can: Can
    icon: str
    is_danger: bool = False


ACTION_WORDS: Mapping[SessionAction, ActionWords] = {
    SessionAction.EXTEND: ActionWords(
        _("Give extra time"),
        _(
            "The deadline moves later by these minutes; people see it within seconds. A session that is over "
            "runs again, with these minutes from now."
        ),
        Can.GIVE_TIME,
        "clock",
    ),
    SessionAction.MESSAGE: ActionWords(
        _("Write a message"), _("The message goes into each person's own conversation."), Can.INVITE, "mail"
    ),
    SessionAction.REOPEN: ActionWords(
        _("Reopen"),
        _(
            "A set that was handed in early runs again at once with the time that was left; so does one that "
            "a wrong clock ended. Verdicts and scores that came before count no more."
        ),
        Can.GIVE_TIME,
        "live",
    ),
    SessionAction.VOID: ActionWords(
        _("Void"),
        _(
            "The session ends now and counts nowhere, for good; its place is free again. What was saved "
            "stays in the database. The person has not withdrawn and their data are kept."
        ),
        Can.VOID,
        "close",
        is_danger=True,
    ),
}
STATES: Mapping[str, tuple[Words, str]] = {
    SessionStatus.ACTIVE: (_("Answering"), "live"),
    SessionStatus.SUBMITTED: (_("Handed in"), "good"),
    SessionStatus.EXPIRED: (_("Time ran out"), ""),
    SessionStatus.WITHDRAWN: (_("Withdrawn"), ""),
}
VOIDED = (_("Voided"), "bad")
HAPPENED: Mapping[str, Words] = {
    SAVED: _("answer saved"),
    OPENED: _("question opened"),
    REFUSED: _("text refused: another tab or device was newer"),
    **{kind.value: EVENT_WORDS[kind] for kind in SessionEventKind},
}
TABS: Mapping[Tab, Words] = {
    Tab.ANSWERING: _("Answering"),
    Tab.INCIDENTS: _("Incidents"),
    Tab.FINISHED: _("Finished"),
}


@dataclass(frozen=True)
class RowWords:
    """A session as the board shows it at this moment."""

    facts: Row
    names: CodeNames
    now: datetime

    @property
    def profile(self) -> Named:
        return self.names.profile(self.facts.profile)

    @property
    def is_running(self) -> bool:
        return self.facts.status == SessionStatus.ACTIVE

    @property
    def total_seconds(self) -> float:
        return (self.facts.deadline_at - self.facts.started_at).total_seconds()

    @property
    def used_seconds(self) -> float:
        """Of the time; all of it at the deadline."""
        until = self.now if self.is_running else self.facts.ended_at or self.facts.deadline_at
        return (until - self.facts.started_at).total_seconds()

    @property
    def left_seconds(self) -> float:
        return (self.facts.deadline_at - self.now).total_seconds()

    @property
    def is_late(self) -> bool:
        """Whether little time is left, as the bar shows it."""
        return self.used_seconds >= 0.9 * self.total_seconds

    @property
    def state(self) -> tuple[Words, str]:
        return VOIDED if self.facts.voided else STATES[self.facts.status]

    @property
    def incidents(self) -> list[IncidentWords]:
        return [incident_words(incident, self.facts) for incident in self.facts.incidents]

    @property
    def is_offline(self) -> bool:
        return Incident.OFFLINE in self.facts.incidents

    @property
    def is_not_saving(self) -> bool:
        return Incident.NOT_SAVING in self.facts.incidents

    @property
    def device_clock(self) -> str:
        """How far it is ahead of the server's; empty where the page never said."""
        off = self.facts.clock_off_seconds
        return "" if off is None else clock_words(off)

    @property
    def actions(self) -> tuple[SessionAction, ...]:
        """What the services would not refuse as it is."""
        status = self.facts.status
        if status == SessionStatus.WITHDRAWN:
            return () if not self.facts.voided else (SessionAction.MESSAGE,)
        if status == SessionStatus.SUBMITTED:
            return (SessionAction.REOPEN, SessionAction.MESSAGE, SessionAction.VOID)
        if status == SessionStatus.EXPIRED:
            return tuple(SessionAction)
        return (SessionAction.EXTEND, SessionAction.MESSAGE, SessionAction.VOID)


def happening_words(happening: Happening) -> tuple[Happening, Words]:
    """One thing that happened, in words."""
    return happening, reported_words(happening) or HAPPENED.get(happening.kind, happening.kind)


def tabs_of(board: Board) -> list[tuple[Tab, Words, int]]:
    """The tabs with how many sessions each lists."""
    numbers = {
        Tab.ANSWERING: board.answering + board.tests,
        Tab.INCIDENTS: board.incidents,
        Tab.FINISHED: board.numbers.finished,
    }
    return [(tab, words, numbers[tab]) for tab, words in TABS.items()]
