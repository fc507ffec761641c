"""Words and signs participants read about their own work."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext as _, gettext_lazy, ngettext

from batches.rules.statuses import AnswerState, SessionStatus, counts


@dataclass(frozen=True, slots=True)
class StateWords:
    """How a state is shown: never by colour or sign alone."""

    icon: str
    words: Promise


STATE_WORDS: Mapping[AnswerState, StateWords] = {
    AnswerState.DRAFT: StateWords("●", gettext_lazy("answered")),
    AnswerState.BLANK: StateWords("○", gettext_lazy("emptied")),
    AnswerState.SKIPPED: StateWords("◌", gettext_lazy("opened, empty")),
    AnswerState.NOT_REACHED: StateWords("·", gettext_lazy("not opened")),
    AnswerState.ANSWERED: StateWords("✓", gettext_lazy("handed in")),
    AnswerState.DRAFTED_AT_EXPIRY: StateWords("●", gettext_lazy("saved when the time ended")),
    AnswerState.WITHDRAWN: StateWords("–", gettext_lazy("withdrawn")),
}

OVERDUE_WORDS: Mapping[str, Promise] = {
    "saved_counts": gettext_lazy(
        "When the time ends, what is saved by then counts as your answers, whether or not you submitted."
    ),
    "submitted_only": gettext_lazy(
        "Only a batch that you submit before the time ends counts. What is merely saved does not."
    ),
}

ENDED_WORDS: Mapping[SessionStatus, Promise] = {
    SessionStatus.SUBMITTED: gettext_lazy("You have submitted your batch. Thank you."),
    SessionStatus.EXPIRED: gettext_lazy("Your time has ended. Thank you for your work."),
    SessionStatus.WITHDRAWN: gettext_lazy("You have withdrawn. Nothing from this session is used."),
}


@dataclass(frozen=True, slots=True)
class StateCount:
    """How many answers of a session are in one state."""

    words: StateWords
    count: int


def state_at(state: AnswerState, status: SessionStatus) -> AnswerState:
    """The answer's state by the clock: past the deadline a draft was drafted at expiry, sweep or not."""
    if state == AnswerState.DRAFT and status == SessionStatus.EXPIRED:
        return AnswerState.DRAFTED_AT_EXPIRY
    return state


def state_counts(states: Iterable[AnswerState]) -> list[StateCount]:
    """Counts of the states that occur, in a fixed order."""
    found = Counter(states)
    return [StateCount(words, found[state]) for state, words in STATE_WORDS.items() if found[state]]


def counted_words(states: Iterable[AnswerState], overdue_rule: str) -> str:
    """How many answers count, for somebody whose session is over."""
    number = sum(counts(state, overdue_rule) for state in states)
    if number == 0:
        return _("No answer of this session counts.")
    return ngettext("%(number)d answer counts.", "%(number)d answers count.", number) % {"number": number}


def duration_words(seconds: int) -> str:
    """Such as "4 hours 59 minutes", "59 minutes" or "40 seconds"; minutes are rounded down."""
    hours, minutes = divmod(seconds // 60, 60)
    parts = []
    if hours:
        parts.append(ngettext("%(number)d hour", "%(number)d hours", hours) % {"number": hours})
    if minutes:
        parts.append(ngettext("%(number)d minute", "%(number)d minutes", minutes) % {"number": minutes})
    if not parts:
        parts.append(ngettext("%(number)d second", "%(number)d seconds", seconds) % {"number": seconds})
    return " ".join(parts)
