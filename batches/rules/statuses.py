"""What a session and an answer can be, and which moves between session states exist."""

from collections.abc import Mapping
from enum import StrEnum

from formats.wording import gettext_noop

VOID = "void"  # how files and results call a session that the study team voided, and the answers in it


class SessionStatus(StrEnum):
    """State of one person's single sitting with one batch."""

    ACTIVE = "active"
    SUBMITTED = "submitted"
    EXPIRED = "expired"
    WITHDRAWN = "withdrawn"

    @property
    def sentence(self) -> str:
        """One sentence a participant or a study lead can read."""
        return _SESSION_SENTENCES[self]


class AnswerState(StrEnum):
    """Why an answer is there, or why it is not; none of these is ever a score of zero."""

    ANSWERED = "answered"
    DRAFTED_AT_EXPIRY = "drafted_at_expiry"
    DRAFT = "draft"
    BLANK = "blank"
    SKIPPED = "skipped"
    NOT_REACHED = "not_reached"
    WITHDRAWN = "withdrawn"

    @property
    def sentence(self) -> str:
        """One sentence a study lead can read."""
        return _ANSWER_SENTENCES[self]


SESSION_MOVES: Mapping[SessionStatus, frozenset[SessionStatus]] = {
    SessionStatus.ACTIVE: frozenset(
        {SessionStatus.SUBMITTED, SessionStatus.EXPIRED, SessionStatus.WITHDRAWN}
    ),
    SessionStatus.SUBMITTED: frozenset({SessionStatus.ACTIVE, SessionStatus.WITHDRAWN}),
    SessionStatus.EXPIRED: frozenset(
        {SessionStatus.ACTIVE, SessionStatus.SUBMITTED, SessionStatus.WITHDRAWN}
    ),
    SessionStatus.WITHDRAWN: frozenset(),
}
"""The moves a session may make; anything not listed is refused.

Back to active goes only what the study team extends or reopens. From expired to submitted goes only a
submission that arrived in time while the sweep was faster."""


def answer_state(
    *, session_status: SessionStatus, first_seen: bool, revisions: int, has_text: bool
) -> AnswerState:
    """Derive the state of one answer from stored facts.

    `first_seen`: the prompt was shown at least once. `revisions`: saves accepted so far.
    `has_text`: the latest revision holds something visible (see `formats.text_faults`).
    """
    if session_status == SessionStatus.WITHDRAWN:
        return AnswerState.WITHDRAWN
    if has_text:
        return _STATE_OF_TEXT[session_status]
    if revisions > 0:
        return AnswerState.BLANK
    return AnswerState.SKIPPED if first_seen else AnswerState.NOT_REACHED


def counts(state: AnswerState, overdue_rule: str) -> bool:
    """Whether an answer in this state goes on to be judged, under the overdue rule of its session."""
    if state == AnswerState.DRAFTED_AT_EXPIRY:
        return overdue_rule == "saved_counts"
    return state == AnswerState.ANSWERED


_STATE_OF_TEXT: Mapping[SessionStatus, AnswerState] = {
    SessionStatus.ACTIVE: AnswerState.DRAFT,
    SessionStatus.SUBMITTED: AnswerState.ANSWERED,
    SessionStatus.EXPIRED: AnswerState.DRAFTED_AT_EXPIRY,
}

_SESSION_SENTENCES: Mapping[SessionStatus, str] = {
    SessionStatus.ACTIVE: gettext_noop("The session is running and its deadline has not passed."),
    SessionStatus.SUBMITTED: gettext_noop("The participant submitted the question set before the deadline."),
    SessionStatus.EXPIRED: gettext_noop("The time ended before the participant submitted."),
    SessionStatus.WITHDRAWN: gettext_noop("The participant withdrew; nothing from this session is used."),
}

_ANSWER_SENTENCES: Mapping[AnswerState, str] = {
    AnswerState.ANSWERED: gettext_noop("The answer was handed in with the question set."),
    AnswerState.DRAFTED_AT_EXPIRY: gettext_noop(
        "The answer was saved when the time ended, without a submission."
    ),
    AnswerState.DRAFT: gettext_noop("The answer is saved and the session is still running."),
    AnswerState.BLANK: gettext_noop("The participant saved this answer and its last version is empty."),
    AnswerState.SKIPPED: gettext_noop("The participant saw this question and never wrote an answer."),
    AnswerState.NOT_REACHED: gettext_noop("The participant never opened this question."),
    AnswerState.WITHDRAWN: gettext_noop("The participant withdrew, so this answer is not used."),
}
