"""The trail of who looked at private questions, and who may make studies that ask them."""

from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Any

from django.utils.translation import gettext as _

from studies.models import BankVersion, Study, StudyEvent, User
from studies.selectors.private_questions import may_ask, studies_seen_whole
from studies.services.events import StudyEventKind, event_record
from studies.services.refusals import Refused

# Whoever goes through a list or loads a page again looks once.
ONCE_IN = timedelta(hours=1)


class BankIsPrivate(Refused):
    """Studies of others ask the private questions of the bank."""


def require_may_ask(actor: User | None, version: BankVersion) -> None:
    """Raise BankIsPrivate where `actor` may make no study on the version; the command line (None) may."""
    if actor is not None and not may_ask(actor, version):
        raise BankIsPrivate(
            _(
                "Studies of others ask the private questions of %(bank)s, and whoever leads a study on it "
                "sees them. Ask a lead of such a study to make you its lead, too, or whoever runs the site."
            )
            % {"bank": version}
        )


def private_seen(
    *, study: Study, page: str, labels: Collection[str], actor: User | None, now: datetime
) -> None:
    """Record that somebody was shown the private questions with these labels, if there are any.

    A single one is named, which only those read in the history who may see it; of several the `page` is told.
    The same is recorded once an hour. `actor` None means the command line.
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
