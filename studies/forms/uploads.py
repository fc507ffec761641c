"""Files on their way in: how much of a request is held, whoever sends it to whichever page."""

import io
from typing import Any

from django.conf import settings
from django.core.exceptions import RequestDataTooBig
from django.core.files.uploadedfile import InMemoryUploadedFile, UploadedFile
from django.core.files.uploadhandler import FileUploadHandler

from studies.services.people.credentials import MAX_BYTES


class BoundedUpload(FileUploadHandler):
    """Holds at most MAX_BYTES of all files of a request in memory and writes nothing to disk.

    A file beyond that arrives without its content and with its size, which tells the form that it is too
    large. Beyond MAX_BODY_BYTES the whole request is refused.
    """

    def __init__(self, request: Any = None) -> None:
        super().__init__(request)
        self.read = 0
        self.parts: list[bytes] = []

    def new_file(self, *args: Any, **kwargs: Any) -> None:
        super().new_file(*args, **kwargs)
        self.parts = []

    def receive_data_chunk(self, raw_data: bytes, start: int) -> bytes | None:
        self.read += len(raw_data)
        if self.read > settings.MAX_BODY_BYTES:
            raise RequestDataTooBig("the files of this request are larger than any this site takes")
        if self.read > MAX_BYTES:
            self.parts = []
        else:
            self.parts.append(raw_data)
        return None

    def file_complete(self, file_size: int) -> UploadedFile | None:
        content = b"".join(self.parts)
        self.parts = []
        # A file that fell to what came before it in the request counts as too large, not as empty.
        size = file_size if len(content) == file_size else max(file_size, MAX_BYTES + 1)
        return InMemoryUploadedFile(
            file=io.BytesIO(content),
            field_name=self.field_name,
            name=self.file_name,
            content_type=self.content_type,
            size=size,
            charset=self.charset,
            content_type_extra=self.content_type_extra,
        )
