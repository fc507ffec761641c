"""Taking a backup while the site runs: the database at one moment, then the files that its rows name."""

import os
import shutil
import sqlite3
import subprocess
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import connection
from psycopg.conninfo import make_conninfo

from operations.services.backups.manifest import (
    MANIFEST,
    Manifest,
    applied_migrations,
    file_sha256,
    named_files,
    table_facts,
)
from studies.services.database import snapshot
from studies.services.refusals import Refused

# Of the parameters of our connection those that pg_dump, which may be older than our driver, knows.
ADDRESS = {"host", "port", "dbname", "user", "sslmode", "sslrootcert", "sslcert", "sslkey"}
SQLITE_FILE, DUMP_FILE, MEDIA = "chiron.sqlite3", "database.dump", "media"


class BackupRefused(Refused):
    """No backup was made."""


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
            migrations, tables, named = applied_migrations(), table_facts(), named_files()
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
    _dump(_private(folder / DUMP_FILE), moment, connection.connection.info)


def _dump(path: Path, moment: str, info: Any) -> None:
    address = {name: value for name, value in info.get_parameters().items() if name in ADDRESS}
    command = [
        *("pg_dump", "--format=custom", "--no-owner", "--no-privileges", f"--snapshot={moment}"),
        *(f"--file={path}", f"--dbname={make_conninfo(**address)}"),
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
