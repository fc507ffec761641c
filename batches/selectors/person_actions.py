"""What the study team can do for one person now."""

from enum import StrEnum

from batches.models import Session
from batches.rules.statuses import SessionStatus
from studies.models import Participant
from studies.selectors.comprehension import check_attempts_left, check_passed
from studies.services.events import has_withdrawn


class PersonAction(StrEnum):
    """One form of the person's page."""

    EXTRA_TIME = "extra-time"
    EXTEND = "extend"
    REOPEN = "reopen"
    CHECK_ATTEMPT = "check-attempt"


def person_actions(participant: Participant, session: Session | None) -> list[PersonAction]:
    """The actions that the services would not refuse as they are now."""
    if has_withdrawn(participant):
        return []
    if session is not None:
        return [_session_action(session)]
    needs_try = not check_passed(participant) and not check_attempts_left(participant)
    return [PersonAction.EXTRA_TIME] + [PersonAction.CHECK_ATTEMPT] * needs_try


def _session_action(session: Session) -> PersonAction:
    early = session.status == SessionStatus.SUBMITTED and session.time_left_at_end
    return PersonAction.REOPEN if early else PersonAction.EXTEND
