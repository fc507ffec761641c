"""Attachment files in the media folder, named by their content.

A file with its final name is always whole: content goes to a temporary name first and is renamed when it is
on disk. Equal content is stored once; nothing is ever overwritten.
"""

import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterable
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from django.conf import settings

from studies.bank.attachments import MEDIA_TYPES
from studies.bank.records import AttachmentRecord
from studies.models import Attachment, BankVersion
from studies.services.refusals import Refused

FOLDER = "attachments"
# The first of the endings that a bank's files of each type may have.
SUFFIXES = {media_type: suffix for suffix, media_type in reversed(MEDIA_TYPES.items())}


class AttachmentUnreadable(Refused):
    """A file that was there when the bank was read cannot be copied."""


class AttachmentChanged(Refused):
    """A file is no longer what it was when the bank was read."""


def stored_name(attachment: AttachmentRecord) -> str:
    """Where the content lives, relative to the media folder."""
    digest = attachment.sha256
    return f"{FOLDER}/{digest[:2]}/{digest}{SUFFIXES.get(attachment.media_type, '')}"


def attachments_store(*, attachments: Iterable[AttachmentRecord], base_dir: Path) -> None:
    """Copy every file that is not stored yet. Paths of attachments are relative to `base_dir`.

    Raises AttachmentUnreadable or AttachmentChanged; files copied before that go as strays.
    """
    for attachment in attachments:
        target = Path(settings.MEDIA_ROOT) / stored_name(attachment)
        try:
            os.utime(target)  # what is to have a question is no stray
        except (FileNotFoundError, NotADirectoryError):
            _copy(base_dir / attachment.path, target, attachment)
        except PermissionError:
            pass  # of another user of the server


def deleted_attachments_delete(*, names: Iterable[str], before: datetime) -> None:
    """Delete those of these files that no question has any more. While a bank is being imported they may be
    its own, so they are left as strays. Raises OSError where one cannot be deleted.
    """
    if not BankVersion.everything.filter(is_published=False).exists():
        media = Path(settings.MEDIA_ROOT)
        _without_question_delete((media / name for name in names), before)


def attachment_strays_delete(*, before: datetime) -> None:
    """Delete files untouched since that moment that no question has: an import that broke off left them.

    Raises OSError where one cannot be deleted.
    """
    _without_question_delete(Path(settings.MEDIA_ROOT).glob(f"{FOLDER}/*/*"), before)


def _without_question_delete(paths: Iterable[Path], before: datetime) -> None:
    media = Path(settings.MEDIA_ROOT)
    kept = set(Attachment.objects.values_list("file", flat=True))
    for path in paths:
        with suppress(FileNotFoundError):  # another process was faster
            is_old = path.stat().st_mtime < before.timestamp()
            if is_old and path.relative_to(media).as_posix() not in kept:
                path.unlink()


def _copy(source: Path, target: Path, attachment: AttachmentRecord) -> None:
    """Under a draft's name first: a file with its own name is whole."""
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        handle, draft_name = tempfile.mkstemp(dir=target.parent, prefix="draft-")
        draft = Path(draft_name)
        try:
            with os.fdopen(handle, "wb") as draft_file, source.open("rb") as source_file:
                shutil.copyfileobj(source_file, draft_file)
                draft_file.flush()
                os.fsync(draft_file.fileno())
            with draft.open("rb") as file:
                digest = hashlib.file_digest(file, "sha256").hexdigest()
            if digest != attachment.sha256:
                raise AttachmentChanged(
                    f"{attachment.path}: changed while the bank was being imported. "
                    "Import again when it is complete."
                )
            draft.replace(target)
        finally:
            draft.unlink(missing_ok=True)
    except OSError as error:
        raise AttachmentUnreadable(
            f"{attachment.path}: cannot be copied to the media folder ({error.strerror}). "
            "Check that the file is readable and that the folder can be written to and has room; "
            "then import again."
        ) from error
