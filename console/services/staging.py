"""Files that staff upload to be imported: kept in a folder of their own; zips unpacked within limits.

What was read of an uploaded question bank is kept beside it until somebody stores it.
"""

import errno
import json
import lzma
import os
import re
import secrets
import shutil
import struct
import time
import unicodedata
import zipfile
import zlib
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path, PurePosixPath
from typing import IO, Any

from django.conf import settings
from django.utils.translation import gettext as _

from formats.problems import one_line
from jobs.models import OPEN, Job
from presentation.codes import CodeNames
from presentation.numbers import counted
from presentation.tables import Named
from studies.services.refusals import Refused

FOLDER = "uploads"
MAX_MEMBERS = 20_000
MAX_UNPACKED_BYTES = 256 * 1024 * 1024
MAX_NAME_CHARACTERS = 100
MAX_NAME_BYTES = 200  # file systems take 255
# They hold gold answers: what nobody goes on with is gone within the hour (see `console.tasks`).
STRAY_AFTER_SECONDS = 50 * 60
CHUNK = 1024 * 1024
BIDIRECTIONAL = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}
# What the standard library raises for archives with any byte changed.
UNREADABLE = (
    zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error, EOFError, ValueError, RuntimeError
)  # fmt: skip
UNUSABLE_NAME = {errno.ENAMETOOLONG, errno.ENOTDIR, errno.EISDIR, errno.EEXIST}


class UploadRefused(Refused):
    """The file cannot be used; nothing was imported."""


def upload_stage(*, name: str, content: bytes) -> str:
    """Keep the file under a new token; a zip is unpacked. Raises UploadRefused."""
    if not content:
        raise UploadRefused(_("The file is empty. Nothing was imported; choose another one."))
    strays_remove()
    token = secrets.token_hex(16)
    folder = staged_folder(token)
    folder.mkdir(parents=True, mode=0o700)
    try:
        if name.lower().endswith(".zip"):
            _unpack(content, folder)
        else:
            (folder / safe_name(name)).write_bytes(content)
    except UploadRefused:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    except OSError as error:
        shutil.rmtree(folder, ignore_errors=True)
        raise UploadRefused(
            _("The file could not be written (%(why)s). Nothing was imported; tell whoever runs the server.")
            % {"why": error.strerror}
        ) from None
    return token


def staged_folder(token: str) -> Path:
    """The folder of a token. Raises UploadRefused for what is no token."""
    if not re.fullmatch(r"[0-9a-f]{32}", token):
        raise UploadRefused(_("The upload is not known any more. Choose the file again."))
    return Path(settings.DATA_DIR) / FOLDER / token


def staged_root(token: str) -> Path:
    """Where the files of an upload begin: the one folder in it, if there is nothing else; or its one file.

    Raises UploadRefused where it is gone.
    """
    folder = staged_folder(token)
    if not folder.is_dir():
        raise _gone()
    inside = [path for path in sorted(folder.iterdir()) if path.name != "__MACOSX"]
    while len(inside) == 1 and inside[0].is_dir():
        folder = inside[0]
        inside = sorted(folder.iterdir())
    return inside[0] if len(inside) == 1 else folder


def _gone() -> UploadRefused:
    return UploadRefused(
        _(
            "The upload is not there any more: it was imported already, or nobody went on with it for an "
            "hour. Look at the list before you choose the file again."
        )
    )


def note_keep(token: str, note: dict[str, Any]) -> None:
    """Keep what was found in an upload beside it, for as long."""
    whole = _note(token)
    part = whole.with_suffix(".part")
    part.write_text(json.dumps(note))
    part.replace(whole)


def note_kept(token: str) -> dict[str, Any]:
    """What was found in an upload. Raises UploadRefused where that or the upload is gone."""
    try:
        note: dict[str, Any] = json.loads(_note(token).read_text())
        for path in (_note(token), staged_folder(token)):
            os.utime(path)  # somebody goes on with it
    except FileNotFoundError:
        raise _gone() from None
    return note


def _note(token: str) -> Path:
    return staged_folder(token).with_suffix(".json")


def upload_forget(token: str) -> None:
    """Delete an upload; one that is gone already is fine."""
    shutil.rmtree(staged_folder(token), ignore_errors=True)
    _note(token).unlink(missing_ok=True)


