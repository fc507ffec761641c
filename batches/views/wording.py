"""Words and signs participants read about their own work."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from batches.rules.statuses import AnswerState, SessionStatus
from batches.selectors.sessions import AnswerPlace


@dataclass(frozen=True, slots=True)
class StateWords:
    """How a state is shown: never by colour or sign alone."""

    icon: str
    words: str


STATE_WORDS: Mapping[AnswerState, StateWords] = {
    AnswerState.DRAFT: StateWords("●", "saved"),
    AnswerState.BLANK: StateWords("○", "emptied"),
    AnswerState.SKIPPED: StateWords("◌", "opened, empty"),
    AnswerState.NOT_REACHED: StateWords("·", "not opened"),
    AnswerState.ANSWERED: StateWords("✓", "handed in"),
    AnswerState.DRAFTED_AT_EXPIRY: StateWords("●", "saved when the time ended"),
    AnswerState.WITHDRAWN: StateWords("–", "withdrawn"),
}

OVERDUE_WORDS: Mapping[str, str] = {
    "saved_counts": (
        "When the time ends, what is saved by then counts as your answers, whether or not you submitted."
    ),
    "submitted_only": (
        "Only a batch that you submit before the time ends counts. What is merely saved does not."
    ),
}

ENDED_WORDS: Mapping[SessionStatus, str] = {
    SessionStatus.SUBMITTED: "You have submitted your batch. Thank you.",
    SessionStatus.EXPIRED: "Your time has ended. Thank you for your work.",
    SessionStatus.WITHDRAWN: "You have withdrawn. Nothing from this session is used.",
}


@dataclass(frozen=True, slots=True)
class StateCount:
    """How many answers of a session are in one state."""

    words: StateWords
    count: int


def state_counts(places: Iterable[AnswerPlace]) -> list[StateCount]:
    """Counts of the states that occur, in a fixed order."""
    counts = Counter(place.state for place in places)
    return [StateCount(words, counts[state]) for state, words in STATE_WORDS.items() if counts[state]]


def duration_words(seconds: int) -> str:
    """Such as "4 hours 59 minutes", "59 minutes" or "40 seconds"; minutes are rounded down."""
    hours, minutes = divmod(seconds // 60, 60)
    parts = [_counted(hours, "hour"), _counted(minutes, "minute")]
    return " ".join(part for part in parts if part) or f"{seconds} second{'' if seconds == 1 else 's'}"


def _counted(number: int, unit: str) -> str:
    return f"{number} {unit}{'' if number == 1 else 's'}" if number else ""
