"""Files on their way in: how much of a request is held, whoever sends it to whichever page."""

import io
from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.core.exceptions import RequestDataTooBig
from django.core.files.uploadedfile import InMemoryUploadedFile, UploadedFile
from django.core.files.uploadhandler import FileUploadHandler

from studies.services.people.credentials import MAX_BYTES

LARGE_BYTES = 48 * 1024 * 1024
LARGE_PAGES = "takes_large_files"


def takes_large_files(view: Callable[..., Any]) -> Callable[..., Any]:
    """For views that take LARGE_BYTES of files from staff, and MAX_BYTES from anybody else."""
    setattr(view, LARGE_PAGES, True)
    return view


class BoundedUpload(FileUploadHandler):
    """Holds at most MAX_BYTES of all files of a request in memory and writes nothing to disk; from staff, for
    views that say so, LARGE_BYTES.

    A file beyond that arrives without its content and with its size, which tells the form that it is too
    large. Beyond MAX_BODY_BYTES the whole request is refused.
    """

    def __init__(self, request: Any = None) -> None:
        super().__init__(request)
        match, user = getattr(request, "resolver_match", None), getattr(request, "user", None)
        is_large = match is not None and getattr(match.func, LARGE_PAGES, False) and user and user.is_staff
        self.read = 0
        self.most = LARGE_BYTES if is_large else MAX_BYTES
        self.parts: list[bytes] = []

    def new_file(self, *args: Any, **kwargs: Any) -> None:
        super().new_file(*args, **kwargs)
        self.parts = []

    def receive_data_chunk(self, raw_data: bytes, start: int) -> bytes | None:
        self.read += len(raw_data)
        if self.read > settings.MAX_BODY_BYTES:
            raise RequestDataTooBig("the files of this request are larger than any this site takes")
        if self.read > self.most:
            self.parts = []
        else:
            self.parts.append(raw_data)
        return None

    def file_complete(self, file_size: int) -> UploadedFile | None:
        content = b"".join(self.parts)
        self.parts = []
        # A file that fell to what came before it in the request counts as too large, not as empty.
        size = file_size if len(content) == file_size else max(file_size, self.most + 1)
        return InMemoryUploadedFile(
            file=io.BytesIO(content),
            field_name=self.field_name,
            name=self.file_name,
            content_type=self.content_type,
            size=size,
            charset=self.charset,
            content_type_extra=self.content_type_extra,
        )
