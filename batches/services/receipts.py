"""What a page is told about a save."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from django.utils.functional import Promise
from django.utils.translation import gettext as _, gettext_lazy

from batches.models import RevisionOutcome
from batches.rules.saves import SaveDecision, TextFault
from batches.rules.statuses import SessionStatus
from batches.selectors.saved_answers import SavedAnswer
from presentation.numbers import counted

Duplicate = Literal["duplicate"]
DUPLICATE: Duplicate = "duplicate"
SaveOutcome = RevisionOutcome | Duplicate

OUTCOMES: Mapping[SaveDecision, SaveOutcome] = {
    SaveDecision.ACCEPT: RevisionOutcome.ACCEPTED,
    SaveDecision.DUPLICATE: DUPLICATE,
    SaveDecision.STALE: RevisionOutcome.REFUSED_STALE,
    SaveDecision.SUPERSEDED: RevisionOutcome.SUPERSEDED,
}
SAVED: frozenset[str] = frozenset({RevisionOutcome.ACCEPTED, RevisionOutcome.ACCEPTED_LATE, DUPLICATE})


@dataclass(frozen=True, slots=True)
class SaveReceipt:
    """What became of a save, and what the server holds now. `found`: what it found; None in practice."""

    outcome: SaveOutcome
    sentence: str
    revision: int
    saved_at: datetime | None
    seconds_left: int
    current_text: str
    current_note: str
    current_confidence: int | None
    kept: bool
    found: SavedAnswer | None = None

    @property
    def saved(self) -> bool:
        """Whether the server's current text is the one that was sent."""
        return self.outcome in SAVED


def outcome_sentence(outcome: SaveOutcome, status: SessionStatus) -> str:
    """One sentence for the person at the page; `status` is the session's."""
    if outcome == RevisionOutcome.REFUSED_LATE:
        return str(_OVER.get(status, _TIME_IS_OVER))
    if outcome == RevisionOutcome.ACCEPTED_LATE:
        return _("Saved: your text was on its way when the time ended.")
    return _(_DECISIONS[outcome].sentence)


def fault_sentence(fault: TextFault) -> str:
    """Why a text cannot be stored, for the person at the page."""
    numbers = {name: counted(number) for name, number in fault.numbers.items()}
    return _(fault.sentence) % numbers


_DECISIONS: Mapping[str, SaveDecision] = {outcome: decision for decision, outcome in OUTCOMES.items()}
_TIME_IS_OVER = gettext_lazy(
    "Your time has ended, so this text does not change your answer. What was saved before stays saved; "
    "you can copy this text from the page."
)
_OVER: Mapping[SessionStatus, Promise] = {
    SessionStatus.SUBMITTED: gettext_lazy(
        "You have submitted this question set, so this text does not change your answer. "
        "You can copy it from the page."
    ),
    SessionStatus.WITHDRAWN: gettext_lazy(
        "This session was ended for good and nothing from it is used, this text neither. You can copy it "
        "from the page."
    ),
}
