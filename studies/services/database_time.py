"""The time by the clock that all processes share."""

from datetime import UTC, datetime
from typing import cast

from django.db import connection
from django.utils import timezone


def database_now() -> datetime:
    """PostgreSQL's time; with SQLite, which has no clock of its own, the host's."""
    if connection.vendor != "postgresql":
        return timezone.now()
    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        [moment] = cursor.fetchone()
    return cast(datetime, moment).astimezone(UTC)
