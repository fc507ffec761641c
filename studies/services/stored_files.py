"""Reading files that people handed in or that belong to prompts."""

from typing import IO

import structlog

from studies.models import Attachment, Credential

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
