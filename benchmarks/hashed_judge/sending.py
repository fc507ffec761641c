"""When and how the bytes of a reply go out: after the latency, late, drop by drop, in part, or not at all."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from benchmarks.hashed_judge.http import Connection
from benchmarks.hashed_judge.replies import Reply

NO_REPLY = 0
DROPS = 40
RESET_SECONDS = 0.01

Sent = Callable[[int, int, int], None]


@dataclass(slots=True)
class _Pending:
    number: int
    reply: Reply
    timer: asyncio.TimerHandle | None = None
    dripped: int = 0


class Sender:
    """Sends replies; tells `sent` the number, the status and the completion tokens of each.

    The status is `NO_REPLY` where the connection ends before a whole reply.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop, stall_seconds: float, sent: Sent) -> None:
        self._loop = loop
        self._stall_seconds = stall_seconds
        self._sent = sent
        self._pending: dict[Connection, _Pending] = {}
        self._manners = {"closed": self._close, "reset": self._send_half, "dripped": self._drip}

    def send(self, connection: Connection, number: int, reply: Reply, fault: str, delay: float) -> None:
        """Send after `delay` seconds, in the manner of the fault."""
        self._pending[connection] = _Pending(number, reply)
        if fault == "stalled":
            delay += self._stall_seconds
        self._later(delay, self._manners.get(fault, self._send_whole), connection)

    def cancel(self, connection: Connection, status: int) -> None:
        """The client is gone: send nothing more."""
        if pending := self._pending.pop(connection, None):
            if pending.timer:
                pending.timer.cancel()
            self._sent(pending.number, status, 0)

    def _later(self, delay: float, act: Callable[[Connection], None], connection: Connection) -> None:
        if delay > 0:
            self._pending[connection].timer = self._loop.call_later(delay, act, connection)
        else:
            act(connection)

    def _send_whole(self, connection: Connection) -> None:
        connection.transport.write(self._pending[connection].reply.raw)
        self._over(connection)

    def _over(self, connection: Connection) -> None:
        pending = self._pending.pop(connection)
        self._sent(pending.number, pending.reply.status, pending.reply.completion_tokens)
        connection.done()

    def _close(self, connection: Connection) -> None:
        self.cancel(connection, NO_REPLY)
        connection.hang_up()

    def _send_half(self, connection: Connection) -> None:
        raw = self._pending[connection].reply.raw
        connection.transport.write(raw[: len(raw) // 2])
        self._later(RESET_SECONDS, self._reset, connection)

    def _reset(self, connection: Connection) -> None:
        self.cancel(connection, NO_REPLY)
        connection.reset()

    def _drip(self, connection: Connection) -> None:
        """The reply in equal drops over the whole stall time."""
        pending = self._pending[connection]
        until = pending.dripped + len(pending.reply.raw) // DROPS + 1
        connection.transport.write(pending.reply.raw[pending.dripped : until])
        pending.dripped = until
        if until >= len(pending.reply.raw):
            self._over(connection)
        else:
            self._later(self._stall_seconds / DROPS, self._drip, connection)
