"""Which place the next person gets, so that every batch fills evenly within each profile, and in which order
they see its prompts.

Ties and orders go by ranks that are the same on every machine and Python version, unlike `hash` or `random`.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Literal, TypeVar

T = TypeVar("T")


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
    chosen = min(tied, key=lambda load: _rank(tie_seed, load.batch_id))
    return Place(chosen.batch_id, shown_arm if as_shown else chosen.open_arms[0])


def _filled(load: BatchLoad) -> tuple[int, int, int]:
    return load.cut, load.in_profile, load.total


def ordered_prompts(
    prompts: Iterable[T], *, order: Literal["fixed", "random"], order_seed: int, participant_code: str
) -> list[T]:
    """Return the prompts, given in the batch's order, in the order this person sees them.

    "fixed" leaves them as they are. "random" is the same whenever and wherever it is derived again: write
    `<order_seed>:<participant code>:<place in the batch, from 1>` for every place, take the SHA-256 of each
    as UTF-8, and sort the places by these digests, the smallest first.
    """
    if order == "fixed":
        return list(prompts)
    ranked = sorted(
        enumerate(prompts, start=1), key=lambda place: _rank(order_seed, participant_code, place[0])
    )
    return [prompt for _, prompt in ranked]


def _rank(*parts: int | str) -> bytes:
    return sha256(":".join(map(str, parts)).encode()).digest()
