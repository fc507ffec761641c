"""A person's own mark on an answer: come back to this one."""

import uuid
from datetime import datetime

from django.utils.translation import gettext as _

from batches.models import Answer
from batches.rules.statuses import SessionStatus
from batches.services.answers import AnswerNotFound
from studies.services.refusals import Refused


class FlagRefused(Refused):
    """The session is over, so its marks stay as they are."""


def answer_flag(*, user_id: int, session_id: uuid.UUID, position: int, flagged: bool, now: datetime) -> None:
    """Set or take away the mark while the session runs; doing it twice changes nothing more.

    It is a help for the person alone, read by nothing downstream, and leaves no event. Raises AnswerNotFound
    or FlagRefused.
    """
    own = Answer.objects.filter(session=session_id, position=position, session__participant__user=user_id)
    running = own.filter(session__status=SessionStatus.ACTIVE, session__deadline_at__gte=now)
    if running.update(is_flagged=flagged):
        return
    if own.exists():
        raise FlagRefused(_("This session has ended, so its marks do not change any more."))
    raise AnswerNotFound
