"""Where requests go: a checked base URL, and a key that never shows."""

import ipaddress
import re
from dataclasses import dataclass, field
from urllib.parse import urlsplit

MASK = "[key]"
_MIN_MASKED_CHARACTERS = 8
# What every reader of an address takes for the same host; others may differ about a backslash, say.
_PLAIN_HOST = re.compile(r"[a-z0-9._-]+|[0-9a-f:.]+")
_DEFAULT_PORTS = {"http": 80, "https": 443}


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
        if self.api_key and len(self.api_key) >= _MIN_MASKED_CHARACTERS:
            return text.replace(self.api_key, MASK)
        return text


def _check_address(base_url: str) -> None:
    try:
        parts = urlsplit(base_url)
        host = _PLAIN_HOST.fullmatch(parts.hostname or "")
        valid = parts.scheme in _DEFAULT_PORTS and host is not None and parts.port != 0
    except ValueError:
        raise EndpointInvalid("The base URL cannot be read; expected e.g. https://host/v1") from None
    if "@" in parts.netloc or set(base_url) & {"?", "#"}:
        raise EndpointInvalid("The base URL must hold no user, password or query; a key is given separately.")
    if not valid:
        raise EndpointInvalid(f"The base URL {base_url!r} is not usable; expected e.g. https://host/v1")


def origin_of(url: str) -> str:
    """Scheme, host and port, in one spelling: `https://host`, with the port where it is not the scheme's own.

    Raises:
        EndpointInvalid
    """
    _check_address(url)
    parts = urlsplit(url)
    host = str(parts.hostname)
    host = f"[{host}]" if ":" in host else host
    standard = parts.port in {None, _DEFAULT_PORTS[parts.scheme]}
    return f"{parts.scheme}://{host}" if standard else f"{parts.scheme}://{host}:{parts.port}"


def is_encrypted(url: str) -> bool:
    """Whether nobody on the way can read: the scheme is https, or the way does not leave this machine."""
    parts = urlsplit(url)
    host = str(parts.hostname)
    try:
        here = host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        here = False
    return here or parts.scheme == "https"
