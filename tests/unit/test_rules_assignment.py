from collections import Counter

from hypothesis import given, strategies as st

from batches.rules.assignment import BatchLoad, choose_batch


def test_the_batch_with_the_fewest_sessions_in_the_profile_wins() -> None:
    loads = [BatchLoad(1, in_profile=1, total=1), BatchLoad(2, in_profile=0, total=4)]
    assert choose_batch(loads, replicates=2, tie_seed=0) == 2


def test_the_total_decides_between_batches_equal_in_the_profile() -> None:
    loads = [BatchLoad(1, in_profile=1, total=5), BatchLoad(2, in_profile=1, total=3)]
    assert choose_batch(loads, replicates=2, tie_seed=0) == 2


def test_a_batch_full_for_the_profile_is_never_chosen() -> None:
    loads = [BatchLoad(1, in_profile=2, total=2), BatchLoad(2, in_profile=1, total=6)]
    assert choose_batch(loads, replicates=2, tie_seed=0) == 2


def test_there_is_no_batch_when_all_are_full_for_the_profile() -> None:
    loads = [BatchLoad(1, in_profile=2, total=2), BatchLoad(2, in_profile=3, total=3)]
    assert choose_batch(loads, replicates=2, tie_seed=0) is None


def test_there_is_no_batch_in_a_study_without_batches() -> None:
    assert choose_batch([], replicates=2, tie_seed=0) is None


def test_the_same_seed_gives_the_same_batch_in_any_order_of_loads() -> None:
    loads = [BatchLoad(number, in_profile=0, total=0) for number in range(41)]
    assert choose_batch(loads, replicates=2, tie_seed=7) == choose_batch(
        loads[::-1], replicates=2, tie_seed=7
    )


def test_ties_do_not_favour_the_first_batches() -> None:
    loads = [BatchLoad(number, in_profile=0, total=0) for number in range(10)]
    chosen = Counter(choose_batch(loads, replicates=2, tie_seed=seed) for seed in range(1_000))
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
        BatchLoad(batch, filled[batch, profile], sum(filled[batch, other] for other in _names(filled)))
        for batch in range(41)
    ]
    chosen = choose_batch(loads, replicates=2, tie_seed=seed)
    assert chosen is not None
    filled[chosen, profile] += 1


def _names(filled: Counter[tuple[int, str]]) -> set[str]:
    return {profile for _, profile in filled}
