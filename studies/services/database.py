"""The clock that all processes share, and one moment of the database for many reads."""

import gc
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from itertools import islice
from typing import Any, TypeVar, cast

from django.db import connection, transaction
from django.db.models import Field, Model
from django.utils import timezone

# So long a page that only notes something waits for others who write.
NOTE_SECONDS = 0.25
LONGEST_PAUSE = 0.5
Some = TypeVar("Some")


def database_now() -> datetime:
    """PostgreSQL's time; with SQLite, which has no clock of its own, the host's."""
    if connection.vendor != "postgresql":
        return timezone.now()
    with connection.cursor() as cursor:
        # now() would stand still for as long as a transaction lasts.
        cursor.execute("SELECT clock_timestamp()")
        [moment] = cursor.fetchone()
    return cast(datetime, moment).astimezone(UTC)


@contextmanager
def one_of_many_writes() -> Iterator[None]:
    """A transaction of work that stores many rows, slice by slice, while people save their answers.

    With SQLite one process writes at a time, and who waits looks again only after a while: twice as long as
    the slice took is left to them. Meanwhile no garbage is collected: to look through all that was read of a
    file takes ten times as long as to store a slice of it.
    """
    began = time.monotonic()
    with transaction.atomic():
        gc.disable()
        try:
            yield
        finally:
            gc.enable()
    if connection.vendor == "sqlite" and not connection.in_atomic_block:
        time.sleep(min(2 * (time.monotonic() - began), LONGEST_PAUSE))


def slices(rows: Iterable[Some], size: int) -> Iterator[list[Some]]:
    """All of them, so many at a time."""
    left = iter(rows)
    while some := list(islice(left, size)):
        yield some


def rows_insert(table: type[Model], rows: Iterable[Model]) -> Callable[[], None]:
    """What stores these rows, made ready: the smaller part of the work is left for the lock.

    The rows do not learn their keys, which are in the rows' order.
    """
    fields = [field for field in table._meta.concrete_fields if not field.primary_key]
    values = [column_values(row, fields) for row in rows]
    return values_insert(table, [field.column for field in fields], values)


def values_insert(
    table: type[Model], columns: Sequence[str], values: Sequence[Sequence[Any]]
) -> Callable[[], None]:
    """The same of rows as the values of these columns, as the database is given them."""
    named = ", ".join(map(connection.ops.quote_name, columns))
    target = f"{connection.ops.quote_name(table._meta.db_table)} ({named})"
    places = ", ".join(["%s"] * len(columns))

    def insert() -> None:
        with connection.cursor() as cursor:
            if connection.vendor != "postgresql":
                cursor.executemany(f"INSERT INTO {target} VALUES ({places})", values)  # noqa: S608  # own names
                return
            with connection.wrap_database_errors, cursor.copy(f"COPY {target} FROM STDIN") as copy:
                for row in values:
                    copy.write_row(row)

    return insert


def column_values(row: Model, fields: "Sequence[Field[Any, Any]]") -> list[Any]:
    """What the database is given for these fields of a new row."""
    return [field.get_db_prep_save(field.pre_save(row, add=True), connection) for field in fields]


@contextmanager
def short_wait(seconds: float = NOTE_SECONDS) -> Iterator[None]:
    """Wait for others who write no longer than this in the block, which is a transaction.

    Raises OperationalError where they take longer.
    """
    milliseconds = round(1000 * seconds)
    connection.ensure_connection()
    if connection.vendor == "postgresql":
        with transaction.atomic():
            connection.connection.execute(f"SET LOCAL lock_timeout = {milliseconds}")
            yield
        return
    usual = round(1000 * connection.settings_dict["OPTIONS"]["timeout"])
    connection.connection.execute(f"PRAGMA busy_timeout = {milliseconds}")
    try:
        with transaction.atomic():
            yield
    finally:
        connection.connection.execute(f"PRAGMA busy_timeout = {usual}")


BEGIN = {
    "postgresql": "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
    # Django's own transactions on SQLite take the write lock at once; this one only ever reads.
    "sqlite": "BEGIN DEFERRED",
}


@contextmanager
def snapshot() -> Iterator[None]:
    """Let every read in the block see the same moment. Inside a transaction it leaves that one as it is."""
    within = connection.in_atomic_block
    if not within:
        # Django knows nothing of a transaction that it did not begin.
        connection.ensure_connection()
        if connection.vendor == "sqlite":
            within = connection.connection.in_transaction
        else:
            within = connection.connection.info.transaction_status.name != "IDLE"
    if within:
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


def rows_update(rows: Iterable[Model], names: Sequence[str], condition: str = "") -> None:
    """Store these fields of these rows, each as it has them, where `condition` (SQL of our own) holds."""
    rows = list(rows)
    if not rows:
        return
    meta = rows[0]._meta
    fields = [field for field in meta.concrete_fields if field.name in names]
    changes = ", ".join(f"{connection.ops.quote_name(field.column)} = %s" for field in fields)
    sql = (
        f"UPDATE {connection.ops.quote_name(meta.db_table)} SET {changes} "  # noqa: S608  # own names
        f"WHERE {connection.ops.quote_name(meta.pk.column)} = %s{condition}"
    )
    with connection.cursor() as cursor:
        cursor.executemany(sql, [column_values(row, [*fields, meta.pk]) for row in rows])
