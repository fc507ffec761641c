"""Which addresses requests may go to: naming an endpoint must not be a way into the server's own network.

Judged are the addresses that a name leads to, not its spelling: `2130706433` and `0x7f.1` are 127.0.0.1. An
IPv6 address that carries an IPv4 address is judged as that one (mapped, 6to4, NAT64) or as both (ISATAP).
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Self
from urllib.parse import urlsplit

SETTING = "CHIRON_PRIVATE_ENDPOINTS"
# What every reader of an address takes for the same host; others may differ about a backslash, say.
_PLAIN_HOST = re.compile(r"[a-z0-9._-]+|[0-9a-f:.]+")
_DEFAULT_PORTS = {"http": 80, "https": 443}

# Outside of it IPv6 is local, reserved or not given out, some of which `is_global` takes for public.
_GLOBAL_UNICAST = IPv6Network("2000::/3")
_NAT64 = IPv6Network("64:ff9b::/96")
# The interface of ISATAP (RFC 5214): between the network and the IPv4 address, whatever its bits u and g are.
_ISATAP, _ISATAP_BITS = 0x0000_5EFE, 0xFCFF_FFFF
# What IANA's registries of special-purpose addresses (RFC 6890) hold and `is_global` takes for public in some
# supported Python: protocol assignments and anycast services of whatever network one is in (192.0.0.0/24,
# 2001::/23), sinks of name servers (AS112), relays (6to4, AMT), documentation (3fff::/20).
_SPECIAL_PURPOSE = tuple(
    map(
        ip_network,
        "192.0.0.0/24 192.31.196.0/24 192.52.193.0/24 192.88.99.0/24 192.175.48.0/24 "
        "2001::/23 2001:db8::/32 2620:4f:8000::/48 3fff::/20".split(),
    )
)
# Where clouds answer their own machines at public addresses: Azure's agent. Oracle's is a special one.
_CLOUDS_OWN = frozenset({IPv4Address("168.63.129.16")})
_LABEL = r"[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?"
# The last part is no number: such a "name" is another spelling of an address.
_HOST_NAME = re.compile(rf"(?=.{{1,253}}$)({_LABEL}\.)*(?!(0x[0-9a-f]*|[0-9]+)$){_LABEL}")


class EndpointInvalid(ValueError):
    """The address or the key of an endpoint cannot be used. The message never contains the key."""


def check_address(base_url: str) -> None:
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
    check_address(url)
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
        here = host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        here = False
    return here or parts.scheme == "https"


class AddressForbidden(Exception):
    """A host leads to an address that no request may go to."""


@dataclass(frozen=True)
class Egress:
    """Requests may go to public addresses, to loopback where `loopback` says so, and to what is named.

    A name in `hosts` may lead to any address; an address in `networks` may go by any name.
    """

    loopback: bool = False
    hosts: frozenset[str] = frozenset()
    networks: tuple[IPv4Network | IPv6Network, ...] = ()

    @classmethod
    def to_named(cls, named: Iterable[str], *, loopback: bool = False) -> Self:
        """Allow these host names, addresses and networks besides. Raises ValueError for anything else."""
        hosts, networks = set[str](), list[IPv4Network | IPv6Network]()
        for number, name in enumerate(named, start=1):
            try:
                networks.append(ip_network(name))
            except ValueError:
                if not _HOST_NAME.fullmatch(_plain(name)):
                    raise ValueError(f"number {number} is no host name, address or network") from None
                hosts.add(_plain(name))
        return cls(loopback, frozenset(hosts), tuple(networks))

    def require(self, host: str, addresses: Iterable[str]) -> None:
        """Raise AddressForbidden unless requests may go to every one of the addresses of `host`."""
        if _plain(host) in self.hosts:
            return
        for address in map(ip_address, addresses):
            allowed = any(address in network for network in self.networks) or all(
                _is_public(meant)
                or (self.loopback and meant.is_loopback)
                or any(meant in network for network in self.networks)
                for meant in _meant(address)
            )
            if not allowed:
                raise AddressForbidden(host)


PUBLIC_ONLY = Egress()


def _plain(host: str) -> str:
    return host.lower().removesuffix(".")


def _meant(address: IPv4Address | IPv6Address) -> Iterator[IPv4Address | IPv6Address]:
    """The addresses at which what is sent to an address may arrive."""
    if isinstance(address, IPv4Address):
        yield address
        return
    carried = IPv4Address(int(address) & 0xFFFF_FFFF)
    yield carried if address in _NAT64 else address.ipv4_mapped or address.sixtofour or address
    if int(address) >> 32 & _ISATAP_BITS == _ISATAP:
        yield carried


def _is_public(address: IPv4Address | IPv6Address) -> bool:
    if isinstance(address, IPv6Address) and address not in _GLOBAL_UNICAST:
        return False
    special = address in _CLOUDS_OWN or any(address in network for network in _SPECIAL_PURPOSE)
    return address.is_global and not address.is_multicast and not special
