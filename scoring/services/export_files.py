"""Files to take away: made whole, private, taken by a link that ends, deleted after a while."""

import hashlib
import shutil
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime, timedelta
from pathlib import Path
from typing import BinaryIO
from uuid import UUID, uuid4

from django.core import signing
from django.db import transaction
from django.utils.translation import gettext as _

from scoring.models import ExportContents, ExportFile, ExportTaking
from scoring.services.export_deleting import KEPT, export_event, exports_folder, file_delete, file_path
from studies.models import Study, User
from studies.services.events import StudyEventKind, departures
from studies.services.refusals import Refused

LINK = timedelta(minutes=15)
SALT = "scoring.export_files"
Said = Callable[[int, int], None]


class ExportRefused(Refused):
    """Nothing was written; an earlier export at the place is untouched."""


class LinkRefused(Refused):
    """The link is over, was made for somebody else, or is none."""


class FileGone(Refused):
    """The file is not there any more."""


def file_make(
    *,
    study: Study,
    contents: ExportContents,
    actor: User | None,
    now: datetime,
    fill: Callable[[Path], int],
    packing: Said,
) -> ExportFile:
    """Pack what `fill` writes into a new folder; it returns the number of rows. The file appears whole.

    Raises ExportRefused where the disk does not take it or somebody left the study meanwhile, and what `fill`
    raises.
    """
    file = ExportFile(
        pk=uuid4(), study=study, contents=contents, made_by=actor, made_at=now, departures=departures(study)
    )
    try:
        with _draft_folder(study) as draft:
            file.rows = fill(draft / "content")
            packed = draft / "packed.zip"
            name = f"{study.slug}-{contents.value}"
            file.sha256, file.size = _pack(draft / "content", packed, name, packing)
            packed.rename(file_path(file))
    except (OSError, Refused) as error:
        fault: BaseException | None = error
        while fault is not None and not isinstance(fault, OSError):
            fault = fault.__cause__
        if fault is None:  # it is not the disk's
            raise
        # Where on the server it was to be written is nobody's business who reads the page.
        raise ExportRefused(
            _("The file could not be written: %(error)s. Nothing was kept. Free some space on the server.")
            % {"error": fault.strerror or type(fault).__name__}
        ) from error
    with transaction.atomic():
        file.save(force_insert=True)
        export_event(file, StudyEventKind.EXPORT_MADE, now, actor)
    if file.departures < departures(study):
        file_delete(file, "withdrawal", now)
        raise ExportRefused(
            _("Somebody withdrew while the file was being made, so it was not kept. Make it once more.")
        )
    return file


def link_token(file: ExportFile, user: User, *, now: datetime) -> str:
    """What a link carries: which file, for whom, until when."""
    return signing.dumps([str(file.pk), user.pk, (now + LINK).isoformat()], salt=SALT)


def file_take(
    *, study: Study, file_id: UUID, token: str, user: User, now: datetime
) -> tuple[ExportFile, BinaryIO]:
    """Put on record that somebody takes the file; return it opened. Raises LinkRefused, FileGone."""
    try:
        named, owner, until = signing.loads(token, salt=SALT)
        is_over = datetime.fromisoformat(until) < now
    except (signing.BadSignature, ValueError, TypeError):
        raise LinkRefused(_("This link is not whole. Use the button “Download” on this page.")) from None
    if named != str(file_id) or owner != user.pk:
        raise LinkRefused(
            _("This link was made for another account. Use the button “Download” on this page.")
        )
    if is_over:
        raise LinkRefused(_("This link has expired. Here is a new one: use the button “Download”."))
    file = ExportFile.objects.select_related("study").filter(pk=file_id, study=study).first()
    if file is None:
        raise FileGone(_("This file was deleted. Make a new one."))
    # Whatever becomes of the file itself, a withdrawal that is committed ends its way out.
    if file.departures < departures(study):
        raise FileGone(_("Somebody withdrew after this file was made; nobody takes it away. Make it anew."))
    if file.deleted_at is not None or file.made_at <= now - KEPT:
        raise FileGone(_("This file was deleted. Make a new one."))
    try:
        content = file_path(file).open("rb")
    except FileNotFoundError:
        refusal = _("This file is not on the server any more: backups do not hold it. Make a new one.")
        raise FileGone(refusal) from None
    with transaction.atomic():
        ExportTaking.objects.create(file=file, taken_by=user, taken_at=now)
        export_event(file, StudyEventKind.EXPORT_TAKEN, now, user)
    return file, content


@contextmanager
def _draft_folder(study: Study) -> Iterator[Path]:
    """A folder that is gone afterwards, but for a kill: `export_strays_delete` deletes what is left then."""
    folder = exports_folder(study)
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    draft = Path(tempfile.mkdtemp(prefix=".draft-", dir=folder))
    try:
        yield draft
    finally:
        with suppress(OSError):
            shutil.rmtree(draft)


def _pack(folder: Path, target: Path, name: str, packing: Said) -> tuple[str, int]:
    """One zip of the folder's files, under a folder of this name; its sha256 (hex) and size in bytes."""
    paths = sorted(path for path in folder.iterdir() if path.is_file())
    # In half the time of the usual level.
    with zipfile.ZipFile(target, "x", zipfile.ZIP_DEFLATED, compresslevel=3) as archive:
        for number, path in enumerate(paths):
            packing(number, len(paths))
            archive.write(path, f"{name}/{path.name}")
    with target.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest(), target.stat().st_size
