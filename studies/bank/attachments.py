"""Finding a prompt's files inside the bank's folder and checking that they are what they claim to be."""

import hashlib
from collections.abc import Sequence
from pathlib import Path, PurePosixPath, PureWindowsPath

from formats.files import in_mebibytes
from studies.bank.records import PDF_TYPE, AttachmentRecord

MEDIA_TYPES = {
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".gif": "image/gif",
    ".webp": "image/webp",
    ".pdf": PDF_TYPE,
}
MAX_NAME_CHARACTERS = 200
_PDF_HEADER_BYTES = 1024  # readers look for "%PDF-" this far into a file


class AttachmentRefused(Exception):
    """An attachment cannot be used; the message reads on after its path."""


def read_attachment(name: str, *, root: Path, bases: Sequence[Path], max_bytes: int) -> AttachmentRecord:
    """The record of the file `name`, looked up in each of `bases` in turn.

    `root` is the folder no path may leave, not even through a link. Raises AttachmentRefused.
    """
    file = _located(name, bases)
    if not file.resolve().is_relative_to(root.resolve()):
        raise AttachmentRefused("is a link that leads out of the bank's folder; put the file itself there")
    media_type = MEDIA_TYPES.get(file.suffix.lower())
    if media_type is None:
        kinds = "PNG, JPEG, GIF, WebP or PDF"
        raise AttachmentRefused(f'has the unknown type "{file.suffix}"; convert it to {kinds}')
    try:
        size = file.stat().st_size
        content = file.read_bytes() if size <= max_bytes else b""
    except OSError as error:
        raise AttachmentRefused(f"cannot be read ({error.strerror}); check its rights") from None
    if size > max_bytes:
        limit = in_mebibytes(max_bytes)
        raise AttachmentRefused(f"is {in_mebibytes(size)}, above the limit of {limit}; make it smaller")
    if _actual_type(content) != media_type:
        raise AttachmentRefused(
            f"does not contain {media_type}, as its name says; correct the file or its name"
        )
    return AttachmentRecord(
        name=file.name,
        path=file.relative_to(root).as_posix(),
        media_type=media_type,
        size_bytes=len(content),
        sha256=hashlib.sha256(content).hexdigest(),
    )


def _actual_type(content: bytes) -> str | None:
    """The media type by the file's first bytes, or None for anything that is not allowed."""
    if content.startswith(b"\x89PNG\r\n\x1a\n"):
        return "image/png"
    if content.startswith(b"\xff\xd8\xff"):
        return "image/jpeg"
    if content.startswith((b"GIF87a", b"GIF89a")):
        return "image/gif"
    if content.startswith(b"RIFF") and content[8:12] == b"WEBP":
        return "image/webp"
    if b"%PDF-" in content[:_PDF_HEADER_BYTES]:
        return PDF_TYPE
    return None


def _located(name: str, bases: Sequence[Path]) -> Path:
    """The file of this name, which must be a path inside the folder, below the first base that has it."""
    if not name.strip():
        raise AttachmentRefused("is blank; write the file's path or leave it out")
    if "\0" in name:
        raise AttachmentRefused("contains a NUL character; remove it")
    path = PurePosixPath(name)
    if path.is_absolute() or PureWindowsPath(name).anchor or ".." in path.parts:
        raise AttachmentRefused("leads out of the bank's folder; write a path inside it, without ..")
    if len(path.name) > MAX_NAME_CHARACTERS:
        raise AttachmentRefused(f"has a name of more than {MAX_NAME_CHARACTERS} characters; shorten it")
    try:
        file = next((base / name for base in bases if (base / name).is_file()), None)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error  # without the folder on the server
        raise AttachmentRefused(f"cannot be looked up ({reason}); correct the path") from None
    if file is None:
        raise AttachmentRefused("is missing; put the file there or correct the path")
    return file
