"""Pages as they are read: without tags, and white space as one space."""

import html
import re

from django.test import Client


def read(page: str) -> str:
    return " ".join(html.unescape(re.sub(r"<[^>]*>", "", page)).split())


def every_part(client: Client, address: str) -> str:
    """A page of results with all parts that its reader may choose, one after the other."""
    first = client.get(address)
    assert first.status_code == 200, address
    links = re.findall(r'href="([^"#]*[?;&]part=[^"#]+)"', first.text)
    others = [html.unescape(link) for link in dict.fromkeys(links) if "sort=" not in link]
    return "\n".join([first.text, *(client.get(link).text for link in others)])
