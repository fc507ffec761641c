"""Which place the next person gets, so that every batch fills evenly within each profile."""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256


@dataclass(frozen=True, slots=True)
class BatchLoad:
    """How many live or finished sessions a batch has: in the person's own profile, and over all profiles.

    `open_arms` are the arms of the places that are free for the person, in the order in which they are given
    away; where a study compares no arms, each is empty. `cut` is the cut of the bank that the batch is from.
    """

    batch_id: int
    in_profile: int
    total: int
    open_arms: tuple[str, ...]
    cut: int = 1


@dataclass(frozen=True, slots=True)
class Place:
    """What somebody gets: a batch, and an arm where the study compares any."""

    batch_id: int
    arm: str


def choose_place(loads: Sequence[BatchLoad], *, tie_seed: int, shown_arm: str = "") -> Place | None:
    """A place in the batch of the earliest cut with the fewest sessions in the profile, then in total.

    What is still tied goes by an order that depends on `tie_seed` and the batch alone, so the choice is
    reproducible, does not depend on the order of `loads`, and does not favour the first batches. The arm is
    that of the batch's next place; or `shown_arm`, what the person read before, as long as any batch has a
    place for it. None when no batch has a free place.
    """
    open_loads = [load for load in loads if load.open_arms]
    if not open_loads:
        return None
    as_shown = [load for load in open_loads if shown_arm in load.open_arms]
    candidates = as_shown or open_loads
    fewest = min(_filled(load) for load in candidates)
    tied = (load for load in candidates if _filled(load) == fewest)
    chosen = min(tied, key=lambda load: _tie_rank(load.batch_id, tie_seed))
    return Place(chosen.batch_id, shown_arm if as_shown else chosen.open_arms[0])


def _filled(load: BatchLoad) -> tuple[int, int, int]:
    return load.cut, load.in_profile, load.total


def _tie_rank(batch_id: int, tie_seed: int) -> bytes:
    """A rank that is the same on every machine and Python version, unlike `hash` or `random`."""
    return sha256(f"{tie_seed}:{batch_id}".encode()).digest()
