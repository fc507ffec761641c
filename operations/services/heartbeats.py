"""When worker and beat were last at work, and in which process: beside the broker, in Redis or in the data
folder.
"""

import os
import socket
from contextlib import suppress
from pathlib import Path
from typing import Literal, NamedTuple

from studies.services.messages import BrokerAway, broker

Part = Literal["worker", "beat"]
KEEP_SECONDS = 24 * 3600
# Asked by a worker between two tasks, and by the beat: neither may be held up.
TIMEOUT_SECONDS = 1.0


class Heartbeat(NamedTuple):
    """When a part last worked, in seconds since 1970, on which machine and in which process there."""

    at: float
    host: str
    process: int

    @property
    def is_gone(self) -> bool:
        """Whether its process is known to have ended; of another machine's nothing is known."""
        if self.host != socket.gethostname():
            return False
        try:
            os.kill(self.process, 0)
        except ProcessLookupError:
            return True
        except PermissionError:  # somebody else's: it is there
            pass
        # A zombie has ended, and only its parent has not noticed: signals still find it (Linux).
        try:
            return Path(f"/proc/{self.process}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
        except (OSError, IndexError):  # a system without such files
            return False


def heartbeat_write(part: Part, *, now: float) -> None:
    """Note that the part works in this process; `now` in seconds since 1970. What is down keeps nobody from
    work.
    """
    sign = f"{now} {socket.gethostname()} {os.getpid()}"
    with suppress(BrokerAway), broker(TIMEOUT_SECONDS) as opened:
        opened.sign_write(_name(part), sign, keep_seconds=KEEP_SECONDS)


def heartbeat_read(part: Part) -> Heartbeat | None:
    """Where and when the part last worked; None where nothing is known.

    Raises BrokerAway where that cannot be asked.
    """
    with broker(TIMEOUT_SECONDS) as opened:
        seen = opened.sign_read(_name(part))
    try:
        at, host, process = (seen or "").split()
        return Heartbeat(float(at), host, int(process))
    except ValueError:  # nothing, or what a power cut left
        return None


def _name(part: Part) -> str:
    return f"chiron-sign-of-{part}"
