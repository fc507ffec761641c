"""What of the site is configured, reachable and missing. Changes nothing and says no secret."""

from collections.abc import Callable, Iterator
from datetime import datetime

from operations.services.checkup import servers, site
from operations.services.checkup.finding import Finding

CHECKS: tuple[Callable[[datetime], Iterator[Finding]], ...] = (
    servers.database,
    servers.broker,
    servers.background,
    servers.mail,
    site.storage,
    site.addresses,
    site.judges,
)


def checkup(*, now: datetime) -> Iterator[Finding]:
    """Look at one part after the other; each takes a few seconds at most, whatever is down."""
    for check in CHECKS:
        try:
            yield from check(now)
        except Exception as error:  # noqa: BLE001  # one check that fails must not hide the others
            name = check.__name__.replace("_", " ")
            yield Finding(name, False, f"could not be checked ({type(error).__name__})", "see the log")
