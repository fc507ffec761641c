"""Backups: taking one while the site runs, and proving a restored copy whole.

A backup holds the database at one moment and the files that its rows name; its manifest has every table by
the number and the hash of its rows, every file by its hash.
"""

import hashlib
import json
import os
import shutil
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import closing
from datetime import datetime
from itertools import chain
from pathlib import Path
from typing import Any

from django.apps import apps
from django.conf import settings
from django.db import DatabaseError, IntegrityError, connection
from django.db.migrations.recorder import MigrationRecorder
from django.db.models import Count, F, Max, OuterRef, Q, Subquery
from psycopg.conninfo import make_conninfo
from pydantic import BaseModel, ValidationError

from batches.models import Answer, Revision
from presentation.numbers import counted
from studies.models import Attachment, Credential, Study, StudyStatus
from studies.services.database import snapshot
from studies.services.events import StudyEventKind
from studies.services.refusals import Refused

MANIFEST, SQLITE_FILE, DUMP_FILE, MEDIA = "manifest.json", "chiron.sqlite3", "database.dump", "media"
CHUNK_ROWS = 2000
# Of the parameters of our connection those that pg_dump, which may be older than our driver, knows.
ADDRESS = {"host", "port", "dbname", "user", "sslmode", "sslrootcert", "sslcert", "sslkey"}


class BackupRefused(Refused):
    """No backup was made."""


class ManifestUnreadable(Refused):
    """The file is no manifest of a backup."""


class TableFacts(BaseModel):
    """`sha256` goes over all columns of all rows in the order of their keys."""

    rows: int
    sha256: str


class Manifest(BaseModel):
    """The state of the database at one moment, and the files that its rows name.

    `files` maps paths in the media folder to the hashes of what was copied; `missing` are those that rows
    name and that were not there, or not as their row says.
    """

    made_at: datetime
    database: str
    migrations: list[str]
    tables: dict[str, TableFacts]
    files: dict[str, str]
    missing: list[str]

    @property
    def rows(self) -> int:
        return sum(table.rows for table in self.tables.values())


def manifest_read(path: Path) -> Manifest:
    """Raises ManifestUnreadable."""
    try:
        return Manifest.model_validate_json(path.read_bytes())
    except (OSError, ValidationError) as error:
        raise ManifestUnreadable(
            f"{path} cannot be read as the manifest of a backup ({type(error).__name__}). "
            f"Name the {MANIFEST} in the backup's folder."
        ) from None


def applied_migrations() -> list[str]:
    return [f"{app}.{name}" for app, name in sorted(MigrationRecorder(connection).applied_migrations())]


def table_facts() -> dict[str, TableFacts]:
    """Every table of the site by its name, many-to-many tables included."""
    models = {model._meta.db_table: model for model in apps.get_models(include_auto_created=True)}
    facts = {}
    for table, model in sorted(models.items()):
        columns = [field.attname for field in model._meta.concrete_fields]
        digest, count = hashlib.sha256(), 0
        rows = model._base_manager.order_by("pk").values_list(*columns)
        for row in rows.iterator(chunk_size=CHUNK_ROWS):
            digest.update(json.dumps(row, default=str, sort_keys=True).encode() + b"\n")
            count += 1
        facts[table] = TableFacts(rows=count, sha256=digest.hexdigest())
    return facts


def file_sha256(path: Path) -> str | None:
    """Hex; None where there is no such file."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except FileNotFoundError:
        return None


def backup_take(*, folder: Path, now: datetime) -> Manifest:
    """Write database, files, keys and manifest into a new folder that is its owner's alone.

    The manifest comes last: a folder without one is no backup. Rows and copy are of the same moment; files
    are copied after it, and one that was deleted meanwhile is listed as missing. Raises BackupRefused.
    """
    try:
        folder.mkdir(mode=0o700)
    except OSError as error:
        raise BackupRefused(
            f"{folder} cannot be made ({error.strerror}); name a folder that is not there yet."
        ) from None
    try:
        with snapshot():
            migrations, tables = applied_migrations(), table_facts()
            # The hash of each file that a row names, by its path in the media folder.
            stored = (model._base_manager.values_list("file", "sha256") for model in (Attachment, Credential))
            named = dict(chain.from_iterable(stored))
            _copy_database(folder)
    except BackupRefused:
        shutil.rmtree(folder)  # the next try may have its name
        raise
    (folder / MEDIA).mkdir(mode=0o700)  # also without files: restoring names it
    copied = {path: digest for path, digest in named.items() if _copy_file(path, digest, folder / MEDIA)}
    # Embedded, the site made its keys itself; in production they are in the environment.
    for key in Path(settings.DATA_DIR).glob("*_key"):
        _copy(key, folder / key.name)
    manifest = Manifest(
        made_at=now,
        database=connection.vendor,
        migrations=migrations,
        tables=tables,
        files=copied,
        missing=sorted(named.keys() - copied.keys()),
    )
    _private(folder / MANIFEST).write_text(manifest.model_dump_json(indent=1))
    return manifest


def _copy_database(folder: Path) -> None:
    """Copy what this connection's open transaction sees."""
    if connection.vendor == "sqlite":
        source: sqlite3.Connection = connection.connection
        with closing(sqlite3.connect(_private(folder / SQLITE_FILE))) as copy:
            source.backup(copy)
        return
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_export_snapshot()")
        [moment] = cursor.fetchone()
    info: Any = connection.connection.info
    address = {name: value for name, value in info.get_parameters().items() if name in ADDRESS}
    command = [
        *("pg_dump", "--format=custom", "--no-owner", "--no-privileges", f"--snapshot={moment}"),
        *(f"--file={_private(folder / DUMP_FILE)}", f"--dbname={make_conninfo(**address)}"),
    ]
    try:
        done = subprocess.run(  # noqa: S603  # our own command line, no shell
            command,
            # Not on the command line, which every user of the machine can read.
            env={**os.environ, "PGPASSWORD": info.password},
            capture_output=True,
            text=True,
            check=False,
        )
    except FileNotFoundError:
        raise BackupRefused(
            "pg_dump is not installed here; install the client of the server's version."
        ) from None
    if done.returncode:
        raise BackupRefused(f"pg_dump could not copy the database: {done.stderr.strip().splitlines()[-1]}")


