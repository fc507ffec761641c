"""How much judging one process does at once, and when it ends: asked by whatever judges."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

# A worker of four threads keeps two for the sweep of sessions and the coordinator.
MAX_JUDGES_AT_ONCE = 2

# Set when this process is told to end; nothing more is sent then.
stopping = threading.Event()

_running: set[object] = set()
_lock = threading.Lock()


@contextmanager
def process_slot(work: object) -> Iterator[bool]:
    """Take this process's slot for the work on a judge or a run; False where none is free: leave it.

    A process asks a judge once at a time (which is many calls at a time) and few judges at once.
    """
    with _lock:
        is_full = work in _running or len(_running) >= MAX_JUDGES_AT_ONCE
        taken = not stopping.is_set() and not is_full
        if taken:
            _running.add(work)
    try:
        yield taken
    finally:
        if taken:
            with _lock:
                _running.discard(work)
