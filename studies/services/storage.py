"""How much one person stores, and reading files that people handed in or that belong to prompts."""

from typing import IO

import structlog
from django.conf import settings
from django.db.models import F
from django.utils.translation import gettext as _

from studies.models import Attachment, Credential, Participant
from studies.services.refusals import Refused


class StorageFull(Refused):
    """There is no room for what the person hands in; nothing of it was stored."""


def storage_take(*, participant: Participant, size: int) -> None:
    """Count `size` bytes for the person, who is locked. Raises StorageFull."""
    if participant.stored_bytes + size > settings.PERSON_BYTES:
        raise StorageFull(
            _(
                "What you may store in this study is used up, so this was not sent. Please write to the "
                "contact named on this page."
            )
        )
    participant.stored_bytes += size
    # Saves of answers count beside this, without the lock.
    Participant.objects.filter(pk=participant.pk).update(stored_bytes=F("stored_bytes") + size)


log = structlog.get_logger("chiron.files")


def stored_file(row: Attachment | Credential) -> IO[bytes] | None:
    """The content, open; None, with a line in the log, where the file is missing.

    A copy restored without it, a deletion that was faster: what one asks for is not there, no more.
    """
    try:
        content: IO[bytes] = row.file.open("rb")
    except FileNotFoundError:
        log.error("a stored file is missing", kind=row._meta.model_name, row=row.pk)
        return None
    return content
