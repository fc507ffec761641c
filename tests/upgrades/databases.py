"""Databases with nothing in them, for processes that a test starts."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

import psycopg
from django.db import connection


@contextmanager
def empty_database(folder: Path) -> Iterator[str]:
    """The address of a database of the same kind as this test's; an SQLite file is in `folder`."""
    if connection.vendor == "sqlite":
        yield f"sqlite:///{folder / 'upgraded.sqlite3'}"
        return
    facts, name = connection.settings_dict, f"upgrade_{uuid4().hex[:12]}"
    login = facts["USER"] + (f":{facts['PASSWORD']}" if facts["PASSWORD"] else "")
    server = f"postgres://{login}@{facts['HOST']}:{facts['PORT'] or 5432}"
    with psycopg.connect(f"{server}/postgres", autocommit=True) as admin:
        admin.execute(f'CREATE DATABASE "{name}"')
        yield f"{server}/{name}"
        admin.execute(f'DROP DATABASE "{name}" WITH (FORCE)')
