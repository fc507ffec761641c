"""Files that support a profile: what is taken, where it is kept, who looked at it.

The type is what the content says, whatever the name claims. A file is stored under a random name in a folder
that no address leads to; the person's own name for it is kept in the row, cleaned.
"""

import hashlib
import os
import re
import unicodedata
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from django.conf import settings
from django.utils.translation import gettext as _

from formats.images import picture_type
from presentation.numbers import numbered
from studies.models import Credential, Participant, User
from studies.services.events import StudyEventKind, participant_event
from studies.services.refusals import Refused
from studies.services.storage import storage_take

MAX_BYTES = 5 * 1024 * 1024
# Nobody corrects a file so often; without a bound one person could fill the disk.
MAX_FILES = 20
STEM_CHARACTERS = 150
FOLDER = "credentials"
STRAY_AFTER = timedelta(days=1)
# The endings each type may have; the first is the one it is given.
ENDINGS = {
    "application/pdf": (".pdf",),
    "image/png": (".png",),
    "image/jpeg": (".jpg", ".jpeg", ".jpe", ".jfif"),
}
SECOND_ENDING = re.compile(
    r"\.(pdf|png|jpe?g|gif|svg|html?|js|exe|com|bat|cmd|msi|scr|vbs|ps1|sh|php|py|jar|zip|docx?|docm|xlsm?)\.\w+$",
    re.IGNORECASE,
)


class CredentialRefused(Refused):
    """The file is not taken; the sentence says why and what to do."""


class CredentialNotStored(Refused):
    """The file could not be written; nothing was recorded."""


@dataclass(frozen=True)
class CheckedFile:
    """A file that may be stored; made by `credential_check` only."""

    name: str
    media_type: str
    content: bytes


def credential_check(*, name: str, size: int, content: bytes) -> CheckedFile:
    """The file with a clean name and its true type. Raises CredentialRefused.

    `size` is what was sent; of a file that is too large no content need be there.
    """
    if size > MAX_BYTES:
        raise CredentialRefused(
            numbered(
                _("The file is larger than %(megabytes)d MB. Choose a smaller one, such as a coarser scan."),
                {"megabytes": MAX_BYTES // 1024**2},
            )
        )
    if not content:
        raise CredentialRefused(_("The file is empty. Choose another one."))
    media_type = "application/pdf" if content.startswith(b"%PDF-") else picture_type(content)
    if media_type is None:
        raise CredentialRefused(
            _(
                "The file is no PDF, PNG or JPEG, or it is damaged. "
                "Save it as one of these and choose it again."
            )
        )
    return CheckedFile(_clean_name(name, ENDINGS[media_type]), media_type, content)


def _clean_name(name: str, endings: tuple[str, ...]) -> str:
    """The last part of the name without unprintable characters, with an ending that fits. May refuse."""
    last = re.split(r"[/\\]", name)[-1]
    last = "".join(char for char in last if unicodedata.category(char)[0] != "C").strip()
    if SECOND_ENDING.search(last):
        raise CredentialRefused(
            _('The name "%(name)s" has two endings. Rename the file so that it ends in %(ending)s only.')
            % {"name": last, "ending": endings[0]}
        )
    stem, ending = os.path.splitext(last)
    if ending and ending.lower() not in endings:
        raise CredentialRefused(
            _('The name "%(name)s" does not fit the content. Rename the file so that it ends in %(ending)s.')
            % {"name": last, "ending": endings[0]}
        )
    return f"{stem[:STEM_CHARACTERS] or _('file')}{ending.lower() or endings[0]}"


@contextmanager
def file_kept(file: CheckedFile | None) -> Iterator[uuid.UUID]:
    """Write the content, if any, under a new token; where the block fails, it is gone again.

    Put the transaction inside. Raises CredentialNotStored.
    """
    token = uuid.uuid4()
    path = Path(settings.MEDIA_ROOT) / FOLDER / str(token)
    try:
        if file is not None:
            try:
                path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                with path.open("xb") as stored:
                    path.chmod(0o600)
                    stored.write(file.content)
                    stored.flush()
                    os.fsync(stored.fileno())
            except OSError as error:
                raise CredentialNotStored(
                    _("The file could not be stored just now. Nothing was sent; please try again later.")
                ) from error
        yield token
    except BaseException:
        # What went wrong before matters more than a file that cannot be taken away.
        with suppress(OSError):
            path.unlink()
        raise


def credential_add(
    *, participant: Participant, file: CheckedFile, token: uuid.UUID, now: datetime
) -> Credential:
    """Add the row of a file that `file_kept` wrote; call it inside the change's transaction, person locked.

    Raises CredentialRefused where the person handed in MAX_FILES already, or StorageFull.
    """
    if participant.credentials.count() >= MAX_FILES:
        raise CredentialRefused(
            numbered(
                _(
                    "You have handed in %(number)d files, and no more are taken. The newest one counts; "
                    "if it is the wrong one, write to the study team."
                ),
                {"number": MAX_FILES},
            )
        )
    storage_take(participant=participant, size=len(file.content))
    credential = Credential.objects.create(
        participant=participant,
        token=token,
        file=f"{FOLDER}/{token}",
        name=file.name,
        media_type=file.media_type,
        size_bytes=len(file.content),
        sha256=hashlib.sha256(file.content).hexdigest(),
        uploaded_at=now,
    )
    participant_event(
        participant,
        StudyEventKind.CREDENTIAL_UPLOADED,
        now,
        actor=participant.user,
        media_type=file.media_type,
        size_bytes=len(file.content),
    )
    return credential


def credential_viewed(*, credential: Credential, actor: User, now: datetime) -> None:
    """Record that a member of staff opened the file."""
    participant_event(
        credential.participant, StudyEventKind.CREDENTIAL_VIEWED, now, actor=actor, credential=credential.pk
    )


def stray_files_delete(*, now: datetime) -> int:
    """Remove files that no row names: a machine that crashed between the two left them. Return how many.

    A file younger than `STRAY_AFTER` may be waiting for its row.
    """
    folder = Path(settings.MEDIA_ROOT) / FOLDER
    if not folder.is_dir():
        return 0
    until = (now - STRAY_AFTER).timestamp()
    old = {path.name: path for path in folder.iterdir() if path.stat().st_mtime < until}
    named = set(Credential.objects.values_list("file", flat=True))
    stray = [path for name, path in old.items() if f"{FOLDER}/{name}" not in named]
    for path in stray:
        path.unlink(missing_ok=True)
    return len(stray)