def _copy_file(path: str, digest: str, media: Path) -> bool:
    """Copy one file of the media folder; False where it is not there or not what its row says."""
    source, target = Path(settings.MEDIA_ROOT) / path, media / path
    target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    try:
        _copy(source, target)
    except FileNotFoundError:
        target.unlink()
        return False
    return file_sha256(target) == digest


def _copy(source: Path, target: Path) -> None:
    shutil.copyfile(source, _private(target))


def _private(path: Path) -> Path:
    """A new empty file for its owner alone."""
    path.touch(mode=0o600, exist_ok=False)
    return path


def restored_faults(manifest: Manifest) -> Iterator[str]:
    """One sentence for each fault; none where database and files are exactly those of the backup."""
    if connection.vendor != manifest.database:
        yield f"the backup is of {manifest.database}, this database is {connection.vendor}"
        return
    if applied_migrations() != manifest.migrations:
        yield "the migrations applied here are not those of the backup; verify with the release that made it"
        return
    for path, digest in manifest.files.items():
        present = file_sha256(Path(settings.MEDIA_ROOT) / path)
        if present != digest:
            yield f"media/{path}: {'missing' if present is None else 'damaged'}"
    tables = table_facts()
    for table in sorted(tables.keys() | manifest.tables.keys()):
        here, expected = tables.get(table), manifest.tables.get(table)
        if here is None or expected is None:
            yield f"{table}: the table is {'missing' if here is None else 'not in the backup'}"
        elif here.rows != expected.rows:
            yield f"{table}: rows are {counted(here.rows)} instead of {counted(expected.rows)}"
        elif here.sha256 != expected.sha256:
            yield f"{table}: the number of rows is right, what they hold is not"
    yield from _contradictions()


def _contradictions() -> Iterator[str]:
    """Rows that name rows which are not there, damage in SQLite's file, and what is stored twice and does
    not agree: answers with their revisions, protocols with their records.
    """
    try:
        connection.check_constraints()
        if connection.vendor == "sqlite":
            with connection.cursor() as cursor:
                cursor.execute("PRAGMA integrity_check")
                yield from (f"SQLite: {line}" for [line] in cursor.fetchall() if line != "ok")
    except (IntegrityError, DatabaseError) as error:
        yield f"the database refuses its own rows: {type(error).__name__}"
    newest = Revision.objects.filter(answer=OuterRef("pk"), number=OuterRef("revision")).values("text")
    # Where an answer's history is full, its newest revisions are not kept.
    differing = Answer.objects.annotate(newest=Subquery(newest[:1])).filter(
        ~Q(newest=F("text")), newest__isnull=False
    )
    if number := differing.count():
        yield f"answers that are not the text of their newest revision: {counted(number)}"
    accepted = Revision.objects.exclude(number=None).values("answer")
    if number := accepted.annotate(kept=Count("id"), newest=Max("number")).exclude(kept=F("newest")).count():
        yield f"answers that lack revisions: {counted(number)}"
    for study in Study.objects.exclude(status=StudyStatus.DRAFT):
        frozen = study.events.filter(kind=StudyEventKind.FROZEN)
        recorded = frozen.values_list("details__protocol_hash", flat=True)
        amended = study.amendments.values_list("protocol_hash", flat=True)
        if study.protocol_hash not in {*recorded, *amended}:
            yield f"{study.slug}: its protocol's hash is neither that of the freezing nor of an amendment"
