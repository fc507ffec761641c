"""Which batch the next person gets, so that every batch fills evenly within each profile."""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256


@dataclass(frozen=True, slots=True)
class BatchLoad:
    """How many live or finished sessions a batch has: in the person's own profile, and over all profiles."""

    batch_id: int
    in_profile: int
    total: int


def choose_batch(loads: Sequence[BatchLoad], *, replicates: int, tie_seed: int) -> int | None:
    """Return the batch with the fewest sessions in the profile, then the fewest in total.

    What is still tied goes by an order that depends on `tie_seed` and the batch alone, so the choice is
    reproducible, does not depend on the order of `loads`, and does not favour the first batches.
    None when every batch already has `replicates` sessions of the profile.
    """
    open_loads = [load for load in loads if load.in_profile < replicates]
    if not open_loads:
        return None
    fewest = min((load.in_profile, load.total) for load in open_loads)
    tied = [load.batch_id for load in open_loads if (load.in_profile, load.total) == fewest]
    return min(tied, key=lambda batch_id: _tie_rank(batch_id, tie_seed))


def _tie_rank(batch_id: int, tie_seed: int) -> bytes:
    """A rank that is the same on every machine and Python version, unlike `hash` or `random`."""
    return sha256(f"{tie_seed}:{batch_id}".encode()).digest()
