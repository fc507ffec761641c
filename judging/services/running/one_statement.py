"""The usual case of storing, on PostgreSQL: one row and one request in one statement and transaction.

It does what `storing.result_store` does otherwise in several statements; a test compares the two. With a
judge that replies at once, those would take longer than all else that is done for a call.
"""

from collections.abc import Mapping
from functools import cache
from uuid import UUID

import psycopg
from django.db import connection

from judging.models import CriterionScore, JudgeCall

ROW_COLUMNS = {field.name: field.column for field in CriterionScore._meta.concrete_fields}
CALL_FIELDS = tuple(field for field in JudgeCall._meta.concrete_fields if not field.primary_key)


def is_possible(*, rows: int, calls: int) -> bool:
    """Whether so many rows and requests can be stored this way in this database."""
    return connection.vendor == "postgresql" and rows == 1 and calls == 1


def row_and_call_store(pk: int, lease: UUID, fields: Mapping[str, object], call: JudgeCall) -> bool:
    """Set `fields` of the row while it carries `lease`, and add the call; False where the lease was lost."""
    connection.ensure_connection()
    values = [*fields.values(), pk, lease, *(getattr(call, field.attname) for field in CALL_FIELDS)]
    # The errors of Django: an outage must be told from what would fail again and again.
    with connection.wrap_database_errors, psycopg.Cursor(connection.connection) as cursor:
        cursor.execute(statement(tuple(fields)), values, prepare=True)
        found = cursor.fetchone()
    return found is not None and bool(found[0])


@cache
def statement(fields: tuple[str, ...]) -> bytes:
    """The statement for these fields of a row; the values come in its order."""
    row, call = CriterionScore._meta, JudgeCall._meta
    changes = ", ".join(f'"{ROW_COLUMNS[name]}" = %s' for name in fields)
    columns = ", ".join(f'"{field.column}"' for field in CALL_FIELDS)
    places = ", ".join("%s" for _ in CALL_FIELDS)
    # The request is inserted whether or not the row was held: the parts of WITH that write always run.
    return (
        f'WITH held AS (UPDATE "{row.db_table}" SET {changes} '  # noqa: S608  # names are the models' own
        f"WHERE id = %s AND lease = %s AND state = 'open' RETURNING id), "
        f'called AS (INSERT INTO "{call.db_table}" ({columns}) VALUES ({places}) '
        "ON CONFLICT (uid) DO NOTHING) "
        "SELECT count(*) FROM held"
    ).encode()
