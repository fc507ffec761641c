"""The trail of who looked at private questions."""

from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Any

from studies.models import BankVersion, Study, StudyEvent, User
from studies.selectors.private_questions import studies_seen_whole
from studies.services.events import StudyEventKind, event_record

# Whoever goes through a list or loads a page again looks once.
ONCE_IN = timedelta(hours=1)


def private_seen(*, study: Study, page: str, labels: Collection[str], actor: User, now: datetime) -> None:
    """Record that somebody was shown the private questions with these labels, if there are any.

    A single one is named, which only those read in the history who may see it; of several the `page` is told.
    The same is recorded once an hour.
    """
    if not labels:
        return
    details: dict[str, Any] = {"question": next(iter(labels))} if len(labels) == 1 else {"page": page}
    events = StudyEvent.objects.filter(
        study=study, kind=StudyEventKind.PRIVATE_SEEN, actor=actor, happened_at__gt=now - ONCE_IN,
        details=details,
    )  # fmt: skip
    if not events.exists():
        event_record(study, StudyEventKind.PRIVATE_SEEN, now, actor=actor, **details)


def private_seen_of_bank(
    *, version: BankVersion, page: str, labels: Collection[str], actor: User, now: datetime
) -> None:
    """The same outside of any study: recorded in those on the bank in which the person may see them."""
    for study in studies_seen_whole(actor).filter(bank_version=version).order_by("pk"):
        private_seen(study=study, page=page, labels=labels, actor=actor, now=now)