def strays_remove() -> None:
    """Delete uploads that nobody went on with, and no job is to read."""
    folder = Path(settings.DATA_DIR) / FOLDER
    if not folder.is_dir():
        return
    waited_for = set(Job.objects.filter(state__in=OPEN).values_list("arguments__token", flat=True))
    for path in folder.iterdir():
        with suppress(FileNotFoundError):  # somebody else was faster
            if path.stem in waited_for or time.time() - path.stat().st_mtime <= STRAY_AFTER_SECONDS:
                continue
            if path.is_dir():
                shutil.rmtree(path, ignore_errors=True)
            else:  # what was noted of an upload
                path.unlink()


def safe_name(name: str) -> str:
    """The name for a file on disk, with its ending: letters, digits, and little else."""
    clean = re.sub(r"[^\w.-]", "_", PurePosixPath(name.replace("\\", "/")).name).lstrip(".")
    stem, dot, ending = clean.rpartition(".")
    if dot and stem:
        return f"{_cut(stem)}.{ending[:10]}"
    return _cut(clean) or "file"


def _cut(name: str) -> str:
    return name[:MAX_NAME_CHARACTERS].encode()[:MAX_NAME_BYTES].decode(errors="ignore")


def shown_name(name: str) -> str:
    """The name for a sentence: signs that turn the direction of writing are left out."""
    kept = "".join(sign for sign in name if unicodedata.bidirectional(sign) not in BIDIRECTIONAL)
    return one_line(kept)[:MAX_NAME_CHARACTERS]


def _unpack(content: bytes, folder: Path) -> None:
    try:
        with zipfile.ZipFile(BytesIO(content)) as archive:
            members = [member for member in archive.infolist() if not member.is_dir()]
            if not members:
                raise UploadRefused(_("There is no file in the zip. Nothing was imported."))
            if len(members) > MAX_MEMBERS:
                sentence = _(
                    "The zip holds more than %(number)s files. Nothing was imported; "
                    "leave out what need not be."
                )
                raise UploadRefused(sentence % {"number": counted(MAX_MEMBERS)})
            if sum(member.file_size for member in members) > MAX_UNPACKED_BYTES:
                raise _too_much()
            left = MAX_UNPACKED_BYTES
            for member in members:
                name = member.filename
                path = PurePosixPath(name.replace("\\", "/"))
                is_outside = path.is_absolute() or ".." in path.parts
                if is_outside or ":" in name or "\0" in name or len(name) > 500:
                    raise _unusable(name)
                left -= _write(archive, member, folder / path, left)
    except UNREADABLE:
        raise UploadRefused(
            _("The zip is damaged, incomplete or locked by a password. Nothing was imported; make it anew.")
        ) from None


def _unusable(name: str) -> UploadRefused:
    return UploadRefused(
        _("The zip holds a file whose name leads elsewhere (%(name)s). Nothing was imported.")
        % {"name": shown_name(name)}
    )


def _write(archive: zipfile.ZipFile, member: zipfile.ZipInfo, path: Path, most: int) -> int:
    """Unpack one file; how many bytes that were. What the archive says of itself is not believed."""
    written = 0
    with archive.open(member) as source:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            target = path.open("wb")
        except OSError as error:
            if error.errno in UNUSABLE_NAME:
                raise _unusable(member.filename) from None
            raise
        with target:
            while chunk := _read(source):
                written += len(chunk)
                if written > most:
                    raise _too_much()
                target.write(chunk)
    return written


def _read(source: IO[bytes]) -> bytes:
    """The next bytes of a packed file. Some damage is an OSError of its own, as a full disk would be."""
    try:
        return source.read(CHUNK)
    except OSError as error:
        raise zipfile.BadZipFile from error


def _too_much() -> UploadRefused:
    return UploadRefused(
        _("The zip unpacks to more than %(megabytes)s MB. Nothing was imported; use import_bank.")
        % {"megabytes": counted(MAX_UNPACKED_BYTES // 1024**2)}
    )


@dataclass(frozen=True)
class BankContents:
    """What was read of a bank, before it is stored: how many questions of which kinds, and the problems, of
    which the first are in `problems`.
    """

    prompts: int
    grading: dict[str, int]
    modality: dict[str, int]
    categories: Sequence[tuple[str, int]]
    category_names: dict[str, str]
    problems: Sequence[str]
    problems_number: int
    first: Sequence[str]
    notices: Sequence[str] = ()

    @property
    def named_categories(self) -> list[tuple[Named, int]]:
        names = CodeNames(self.category_names)
        return [(names.category(code), number) for code, number in self.categories]


def bank_contents_kept(token: str) -> tuple[BankContents, dict[str, Any]]:
    """What was found in an upload, and what was chosen for it. Raises UploadRefused where it is gone."""
    note = note_kept(token)
    return BankContents(**note["contents"]), note["chosen"]
