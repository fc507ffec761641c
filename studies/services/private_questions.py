"""The trail of who looked at private questions."""

from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Any

from studies.models import BankVersion, Study, StudyEvent, User
from studies.selectors.private_questions import studies_seen_whole
from studies.services.events import StudyEventKind, event_record

# Whoever goes through a list or loads a page again looks once.
ONCE_IN = timedelta(hours=1)


def private_seen(
    *, study: Study, page: str, labels: Collection[str], actor: User | None, now: datetime
) -> None:
    """Record that somebody was shown the private questions with these labels, if there are any.

    A single one is named, which only those read in the history who may see it; of several the `page` is told.
    The same is recorded once an hour. Other studies on the bank have it in their histories, too, unless the
    person sees its private questions there: whoever may make studies leads one on any bank. `actor` None
    means the command line.
    """
    if not labels:
        return
    _once(study, actor, now, {"question": next(iter(labels))} if len(labels) == 1 else {"page": page})
    if actor is not None:
        of_bank = Study.objects.filter(bank_version__bank=study.bank_version.bank_id).exclude(pk=study.pk)
        for other in of_bank.exclude(pk__in=studies_seen_whole(actor).values("pk")).order_by("pk"):
            _once(other, actor, now, {"page": "elsewhere"})


def _once(study: Study, actor: User | None, now: datetime, details: dict[str, Any]) -> None:
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
