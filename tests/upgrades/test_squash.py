"""An empty database, whose tables are made at once, becomes what the landed migrations make of one."""

import re
from collections.abc import Iterator

import pytest
from django.core.management import call_command
from django.db import connection
from django.db.migrations.loader import MigrationLoader

from tests.upgrades.databases import Databases

# Columns have no number here: on SQLite the landed migrations leave them in another order than on PostgreSQL,
# as a changed column is the last one there, and every statement names the columns that it reads and writes.
OF_POSTGRESQL = """
    SELECT 'column', attrelid::regclass, attname, format_type(atttypid, atttypmod), attnotnull,
        attidentity::text, attcollation::regcollation, pg_get_expr(adbin, adrelid)
    FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
        LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
    WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND attnum > 0 AND NOT attisdropped;
    SELECT 'constraint', conrelid::regclass, conname, convalidated, pg_get_constraintdef(oid)
    FROM pg_constraint WHERE connamespace = 'public'::regnamespace;
    SELECT 'index', indexdef FROM pg_indexes WHERE schemaname = 'public';
    SELECT 'sequence', sequencename, data_type, start_value, min_value, max_value, increment_by, cycle
    FROM pg_sequences WHERE schemaname = 'public';
    SELECT 'trigger', pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal
"""
# A definition within those of a table ends at a comma that is in no brackets and no quotation marks.
QUOTED = re.compile(r"""'[^']*'|"[^"]*"|[(),]""")


def schema() -> Iterator[str]:
    """A line for each column, constraint, index, sequence and trigger, with all that is known of it."""
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            for query in OF_POSTGRESQL.split(";"):
                cursor.execute(query)
                yield from map(str, cursor.fetchall())
            return
        cursor.execute("SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL")
        for kind, name, sql in cursor.fetchall():
            yield from (f"{kind} {name}: {part}" for part in (definitions(sql) if kind == "table" else [sql]))


def definitions(sql: str) -> Iterator[str]:
    """Of the columns and constraints in a statement that makes a table of SQLite."""
    begin, depth = sql.index("(") + 1, 0
    for found in QUOTED.finditer(sql):
        depth += {"(": 1, ")": -1}.get(found[0], 0)
        if (found[0] == "," and depth == 1) or (found[0] == ")" and not depth):
            yield sql[begin : found.start()].strip()
            begin = found.end()


def rows() -> Iterator[str]:
    """Every row, but when each migration was applied."""
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names(cursor):
            cursor.execute(f"SELECT * FROM {connection.ops.quote_name(table)}")  # noqa: S608  # our own names
            names = [column[0] for column in cursor.description]
            untold = {"id", "applied"} if table == "django_migrations" else set()
            for row in cursor.fetchall():
                told = sorted(one for one in zip(names, row, strict=True) if one[0] not in untold)
                yield f"row of {table}: {told}"


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_tables_made_at_once_are_those_of_the_landed_migrations(databases: Databases) -> None:
    with databases.copy_of(databases.at_present()):
        before = {*schema(), *rows()}
    with databases.copy_of(databases.fresh()):
        now = {*schema(), *rows()}
    assert sorted(before - now) == [] == sorted(now - before)
    assert len(before) > 1000


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_a_database_whose_tables_were_made_at_once_goes_back_and_forward(databases: Databases) -> None:
    with databases.copy_of(databases.fresh()):
        tables, content = {*schema()}, {*rows()}
        call_command("migrate", "studies", "0022", verbosity=0)
        assert tables - {*schema()}, "nothing went back"
        call_command("migrate", verbosity=0)
        # Django keeps the names of tables and rights that came back for a while.
        assert ({*schema()}, {*rows()} >= content) == (tables, True)


def test_no_migration_depends_on_one_that_stands_for_others() -> None:
    """So that the next one may take its place: name the newest landed file instead."""
    loader = MigrationLoader(None)
    depending = {
        key for key, one in loader.disk_migrations.items() if {*one.dependencies} & {*loader.replacements}
    }
    assert not depending
