"""Where requests go: a checked base URL, and a key that never shows."""

import re
from dataclasses import dataclass, field
from urllib.parse import urlsplit

MASK = "[key]"
_SHORTEST_MASKED = 8


class EndpointInvalid(ValueError):
    """The address or the key of an endpoint cannot be used. The message never contains the key."""


@dataclass(frozen=True)
class Endpoint:
    """An OpenAI-compatible endpoint, e.g. `https://host/v1`; `api_key` is left out of repr."""

    base_url: str
    api_key: str | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        _check_address(self.base_url)
        if self.api_key and not re.fullmatch("[!-~]+", self.api_key):
            raise EndpointInvalid("The key holds a character no key has, such as a space or a line break.")
        object.__setattr__(self, "base_url", self.base_url.rstrip("/"))

    @property
    def chat_url(self) -> str:
        return f"{self.base_url}/chat/completions"

    def without_key(self, text: str) -> str:
        """Mask the key where an endpoint echoes it. Very short keys are placeholders of local servers."""
        if self.api_key and len(self.api_key) >= _SHORTEST_MASKED:
            return text.replace(self.api_key, MASK)
        return text


def _check_address(base_url: str) -> None:
    try:
        parts = urlsplit(base_url)
        valid = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        raise EndpointInvalid("The base URL cannot be read; expected e.g. https://host/v1") from None
    if parts.username or parts.password or parts.query or parts.fragment:
        raise EndpointInvalid("The base URL must hold no user, password or query; a key is given separately.")
    if not valid:
        raise EndpointInvalid(f"The base URL {base_url!r} is not usable; expected e.g. https://host/v1")
