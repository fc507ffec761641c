"""Places with arms: how evenly arms are drawn."""

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from batches.rules.places import Slot, matrix_slots, nested_slots

ARMS = ("alone", "with-ai", "pick-only", "supply-only")
PROFILES = ("lay", "expert", "student")


def rng(seed: int = 1) -> np.random.Generator:
    return np.random.default_rng(seed)


def largest_gap(slots: list[Slot], arms: tuple[str, ...], group: Callable[[Slot], Hashable]) -> int:
    """The largest difference between the numbers of two arms in any group."""
    counts: dict[Hashable, Counter[str]] = defaultdict(Counter)
    for slot in slots:
        counts[group(slot)][slot.arm] += 1
    return max(max(found[arm] for arm in arms) - min(found[arm] for arm in arms) for found in counts.values())


designs = st.tuples(st.integers(1, 9), st.integers(1, 3), st.integers(1, 5), st.integers(2, 4))


@settings(max_examples=15, deadline=None, derandomize=True)
@given(designs, st.integers(0, 2**32))
def test_arms_differ_by_at_most_one_in_a_batch_and_by_little_in_a_profile(
    design: tuple[int, int, int, int], seed: int
) -> None:
    batches, profiles, replicates, arms = design
    slots = nested_slots(
        batches=batches, profiles=PROFILES[:profiles], replicates=replicates, arms=ARMS[:arms], rng=rng(seed)
    )
    assert len(slots) == batches * profiles * replicates
    assert largest_gap(slots, ARMS[:arms], lambda slot: slot.batch) <= 1
    assert largest_gap(slots, ARMS[:arms], lambda slot: (slot.batch, slot.profile)) <= 1
    assert largest_gap(slots, ARMS[:arms], lambda slot: slot.profile) <= 2


@settings(max_examples=30, deadline=None)
@given(designs, st.integers(0, 2**32))
def test_in_a_matrix_arms_differ_by_at_most_one_in_a_cut_and_in_a_profile(
    design: tuple[int, int, int, int], seed: int
) -> None:
    batches, profiles, replicates, arms = design
    slots = matrix_slots(
        batches=batches, profiles=PROFILES[:profiles], replicates=replicates, arms=ARMS[:arms], rng=rng(seed)
    )
    assert [slot.batch for slot in slots] == list(range(batches * profiles * replicates))
    assert largest_gap(slots, ARMS[:arms], lambda slot: slot.batch // batches) <= 1
    assert largest_gap(slots, ARMS[:arms], lambda slot: slot.profile) <= 1
    assert Counter(slot.profile for slot in slots) == dict.fromkeys(PROFILES[:profiles], batches * replicates)


def test_the_pilot_with_two_arms_has_both_once_in_every_profile_of_every_batch() -> None:
    slots = nested_slots(batches=41, profiles=PROFILES, replicates=2, arms=ARMS[:2], rng=rng())
    cells = defaultdict(list)
    for slot in slots:
        cells[slot.batch, slot.profile].append(slot.arm)
    assert {tuple(sorted(arms)) for arms in cells.values()} == {ARMS[:2]}


def test_arms_stay_close_in_every_batch_while_a_study_fills() -> None:
    slots = nested_slots(batches=41, profiles=PROFILES, replicates=4, arms=ARMS[:2], rng=rng())
    for so_far in (1, 2, 3, 4):
        given = [slot for place, slot in enumerate(slots) if place % 4 < so_far]
        assert largest_gap(given, ARMS[:2], lambda slot: slot.batch) <= 2
        assert largest_gap(given, ARMS[:2], lambda slot: slot.profile) <= 6
        assert largest_gap(given, ARMS[:2], lambda slot: "everybody") <= 3


@pytest.mark.parametrize("make", [nested_slots, matrix_slots])
def test_the_seed_repeats_the_draw_and_another_draws_anew(make: Callable[..., list[Slot]]) -> None:
    design = {"batches": 20, "profiles": PROFILES, "replicates": 2, "arms": ARMS[:2]}
    assert make(**design, rng=rng(1)) == make(**design, rng=rng(1))
    assert make(**design, rng=rng(1)) != make(**design, rng=rng(2))


def test_a_study_without_arms_has_places_without_an_arm() -> None:
    slots = matrix_slots(batches=2, profiles=("lay",), replicates=1, arms=(), rng=rng())
    assert slots == [Slot(0, "lay", ""), Slot(1, "lay", "")]
