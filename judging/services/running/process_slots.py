"""How much judging one process does at once, and when it ends: asked by every lease of a judging run."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

# A worker of four threads keeps two for the sweep of sessions and the coordinator.
MAX_RUNS_AT_ONCE = 2

# Set when this process is told to end; a lease looks at it between two calls and hands back its rows.
stopping = threading.Event()

_running: set[int] = set()
_lock = threading.Lock()


@contextmanager
def process_slot(scoring_run_id: int) -> Iterator[bool]:
    """Take this process's slot for a lease of the run; False where none is free: drop the lease, unharmed.

    A process works on a run once at a time (a lease is concurrent in itself) and on few runs at once.
    """
    with _lock:
        is_full = scoring_run_id in _running or len(_running) >= MAX_RUNS_AT_ONCE
        taken = not stopping.is_set() and not is_full
        if taken:
            _running.add(scoring_run_id)
    try:
        yield taken
    finally:
        if taken:
            with _lock:
                _running.discard(scoring_run_id)
