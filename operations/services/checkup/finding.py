"""One row of the check-up."""

from typing import NamedTuple


class Finding(NamedTuple):
    """What was looked at, whether it is well, what was found; where it is not well, what to do."""

    part: str
    ok: bool
    detail: str
    remedy: str = ""
