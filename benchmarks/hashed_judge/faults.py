"""Which request meets which fault, decided by a seeded hash, so that a run can be repeated.

A passing fault goes away when the request comes again: after `at_most` in a row it always does. A permanent
one meets the same request for ever. A request that asks again, with the unusable reply and a remark added to
its messages, counts as the request it repeats.
"""

import hashlib

from benchmarks.hashed_judge.asks import Ask, messages_digest
from benchmarks.hashed_judge.verdicts import share

PASSING = (
    "rate_limited_seconds",
    "rate_limited_date",
    "status_500",
    "status_503",
    "status_408",
    "status_409",
    "closed",
    "reset",
    "truncated",
    "refused",
    "empty",
    "not_json",
    "off_schema",
    "out_of_range",
    "content_type",
    "stalled",
    "dripped",
    "huge",
)
PERMANENT = ("permanent_refused", "permanent_off_schema")


class Faults:
    """The faults of one server; remembers how often it saw each request."""

    def __init__(
        self, *, rate: float, permanent: float, at_most: int, seed: int, kinds: tuple[str, ...]
    ) -> None:
        if unknown := set(kinds) - set(PASSING):
            raise ValueError(
                f"No such faults: {', '.join(sorted(unknown))}. Choose from {', '.join(PASSING)}."
            )
        self._rate, self._permanent, self._at_most = rate, permanent, at_most
        self._seed = str(seed).encode()
        self._kinds = kinds or PASSING
        self._seen: dict[bytes, tuple[int, int]] = {}

    def fault(self, ask: Ask) -> str:
        """The fault that meets this request now, or nothing."""
        if not (self._rate or self._permanent):
            return ""
        request = self._root(ask)
        times, in_a_row = self._seen.get(request, (0, 0))
        fault = self._permanent_fault(request) or self._passing_fault(request, times, in_a_row)
        self._seen[request] = (times + 1, in_a_row + 1 if fault else 0)
        return fault

    def _permanent_fault(self, request: bytes) -> str:
        drawn = self._drawn(request, b"permanent")
        return PERMANENT[drawn[8] % len(PERMANENT)] if share(drawn) < self._permanent else ""

    def _passing_fault(self, request: bytes, times: int, in_a_row: int) -> str:
        drawn = self._drawn(request, str(times).encode())
        if in_a_row >= self._at_most or share(drawn) >= self._rate:
            return ""
        return self._kinds[int.from_bytes(drawn[8:12], "big") % len(self._kinds)]

    def _drawn(self, request: bytes, what: bytes) -> bytes:
        return hashlib.sha256(b"%b/%b/%b" % (self._seed, what, request)).digest()

    def _root(self, ask: Ask) -> bytes:
        """The name of the request, or of the one that it asks again."""
        model = ask.model.encode()
        for left_out in (2, 1):
            if len(ask.messages) > left_out:
                earlier = model + messages_digest(ask.messages[:-left_out])
                if earlier in self._seen:
                    return earlier
        return model + ask.digest
