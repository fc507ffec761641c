"""Databases of a session's own, in any state of the migrations: each state is made once, and copied."""

import json
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from uuid import uuid4

import psycopg
import pytest
from django.contrib.contenttypes.models import ContentType
from django.core.management import call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from pytest_django import DjangoDbBlocker

from tests.upgrades.states import landed, rendered_when_read
from tests.upgrades.upgrade import kept_rows, rows_insert, state_of

FIRST = Path(__file__).resolve().parent / "releases" / "0.1.0"


class Databases:
    """Databases of the same kind as the tests'; files of SQLite are in `folder`."""

    def __init__(self, folder: Path, blocker: DjangoDbBlocker) -> None:
        self.folder, self.blocker = folder, blocker
        self._kept: dict[str, str] = {}
        self._names: set[str] = set()

    def at(self, folder: Path) -> str:
        """The name of a database without rows, migrated to the state that `folder` was kept at."""
        targets = state_of(folder)
        origin = "" if folder == FIRST else self.at(FIRST)  # on the way to every other state

        def migrate() -> None:
            executor = MigrationExecutor(connection)
            executor.loader = landed(connection)
            with rendered_when_read():
                executor.migrate(targets)

        return self._made(json.dumps(targets), origin, migrate)

    def at_present(self) -> str:
        """The name of a database without rows, brought from the first release to the present."""

        def migrate() -> None:
            with rendered_when_read():
                call_command("migrate", verbosity=0)

        return self._made("at present", self.at(FIRST), migrate)

    def fresh(self) -> str:
        """The name of a database that the real command migrated while it was empty."""
        return self._made("fresh", "", lambda: call_command("migrate", verbosity=0))

    def upgraded(self, folder: Path, *, as_a_site: bool = False) -> str:
        """The name of a database with the rows that `folder` keeps, migrated on with the real command.

        `as_a_site`: without what makes that quicker here.
        """

        def upgrade() -> None:
            rows_insert(state_of(folder), kept_rows(folder))
            with nullcontext() if as_a_site else rendered_when_read():
                call_command("migrate", verbosity=0)

        return self._made(f"{folder} {as_a_site}", self.at(folder), upgrade)

    @contextmanager
    def copy_of(self, name: str) -> Iterator[None]:
        """Let this process work on a copy of the database, which goes afterwards."""
        copy = self._new(name)
        try:
            with self._connected(copy):
                yield
        finally:
            self._drop(copy)

    def drop_all(self) -> None:
        for name in list(self._names):
            with suppress(psycopg.Error):
                self._drop(name)

    def _made(self, key: str, origin: str, make: Callable[[], object]) -> str:
        if key not in self._kept:
            name = self._new(origin)
            with self._connected(name):
                make()
            self._kept[key] = name
        return self._kept[key]

    @contextmanager
    def _connected(self, name: str) -> Iterator[None]:
        """Let this process work on the database; of content types it knows none before and after."""
        before = connection.settings_dict["NAME"]
        try:
            name_set(name)
            with self.blocker.unblock():
                yield
        finally:
            name_set(before)

    def _new(self, origin: str) -> str:
        name = f"upgrade_{uuid4().hex[:12]}"
        if connection.vendor == "sqlite":
            name = str(self.folder / name)
            if origin:
                shutil.copyfile(origin, name)
        else:
            server_execute(f'CREATE DATABASE "{name}"' + (f' TEMPLATE "{origin}"' if origin else ""))
        self._names.add(name)
        return name

    def _drop(self, name: str) -> None:
        if connection.vendor == "sqlite":
            Path(name).unlink(missing_ok=True)
        else:
            server_execute(f'DROP DATABASE "{name}" WITH (FORCE)')
        self._names.remove(name)


def server_execute(statement: str) -> None:
    facts = connection.settings_dict
    login = facts["USER"] + (f":{facts['PASSWORD']}" if facts["PASSWORD"] else "")
    server = f"postgres://{login}@{facts['HOST']}:{facts['PORT'] or 5432}"
    with psycopg.connect(f"{server}/postgres", autocommit=True) as admin:
        admin.execute(statement)


def name_set(name: str) -> None:
    connection.close()
    connection.settings_dict["NAME"] = name
    ContentType.objects.clear_cache()


@pytest.fixture(scope="session")
def databases(
    django_db_modify_db_settings: None,
    tmp_path_factory: pytest.TempPathFactory,
    django_db_blocker: DjangoDbBlocker,
) -> Iterator[Databases]:
    found = Databases(tmp_path_factory.mktemp("databases"), django_db_blocker)
    yield found
    found.drop_all()
