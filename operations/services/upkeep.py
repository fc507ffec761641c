"""Mails that wait and the last backup, as far as they can be seen from here."""

from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path

from django.conf import settings
from django.db.models import Count, Min, Q

from studies.models import OutgoingMail

BACKUP_IS_OLD = timedelta(days=7)
# A mail is sent within seconds; what waits for longer was refused, or no worker runs.
MAIL_IS_LATE = timedelta(minutes=5)


def backup_note(*, now: datetime) -> None:
    """Keep when a backup was taken; a folder that cannot be written to spoils no backup."""
    with suppress(OSError):
        _note().write_text(now.isoformat())


def backup_noted() -> datetime | None:
    """When the last backup was taken on this site by `manage.py backup`; None where none was."""
    try:
        return datetime.fromisoformat(_note().read_text())
    except (OSError, ValueError):
        return None


def mails_waiting(now: datetime) -> tuple[int, int, timedelta | None]:
    """How many mails wait, how many of them were tried in vain, and for how long the first of those due has
    been due.
    """
    real = OutgoingMail.objects.filter(discarded=False, expires_at__gt=now)
    waiting = real.aggregate(
        number=Count("pk"),
        tried=Count("pk", filter=Q(attempts__gt=0)),
        first=Min("due_at", filter=Q(due_at__lte=now)),
    )
    return waiting["number"], waiting["tried"], now - waiting["first"] if waiting["first"] else None


def _note() -> Path:
    return Path(settings.DATA_DIR) / "last_backup"
