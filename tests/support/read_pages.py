"""Pages as they are read: without tags, and white space as one space."""

import html
import re


def read(page: str) -> str:
    return " ".join(html.unescape(re.sub(r"<[^>]*>", "", page)).split())
