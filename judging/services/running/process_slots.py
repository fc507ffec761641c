"""How much judging one process does at once, and when it ends: asked by whatever judges."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

# A worker of four threads keeps two for the sweep of sessions and the coordinator, one of which waits for the
# last replies of a judge where it must.
MAX_JUDGES_AT_ONCE = 2
MAX_THREADS = 3

# Set when this process is told to end; nothing more is sent then.
stopping = threading.Event()


@dataclass(eq=False, slots=True)
class Slot:
    """A thread that works on a judge or computes a run; once it `is_ending`, it only waits for replies."""

    kind: str
    number: int
    is_ending: bool = False


_slots: set[Slot] = set()
_lock = threading.Lock()


@contextmanager
def process_slot(kind: str, number: int) -> Iterator[Slot | None]:
    """A slot of this process for the work on a judge or a run; None where none is free: leave it.

    A process asks a judge once at a time (which is many calls at a time) and few judges at once.
    """
    slot = Slot(kind, number)
    with _lock:
        others = {(other.kind, other.number) for other in _slots if not other.is_ending}
        taken = not (stopping.is_set() or is_full() or (kind, number) in others)
        if taken:
            _slots.add(slot)
    try:
        yield slot if taken else None
    finally:
        with _lock:
            _slots.discard(slot)


def is_full() -> bool:
    """Whether nobody else can begin here."""
    at_work = [slot for slot in [*_slots] if not slot.is_ending]
    return len(at_work) >= MAX_JUDGES_AT_ONCE or len(_slots) >= MAX_THREADS


def others_may_begin() -> bool:
    """Whether a worker's other threads are there for whoever waits; a command has none."""
    return bool(_slots) and not is_full()


def is_computing() -> bool:
    """Whether a run is computed here."""
    return any(slot.kind == "run" for slot in [*_slots])
