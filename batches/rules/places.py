"""The places of a design that are laid down with its batches: who may take which batch, in which arm."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # a page says what a place is; only who lays them down needs arrays
    import numpy as np

Tally = Counter[str]


@dataclass(frozen=True, slots=True)
class Slot:
    """A place in a batch (numbered from 0) for one person of a profile.

    `arm` is empty where a study compares none.
    """

    batch: int
    profile: str
    arm: str


def nested_slots(
    *, batches: int, profiles: Sequence[str], replicates: int, arms: Sequence[str], rng: "np.random.Generator"
) -> list[Slot]:
    """`replicates` places of every profile in every batch, with an arm drawn for each.

    The numbers of people of two arms differ by at most one within a batch, and within a profile of a batch;
    over all people of a profile, and over all people, as little as the draws before allow. Sorted by batch
    and profile. Places of one profile in a batch are given away in this order, in which arms alternate so
    that they stay close while a study fills.
    """
    drawn: dict[tuple[int, str], list[str]] = {}
    of_profile: dict[str, Tally] = defaultdict(Counter)
    overall: Tally = Counter()
    for batch in rng.permutation(batches).tolist():
        in_batch: Tally = Counter()
        shuffled = [profiles[index] for index in rng.permutation(len(profiles)).tolist()]
        numbers = {profile: [of_profile[profile][arm] for arm in arms] for profile in shuffled}
        # Who comes first in a batch has most to choose from: the profile whose arms differ most.
        for profile in sorted(
            shuffled, key=lambda name: min(numbers[name], default=0) - max(numbers[name], default=0)
        ):
            drawn[batch, profile] = _draw(replicates, arms, (in_batch, of_profile[profile], overall), rng)
    ordered = _ordered(drawn, replicates, rng)
    return [
        Slot(batch, profile, arm)
        for batch in range(batches)
        for profile in profiles
        for arm in ordered[batch, profile]
    ]


def _ordered(
    drawn: Mapping[tuple[int, str], Sequence[str]], replicates: int, rng: "np.random.Generator"
) -> dict[tuple[int, str], list[str]]:
    """The arms of every batch and profile in the order of giving away, by rounds over all of them."""
    cells = list(drawn)
    left = {cell: list(arms) for cell, arms in drawn.items()}
    given: dict[tuple[int, str], list[str]] = {cell: [] for cell in cells}
    of_batch: dict[int, Tally] = defaultdict(Counter)
    of_profile: dict[str, Tally] = defaultdict(Counter)
    overall: Tally = Counter()
    for _ in range(replicates):
        for place in rng.permutation(len(cells)).tolist():
            cell = cells[place]
            tallies = of_batch[cell[0]], of_profile[cell[1]], overall
            arm = _rarest(left[cell], tallies, rng)
            left[cell].remove(arm)
            given[cell].append(arm)
            _count(arm, tallies)
    return given


def matrix_slots(
    *, batches: int, profiles: Sequence[str], replicates: int, arms: Sequence[str], rng: "np.random.Generator"
) -> list[Slot]:
    """One place in every batch; the `batches` of one cut of the bank are all for one profile.

    Cuts are for the profiles in turn, `replicates` times. The numbers of people of two arms differ by at most
    one within a cut and within a profile, and over all people as little as that allows.
    """
    of_profile: dict[str, Tally] = defaultdict(Counter)
    overall: Tally = Counter()
    slots: list[Slot] = []
    for profile in [*profiles] * replicates:
        drawn = _draw(batches, arms, (of_profile[profile], overall), rng)
        slots += [Slot(len(slots) + place, profile, arm) for place, arm in enumerate(drawn)]
    return slots


def _draw(
    number: int, arms: Sequence[str], tallies: Sequence[Tally], rng: "np.random.Generator"
) -> list[str]:
    """So many arms in random order: each the rarest here, then by the tallies, then by chance.

    Adds what it draws to the tallies.
    """
    names = arms or ("",)
    here: Tally = Counter()
    for _ in range(number):
        arm = _rarest(names, (here, *tallies), rng)
        _count(arm, (here, *tallies))
    drawn = list(here.elements())
    return [drawn[place] for place in rng.permutation(number).tolist()]


def _rarest(names: Sequence[str], tallies: Sequence[Tally], rng: "np.random.Generator") -> str:
    """The rarest by the first tally; among equals by the next ones, then by chance."""
    shuffled: list[str] = [names[place] for place in rng.permutation(len(names)).tolist()]
    return min(shuffled, key=lambda name: [tally[name] for tally in tallies])


def _count(arm: str, tallies: Sequence[Tally]) -> None:
    for tally in tallies:
        tally[arm] += 1
