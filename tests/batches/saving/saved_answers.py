"""Saving an answer, and what is stored of it."""

from datetime import datetime
from typing import Any

from batches.models import Answer, Session
from batches.services.answers import IncomingText, answer_save
from batches.services.receipts import SaveReceipt


def save(
    session: Session,
    text: str,
    at: datetime,
    *,
    base: int = 0,
    tab: str = "tab-a",
    sequence: int = 1,
    position: int = 1,
    **beside: Any,
) -> SaveReceipt:
    return answer_save(
        user_id=session.participant.user_id,
        session_id=session.pk,
        position=position,
        incoming=IncomingText(text, base_revision=base, tab=tab, sequence=sequence, **beside),
        now=at,
    )


def stored(position: int = 1) -> Answer:
    return Answer.objects.get(position=position)
