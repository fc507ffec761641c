"""Keeping what an open page says about itself. No answer is read or locked for it."""

import uuid
from dataclasses import asdict, fields
from datetime import datetime

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from batches.models import Session, SessionContact, SessionEventKind
from batches.rules.contact import Contact, PageReport, page_heard
from batches.services.trail import session_event
from studies.services.refusals import Refused

FACTS = tuple(field.name for field in fields(Contact))


class ReportedSessionNotFound(Refused):
    """This person has no such session."""


def page_report(*, user_id: int, session_id: uuid.UUID, report: PageReport, now: datetime) -> bool:
    """Keep a report that arrived at `now`. Raises ReportedSessionNotFound.

    False: the page is to tell its news again, because another page was faster or the last news are only
    seconds old. Once the session is over, nothing is kept any more.
    """
    sessions = Session.objects.select_related("contact").filter(pk=session_id, participant__user=user_id)
    session = sessions.first()
    if session is None:
        raise ReportedSessionNotFound(_("There is no such session of yours."))
    if not session.is_running(now):
        return True
    row = getattr(session, "contact", None)
    before = Contact(**{name: getattr(row, name) for name in FACTS}) if row else None
    heard = page_heard(before, report, started_at=session.started_at, now=now)
    with transaction.atomic():
        if not _store(session.pk, before, heard.contact):
            return False
        for note in heard.notes:
            session_event(session.pk, SessionEventKind(note.kind.value), now, **note.details)
    return heard.is_kept


def _store(session_id: uuid.UUID, before: Contact | None, after: Contact) -> bool:
    """False, and nothing written, where another report came between."""
    if before is not None:
        same = SessionContact.objects.filter(session=session_id, heard_at=before.heard_at, noted=before.noted)
        return bool(same.update(**asdict(after)))
    try:
        with transaction.atomic():
            SessionContact.objects.create(session_id=session_id, **asdict(after))
    except IntegrityError:
        return False
    return True
