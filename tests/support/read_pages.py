"""Pages as they are read: without tags, and white space as one space."""

import html
import re
from typing import Any


def read(page: str) -> str:
    return " ".join(html.unescape(re.sub(r"<[^>]*>", "", page)).split())


def sent(reply: Any) -> str:
    """The text of a file that is sent while it is read."""
    return b"".join(reply.streaming_content).decode()
