"""Backup while people save, restored elsewhere: every save acknowledged before it began is there."""

import hashlib
import re
import shutil
import sqlite3
import subprocess
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from pathlib import Path

import psycopg
import pytest

from tests.faults.parts import Part, binary, until
from tests.faults.servers import Postgres
from tests.faults.site import Site, site

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

Save = tuple[int, int, str]  # the answer's key, the revision's number, the hash of its text


def acknowledged(saver: Part) -> set[Save]:
    """What has been acknowledged by now; a line that is being written does not count."""
    lines = saver.log.read_text().rpartition("\n")[0].splitlines()
    return {(int(answer), int(number), digest) for answer, number, digest in map(str.split, lines)}


def kept(restored: Site) -> set[Save]:
    revisions = restored.query("SELECT answer_id, number, text FROM batches_revision")
    return {(answer, number, hashlib.sha256(text.encode()).hexdigest()) for answer, number, text in revisions}


def taken_while_saving(running: Site, folder: Path) -> tuple[set[Save], set[Save]]:
    """Back up into the folder; what was acknowledged before that, and until its end."""
    saver = running.helper("saver", "tests.faults.keep_saving")
    until(lambda: len(acknowledged(saver)) >= 50, seconds=120, what="fifty saves are acknowledged")
    before = acknowledged(saver)
    running.python("manage.py", "backup", str(folder))
    meanwhile = acknowledged(saver)
    until(lambda: len(acknowledged(saver)) > len(meanwhile), seconds=60, what="the saves go on")
    saver.kill()
    return before, meanwhile


def verified(restored: Site, manifest: Path) -> tuple[int, str]:
    return restored.tried("manage.py", "verify_backup", str(manifest))


def damage(restored: Site, sql: str) -> None:
    if restored.database_url:
        with psycopg.connect(restored.database_url) as connection:
            connection.execute(sql.encode())
    else:
        with closing(sqlite3.connect(restored.folder / "chiron.sqlite3")) as file:
            file.execute(sql)
            file.commit()


@contextmanager
def restored_folder(backup: Path, place: Path) -> Iterator[Site]:
    """As docs/operations.md says for the embedded mode: the backup is a data folder."""
    shutil.copytree(backup, place / "data")
    with site(place) as restored:
        yield restored


@contextmanager
def restored_dump(backup: Path, place: Path, cluster: Postgres) -> Iterator[Site]:
    """As docs/operations.md says for PostgreSQL: a new database from the dump, and the files."""
    (place / "data").mkdir(parents=True)
    shutil.copytree(backup / "media", place / "data" / "media")
    with cluster.copy_of("template0", "restored") as url:
        command = [binary("pg_restore"), "--no-owner", "--exit-on-error", f"--dbname={url}"]
        subprocess.run([*command, str(backup / "database.dump")], check=True, timeout=120)
        with site(place, database_url=url) as restored:
            yield restored


@pytest.fixture(params=["sqlite", "postgresql"])
def backed_up(
    request: pytest.FixtureRequest, tmp_path: Path
) -> tuple[Site, Callable[[], AbstractContextManager[Site]]]:
    """A site that holds nothing yet, and how its backup is restored."""
    place, backup = tmp_path / "restored", tmp_path / "backup"
    if request.param == "sqlite":
        return request.getfixturevalue("empty_embedded"), lambda: restored_folder(backup, place)
    cluster = request.getfixturevalue("cluster")
    return request.getfixturevalue("empty_production"), lambda: restored_dump(backup, place, cluster)


def test_a_backup_taken_while_people_save_is_restored_whole_and_damage_to_it_is_told(
    backed_up: tuple[Site, Callable[[], AbstractContextManager[Site]]], tmp_path: Path
) -> None:
    running, restore = backed_up
    before, meanwhile = taken_while_saving(running, tmp_path / "backup")
    manifest = tmp_path / "backup" / "manifest.json"
    with restore() as restored:
        assert before <= kept(restored)
        assert len(meanwhile) > len(before), "nothing was saved during the backup, which then proves little"
        code, said = verified(restored, manifest)
        assert (code, said[:6]) == (0, "Whole:"), said

        [shown] = (restored.folder / "media" / "attachments").rglob("*.pdf")
        shown.write_bytes(b"other")
        damage(restored, "UPDATE batches_answer SET text = 'other' WHERE position = 1")
        damage(restored, "DELETE FROM batches_sessionevent")
        code, said = verified(restored, manifest)
        assert code == 1
        assert f"media/attachments/{shown.parent.name}/{shown.name}: damaged" in said
        assert "batches_answer: the number of rows is right, what they hold is not" in said
        assert "batches_sessionevent: rows are 0 instead of " in said
        # Of those who had saved by the time of the backup.
        assert re.search(r"answers that are not the text of their newest revision: [1-4]\b", said)
