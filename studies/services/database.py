"""The clock that all processes share, and one moment of the database for many reads."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import cast

from django.db import connection
from django.utils import timezone


def database_now() -> datetime:
    """PostgreSQL's time; with SQLite, which has no clock of its own, the host's."""
    if connection.vendor != "postgresql":
        return timezone.now()
    with connection.cursor() as cursor:
        # now() would stand still for as long as a transaction lasts.
        cursor.execute("SELECT clock_timestamp()")
        [moment] = cursor.fetchone()
    return cast(datetime, moment).astimezone(UTC)


BEGIN = {
    "postgresql": "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
    # Django's own transactions on SQLite take the write lock at once; this one only ever reads.
    "sqlite": "BEGIN DEFERRED",
}


@contextmanager
def snapshot() -> Iterator[None]:
    """Let every read in the block see the same moment. Inside a transaction it leaves that one as it is."""
    if connection.in_atomic_block:
        yield
        return
    with connection.cursor() as cursor:
        cursor.execute(BEGIN[connection.vendor])
        if connection.vendor == "postgresql":
            # It locks nothing, and between two of its reads a reader may write for long.
            cursor.execute("SET LOCAL idle_in_transaction_session_timeout = 0")
    try:
        yield
    finally:
        with connection.cursor() as cursor:
            cursor.execute("ROLLBACK")
