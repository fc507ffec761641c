"""What a backup holds: every table by the number and the hash of its rows, every file by its hash;
and proving a restored copy whole against it.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping
from datetime import datetime
from itertools import chain
from pathlib import Path

from django.apps import apps
from django.conf import settings
from django.db import DatabaseError, IntegrityError, connection
from django.db.migrations.recorder import MigrationRecorder
from django.db.models import Count, F, Max, Model, OuterRef, Q, Subquery
from pydantic import BaseModel, ValidationError

from batches.models import Answer, Revision
from presentation.numbers import counted
from studies.models import Attachment, Credential, Study, StudyStatus
from studies.services.events import StudyEventKind
from studies.services.refusals import Refused

MANIFEST = "manifest.json"
CHUNK_ROWS = 2000


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
    return {table: _facts(model) for table, model in sorted(models.items())}


def _facts(model: type[Model]) -> TableFacts:
    columns = [field.attname for field in model._meta.concrete_fields]
    digest, count = hashlib.sha256(), 0
    rows = model._base_manager.order_by("pk").values_list(*columns)
    for row in rows.iterator(chunk_size=CHUNK_ROWS):
        digest.update(json.dumps(row, default=str, sort_keys=True).encode() + b"\n")
        count += 1
    return TableFacts(rows=count, sha256=digest.hexdigest())


def named_files() -> Mapping[str, str]:
    """The hash of each file that a row names, by its path in the media folder."""
    stored = (model._base_manager.values_list("file", "sha256") for model in (Attachment, Credential))
    return dict(chain.from_iterable(stored))


def file_sha256(path: Path) -> str | None:
    """Hex; None where there is no such file."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except FileNotFoundError:
        return None


def restored_faults(manifest: Manifest) -> Iterator[str]:
    """One sentence for each fault; none where database and files are exactly those of the backup."""
    if connection.vendor != manifest.database:
        yield f"the backup is of {manifest.database}, this database is {connection.vendor}"
        return
    if applied_migrations() != manifest.migrations:
        yield "the migrations applied here are not those of the backup; verify with the release that made it"
        return
    yield from _file_faults(manifest)
    yield from _table_faults(manifest)
    yield from _relation_faults()
    yield from _record_faults()


def _table_faults(manifest: Manifest) -> Iterator[str]:
    here = table_facts()
    for table in sorted(here.keys() | manifest.tables.keys()):
        found, expected = here.get(table), manifest.tables.get(table)
        if found is None or expected is None:
            yield f"{table}: the table is {'missing' if found is None else 'not in the backup'}"
        elif found.rows != expected.rows:
            yield f"{table}: rows are {counted(found.rows)} instead of {counted(expected.rows)}"
        elif found.sha256 != expected.sha256:
            yield f"{table}: the number of rows is right, what they hold is not"


def _file_faults(manifest: Manifest) -> Iterator[str]:
    for path, digest in manifest.files.items():
        found = file_sha256(Path(settings.MEDIA_ROOT) / path)
        if found != digest:
            yield f"media/{path}: {'missing' if found is None else 'damaged'}"


def _relation_faults() -> Iterator[str]:
    """Rows that name rows which are not there, and damage in SQLite's file."""
    try:
        connection.check_constraints()
        if connection.vendor == "sqlite":
            with connection.cursor() as cursor:
                cursor.execute("PRAGMA integrity_check")
                yield from (f"SQLite: {line}" for [line] in cursor.fetchall() if line != "ok")
    except (IntegrityError, DatabaseError) as error:
        yield f"the database refuses its own rows: {type(error).__name__}"


def _record_faults() -> Iterator[str]:
    """Whether what is stored twice agrees: answers with their revisions, protocols with their records."""
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
