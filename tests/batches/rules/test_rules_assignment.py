from collections import Counter
from collections.abc import Sequence

from hypothesis import given, strategies as st

from batches.rules.assignment import BatchLoad, Place, choose_place


def load(batch_id: int, in_profile: int, total: int, *, replicates: int = 2) -> BatchLoad:
    """A batch with so many places for the profile, in a study without arms."""
    return BatchLoad(batch_id, in_profile, total, open_arms=("",) * max(replicates - in_profile, 0))


def chosen_batch(loads: Sequence[BatchLoad], *, tie_seed: int = 0) -> int | None:
    place = choose_place(loads, tie_seed=tie_seed)
    return place.batch_id if place else None


def test_the_earliest_cut_that_has_a_place_comes_first() -> None:
    loads = [
        BatchLoad(1, 0, 0, ("",), cut=2),
        BatchLoad(2, 1, 1, (), cut=1),
        BatchLoad(3, 0, 0, ("",), cut=1),
    ]
    assert choose_place(loads, tie_seed=0) == Place(3, "")


def test_the_arm_is_that_of_the_next_place_of_the_batch() -> None:
    loads = [BatchLoad(1, 1, 1, ("alone",)), BatchLoad(2, 0, 3, ("with-ai", "alone"))]
    assert choose_place(loads, tie_seed=0) == Place(2, "with-ai")


def test_an_arm_that_was_shown_stays_while_there_is_a_place_for_it() -> None:
    loads = [
        BatchLoad(1, 1, 1, ("alone",)),
        BatchLoad(2, 0, 0, ("with-ai",)),
        BatchLoad(3, 1, 1, ("with-ai",)),
    ]
    assert choose_place(loads, tie_seed=0, shown_arm="alone") == Place(1, "alone")
    assert choose_place(loads[1:], tie_seed=0, shown_arm="alone") == Place(2, "with-ai")


def test_the_batch_with_the_fewest_sessions_in_the_profile_wins() -> None:
    loads = [load(1, in_profile=1, total=1), load(2, in_profile=0, total=4)]
    assert chosen_batch(loads) == 2


def test_the_total_decides_between_batches_equal_in_the_profile() -> None:
    loads = [load(1, in_profile=1, total=5), load(2, in_profile=1, total=3)]
    assert chosen_batch(loads) == 2


def test_a_batch_full_for_the_profile_is_never_chosen() -> None:
    loads = [load(1, in_profile=2, total=2), load(2, in_profile=1, total=6)]
    assert chosen_batch(loads) == 2


def test_there_is_no_batch_when_all_are_full_for_the_profile() -> None:
    loads = [load(1, in_profile=2, total=2), load(2, in_profile=3, total=3)]
    assert chosen_batch(loads) is None


def test_there_is_no_batch_in_a_study_without_batches() -> None:
    assert chosen_batch([]) is None


def test_the_same_seed_gives_the_same_batch_in_any_order_of_loads() -> None:
    loads = [load(number, in_profile=0, total=0) for number in range(41)]
    assert chosen_batch(loads, tie_seed=7) == chosen_batch(loads[::-1], tie_seed=7)


def test_ties_do_not_favour_the_first_batches() -> None:
    loads = [load(number, in_profile=0, total=0) for number in range(10)]
    chosen = Counter(chosen_batch(loads, tie_seed=seed) for seed in range(1_000))
    assert set(chosen) == set(range(10))
    assert max(chosen.values()) < 150


def test_the_pilot_fills_every_batch_with_two_people_of_each_profile() -> None:
    filled: Counter[tuple[int, str]] = Counter()
    profiles = ["stem-undergraduate", "stem-phd", "non-stem-undergraduate"]
    for person in range(246):
        _assign(filled, profiles[person % 3], seed=person)
    assert len(filled) == 41 * 3
    assert set(filled.values()) == {2}


@given(st.lists(st.sampled_from(["a", "b", "c"]), max_size=40), st.integers(0, 2**63))
def test_after_any_arrivals_the_batches_of_a_profile_differ_by_at_most_one(
    arrivals: list[str], seed: int
) -> None:
    filled: Counter[tuple[int, str]] = Counter()
    for profile in arrivals:
        _assign(filled, profile, seed=seed)
        sizes = [filled[batch, profile] for batch in range(41)]
        assert max(sizes) - min(sizes) <= 1


def _assign(filled: Counter[tuple[int, str]], profile: str, *, seed: int) -> None:
    loads = [
        load(batch, filled[batch, profile], sum(filled[batch, other] for other in _names(filled)))
        for batch in range(41)
    ]
    chosen = chosen_batch(loads, tie_seed=seed)
    assert chosen is not None
    filled[chosen, profile] += 1


def _names(filled: Counter[tuple[int, str]]) -> set[str]:
    return {profile for _, profile in filled}
