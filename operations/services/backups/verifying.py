"""Proving a restored copy whole against the manifest of its backup."""

from collections.abc import Iterator
from pathlib import Path

from django.conf import settings
from django.db import DatabaseError, IntegrityError, connection
from django.db.models import Count, F, Max, OuterRef, Q, Subquery

from batches.models import Answer, Revision
from operations.services.backups.manifest import Manifest, applied_migrations, file_sha256, table_facts
from studies.models import Study, StudyStatus
from studies.services.events import StudyEventKind


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
            yield f"{table}: {found.rows} rows instead of {expected.rows}"
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
        yield f"{number} answers are not the text of their newest revision"
    accepted = Revision.objects.exclude(number=None).values("answer")
    if number := accepted.annotate(kept=Count("id"), newest=Max("number")).exclude(kept=F("newest")).count():
        yield f"{number} answers lack revisions"
    for study in Study.objects.exclude(status=StudyStatus.DRAFT):
        if study.protocol_hash not in _recorded_hashes(study):
            yield f"{study.slug}: its protocol's hash is neither that of the freezing nor of an amendment"


def _recorded_hashes(study: Study) -> set[str]:
    frozen = study.events.filter(kind=StudyEventKind.FROZEN).values_list("details__protocol_hash", flat=True)
    return {*frozen, *study.amendments.values_list("protocol_hash", flat=True)}
