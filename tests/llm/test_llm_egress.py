"""Where requests may go: public addresses, loopback where it is allowed, and what the operator names."""

import socket

import pytest

from llm.egress import AddressForbidden, Egress

PUBLIC = [
    "93.184.216.34",
    "192.88.98.1",
    "2606:2800:220:1::1",
    "2001:200::1",
    "3ffe::1",
    "2620:4f:8001::1",
    "::ffff:93.184.216.34",
    "64:ff9b::93.184.216.34",
    "2606:2800:220:1:0:5efe:93.184.216.34",
    "2606:2800:220:1:200:5eff:10.0.0.1",
]
LOOPBACK = [
    "127.0.0.1", "127.8.9.10", "::1", "::ffff:127.0.0.1", "2002:7f00:1::",
    "2606:2800:220:1:300:5efe:127.0.0.1",
]  # fmt: skip
NOT_PUBLIC = [
    "169.254.169.254", "169.254.0.1", "fd00:ec2::254", "fe80::1", "fe80::1%lo", "fec0::1",
    "10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1", "100.64.0.1", "100.127.255.255", "fc00::1",
    "0.0.0.0", "0.1.2.3", "::", "224.0.0.1", "239.1.2.3", "ff02::1", "ff0e::1", "255.255.255.255",  # noqa: S104
    "240.0.0.1", "192.0.2.1", "198.18.0.1", "192.0.0.1", "2001:db8::1", "2001::1", "100::1", "4000::1",
    "::ffff:10.0.0.1", "::ffff:169.254.169.254", "::ffff:0.0.0.0", "::10.0.0.1", "::127.0.0.1",
    "2002:a00:1::", "2002:a9fe:a9fe::1", "2002:e000:1::",
    "168.63.129.16", "192.0.0.192", "::ffff:168.63.129.16", "64:ff9b::168.63.129.16",
    # Of special purpose, though Python takes some for public: relays, sinks, documentation, anycast services.
    "192.88.99.1", "192.88.99.255", "::ffff:192.88.99.1", "2002:c058:6301::1", "64:ff9b::192.88.99.1",
    "192.0.0.9", "192.0.0.10", "192.31.196.1", "192.52.193.1", "192.175.48.1", "198.51.100.1", "203.0.113.1",
    "3fff::1", "3fff:fff:ffff::1", "2001:1::1", "2001:1::3", "2001:2::1", "2001:3::1", "2001:4:112::1",
    "2001:10::1", "2001:20::1", "2001:30::1", "2620:4f:8000::1", "5f00::1", "100:0:0:1::1", "2002:c000:aa::1",
    "2606:2800:220:1:0:5efe:10.0.0.1", "2606:2800:220:1:200:5efe:169.254.169.254",
    "2001:db8::5efe:93.184.216.34",
    "2606:2800:220:1:100:5efe:192.88.99.1", "fe80::5efe:93.184.216.34",
    "2002:5db8:d822:1:0:5efe:10.0.0.1", "2002:a00:1:1:0:5efe:93.184.216.34", "::ffff:0:93.184.216.34",
    "2001:0:5db8:d822::1", "64:ff9b:1::93.184.216.34",
    "64:ff9b::10.0.0.1", "64:ff9b::169.254.169.254", "64:ff9b:1::10.0.0.1",
]  # fmt: skip


def goes(egress: Egress, *addresses: str, host: str = "judge.example") -> bool:
    try:
        egress.require(host, addresses)
    except AddressForbidden:
        return False
    return True


def test_only_public_addresses_need_no_word_from_anybody() -> None:
    assert [one for one in PUBLIC if not goes(Egress(), one)] == []
    assert [one for one in [*NOT_PUBLIC, *LOOPBACK] if goes(Egress(), one)] == []


def test_loopback_can_be_allowed_and_nothing_else_comes_with_it() -> None:
    here = Egress(loopback=True)
    assert [one for one in [*PUBLIC, *LOOPBACK] if not goes(here, one)] == []
    assert [one for one in NOT_PUBLIC if goes(here, one)] == []


@pytest.mark.parametrize("addresses", [("93.184.216.34", "10.0.0.1"), ("10.0.0.1", "93.184.216.34")])
def test_one_address_that_is_not_public_speaks_against_a_name(addresses: tuple[str, str]) -> None:
    assert not goes(Egress(), *addresses)
    assert goes(Egress.to_named(["10.0.0.0/8"]), *addresses)


@pytest.mark.parametrize(
    "spelling", ["127.1", "0x7f.1", "0177.0.0.1", "2130706433", "0x7f000001", "017700000001"]
)
def test_an_address_is_known_in_every_spelling_that_leads_to_it(spelling: str) -> None:
    found = [str(one[4][0]) for one in socket.getaddrinfo(spelling, 80, type=socket.SOCK_STREAM)]
    assert found
    assert not goes(Egress(), *found, host=spelling)


def test_what_is_named_may_be_reached_and_its_neighbours_may_not() -> None:
    named = Egress.to_named(["judge.LAN.", "10.1.0.0/16", "192.168.7.7", "fd00:1::/32", "fe80::1"])
    for host in ("judge.lan", "JUDGE.lan", "judge.lan."):
        assert goes(named, "192.168.0.1", "169.254.169.254", host=host)
    assert not goes(named, "192.168.0.1", host="other.judge.lan")
    assert not goes(named, "192.168.0.1", host="judge.lan.example")
    reached = ["10.1.2.3", "::ffff:10.1.2.3", "192.168.7.7", "fd00:1::9", "fe80::1%lo"]
    assert [one for one in reached if not goes(named, one)] == []
    assert [one for one in ["10.2.0.1", "192.168.7.8", "fd00:2::1", "127.0.0.1"] if goes(named, one)] == []


@pytest.mark.parametrize(
    "entry",
    [
        "http://judge.lan", "judge.lan:8080", "judge lan", "*.lan", "10.1.2.3/16", "10.0.0.0/33",
        "2130706433", "0x7f.1", "127.1", "[::1]", "-lan", "judge..lan", "user@judge.lan", "a" * 64, "",
    ],
)  # fmt: skip
def test_what_is_no_host_address_or_network_cannot_be_named(entry: str) -> None:
    with pytest.raises(ValueError, match="number 2 is no host name, address or network"):
        Egress.to_named(["judge.lan", entry])
