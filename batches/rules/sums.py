"""What the answers of one session came to, in two short texts: numbers over all answers of a study follow
from them, and they from nothing that can change while the answers do not.

Both have a place for each answer, in the order of the prompts' keys: that of the sessions of one question set
is the same, whatever the order in which people read the prompts.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from batches.rules.statuses import AnswerState, SessionStatus, answer_state

WRITTEN, BLANK, SKIPPED, NOT_REACHED = "w", "b", "s", "n"
LETTERS = {
    AnswerState.DRAFT: WRITTEN,
    AnswerState.BLANK: BLANK,
    AnswerState.SKIPPED: SKIPPED,
    AnswerState.NOT_REACHED: NOT_REACHED,
}
NO_TIME = "nan"  # as a reader of numbers takes it


@dataclass(frozen=True, slots=True)
class Drafted:
    """What counts of one answer. `first_seen_at` and `saved_at` may be unknown."""

    revision: int
    has_text: bool
    first_seen_at: datetime | None
    saved_at: datetime | None

    @property
    def letter(self) -> str:
        """Its state but for the session's, which may still change."""
        state = answer_state(
            session_status=SessionStatus.ACTIVE,
            first_seen=self.first_seen_at is not None,
            revisions=self.revision,
            has_text=self.has_text,
        )
        return LETTERS[state]

    @property
    def seconds(self) -> str:
        """From the first view to the last save of an answer with text."""
        if not self.has_text or not self.first_seen_at or not self.saved_at:
            return NO_TIME
        seconds = (self.saved_at - self.first_seen_at).total_seconds()
        return f"{seconds:.6f}".rstrip("0").rstrip(".") if seconds >= 0 else NO_TIME


def session_sums(answers: Sequence[Drafted]) -> tuple[str, str]:
    """The two texts, of the answers in the order of their prompts' keys."""
    return "".join(one.letter for one in answers), ",".join(one.seconds for one in answers)


def states_of(letters: Iterable[str], status: SessionStatus) -> Iterable[AnswerState]:
    """What the letters say in a session of this status."""
    return (
        answer_state(
            session_status=status,
            first_seen=letter != NOT_REACHED,
            revisions=int(letter in (WRITTEN, BLANK)),
            has_text=letter == WRITTEN,
        )
        for letter in letters
    )
