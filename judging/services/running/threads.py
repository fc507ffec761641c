"""The threads of a lease: each calls the judge, stores what that brings, and only then makes its next call.

So what a killed worker had under way is never more than its threads. They share a few database connections:
one for each of them would be more than a server allows, and a call takes far longer than its storing.
"""

import threading
import time
from collections.abc import Callable, Sequence
from queue import SimpleQueue

from django.db import DEFAULT_DB_ALIAS, connections
from django.db.backends.base.base import BaseDatabaseWrapper

from judging.services.running.claims import ClaimedCall

# Each waits for the disk most of the time; with fewer, the commits would set the pace, not the judge.
STORING_CONNECTIONS = 8


class CallThreads:
    """Threads that make one call after the other; `waiting` counts the calls that none has taken yet.

    Once `closed` is set nothing more is begun. What goes wrong in a thread sets it, and stands in `error`.
    """

    def __init__(self, number: int, make: Callable[[ClaimedCall], None], *, closed: threading.Event) -> None:
        self.waiting = 0
        self.error: Exception | None = None
        self._make = make
        self._closed = closed
        self._few = number // 2
        self._room = threading.Event()
        self._lock = threading.Lock()
        self._queue: SimpleQueue[ClaimedCall | None] = SimpleQueue()
        self._threads = [threading.Thread(target=self._run, name=f"judge-{one}") for one in range(number)]

    def start(self) -> None:
        for thread in self._threads:
            thread.start()

    def add(self, calls: Sequence[ClaimedCall]) -> None:
        with self._lock:
            self.waiting += len(calls)
        for call in calls:
            self._queue.put(call)

    def wait_for_room(self, seconds: float) -> None:
        """Until few calls wait, but no longer than that."""
        self._room.wait(seconds)
        self._room.clear()

    def end(self) -> None:
        """Let every thread stop after the call it is making."""
        for _ in self._threads:
            self._queue.put(None)
        self._closed.set()

    def are_alive(self, seconds: float) -> bool:
        """Whether any thread is still at a call after waiting for so long."""
        until = time.monotonic() + seconds
        for thread in self._threads:
            thread.join(max(until - time.monotonic(), 0))
        return any(thread.is_alive() for thread in self._threads)

    def join(self) -> None:
        for thread in self._threads:
            thread.join()

    def _run(self) -> None:
        try:
            while (call := self._queue.get()) is not None:
                self._taken()
                if not self._closed.is_set():
                    self._make(call)
        except Exception as error:  # noqa: BLE001  # the edge of the thread: the lease raises it
            self.error = error
            self._closed.set()

    def _taken(self) -> None:
        with self._lock:
            self.waiting -= 1
            few = self.waiting == self._few
        if few:
            self._room.set()


class StoringConnections:
    """A few database connections that the call threads take in turns."""

    def __init__(self) -> None:
        self._free: SimpleQueue[BaseDatabaseWrapper] = SimpleQueue()
        for _ in range(STORING_CONNECTIONS):
            one = connections.create_connection(DEFAULT_DB_ALIAS)
            one.inc_thread_sharing()
            self._free.put(one)

    def do(self, work: Callable[[], None]) -> None:
        """Do it in this thread with one of the connections, once one is free. Raises what that raises."""
        mine = connections[DEFAULT_DB_ALIAS] = self._free.get()
        try:
            work()
        finally:
            del connections[DEFAULT_DB_ALIAS]
            self._free.put(mine)

    def close(self) -> None:
        """Close them; every call thread must have ended."""
        for _ in range(STORING_CONNECTIONS):
            self._free.get().close()
