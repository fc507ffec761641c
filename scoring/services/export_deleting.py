"""Files to take away, once they are made: where they lie, and that they go."""

import shutil
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

from django.conf import settings
from django.db import transaction
from django.db.models.signals import post_save
from django.dispatch import receiver

from scoring.models import ExportFile
from scoring.selectors.export_files import left_files
from studies.models import Study, StudyEvent, User
from studies.services.events import LEAVING, StudyEventKind, event_record

KEPT = timedelta(days=30)
# What a killed worker left is gone within the hour (see `console.tasks`); a live export writes all the time.
STRAY = timedelta(minutes=50)


def file_path(file: ExportFile) -> Path:
    """Where the file lies. Only the site itself reads there."""
    return exports_folder(file.study) / f"{file.pk}.zip"


def export_event(
    file: ExportFile, kind: StudyEventKind, now: datetime, actor: User | None, why: str = ""
) -> None:
    facts = {"file": str(file.pk), "contents": file.contents, "sha256": file.sha256}
    event_record(file.study, kind, now, actor=actor, participant=None, **facts, why=why)


def file_delete(file: ExportFile, why: str, now: datetime) -> None:
    """Its row stays and says when."""
    file_path(file).unlink(missing_ok=True)
    with transaction.atomic():
        if ExportFile.objects.filter(pk=file.pk, deleted_at=None).update(deleted_at=now):
            export_event(file, StudyEventKind.EXPORT_DELETED, now, None, why=why)


def files_expire(*, now: datetime) -> int:
    """Delete files whose time is over, those that somebody has left, and what killed workers left half-made.

    Raises OSError where one cannot be deleted; the next run tries again.
    """
    files = ExportFile.objects.select_related("study").filter(deleted_at=None)
    due = dict.fromkeys(files.filter(made_at__lte=now - KEPT), "expired")
    due |= dict.fromkeys(left_files(files), "withdrawal")
    for file, why in due.items():
        file_delete(file, why, now)
    export_strays_delete(now=now)
    return len(due)


@receiver(post_save, sender=StudyEvent)
def _somebody_left(instance: StudyEvent, created: bool, **_sent: object) -> None:
    """The event alone blocks the study's files; once it is committed, they go. What a crash leaves of them
    goes with the next `files_expire`.
    """

    def left_files_delete() -> None:
        for file in left_files(ExportFile.objects.filter(study=instance.study, deleted_at=None)):
            file_delete(file, "withdrawal", instance.happened_at)

    if created and instance.kind in LEAVING:
        # Robust: whatever is wrong with a file, who withdrew is told that they have.
        transaction.on_commit(left_files_delete, robust=True)


def export_strays_delete(*, now: datetime) -> None:
    """Delete what killed workers left half-made. Raises OSError where something cannot be deleted."""
    for path in _root().glob("*/*"):
        with suppress(FileNotFoundError):  # the export ended meanwhile
            newest = max(inside.stat().st_mtime for inside in (path, *path.rglob("*")))
            if datetime.fromtimestamp(newest, UTC) > now - STRAY:
                continue
            if path.is_dir():
                shutil.rmtree(path)
            elif not ExportFile.objects.filter(pk=path.stem, deleted_at=None).exists():
                path.unlink()


def _root() -> Path:
    return Path(settings.DATA_DIR) / "exports"


def exports_folder(study: Study) -> Path:
    """Where the files of the study lie."""
    return _root() / study.slug
