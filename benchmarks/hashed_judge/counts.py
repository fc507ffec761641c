"""What the server counts while it runs, for GET /stats."""

from collections import Counter
from dataclasses import dataclass, field


@dataclass
class Counts:
    """Chat requests only; a request that is no chat request is not counted."""

    requests: int = 0
    in_flight: int = 0
    in_flight_maximum: int = 0
    without_authorization: int = 0
    statuses: Counter[int] = field(default_factory=Counter)
    faults: Counter[str] = field(default_factory=Counter)
    violations: Counter[str] = field(default_factory=Counter)
    seen: set[bytes] = field(default_factory=set)

    def arrived(self, digest: bytes, authorized: bool) -> int:
        """Count an arrival; its number."""
        self.requests += 1
        self.in_flight += 1
        if self.in_flight > self.in_flight_maximum:
            self.in_flight_maximum = self.in_flight
        if not authorized:
            self.without_authorization += 1
        self.seen.add(digest)
        return self.requests

    def applied(self, fault: str, violation: str) -> None:
        if fault:
            self.faults[fault] += 1
        if violation:
            self.violations[violation] += 1

    def answered(self, status: int) -> None:
        self.in_flight -= 1
        self.statuses[status] += 1

    def as_json(self) -> dict[str, object]:
        return {
            "requests": self.requests,
            "distinct": len(self.seen),
            "in_flight": self.in_flight,
            "in_flight_maximum": self.in_flight_maximum,
            "without_authorization": self.without_authorization,
            "statuses": {str(status): count for status, count in self.statuses.items()},
            "faults": dict(self.faults),
            "violations": dict(self.violations),
        }
