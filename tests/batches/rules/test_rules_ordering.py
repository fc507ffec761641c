from hashlib import sha256

import pytest
from hypothesis import given, strategies as st

from batches.rules.assignment import ordered_prompts

BATCH = list(range(101, 121))


def shuffled(seed: int, code: str) -> list[int]:
    return ordered_prompts(BATCH, order="random", order_seed=seed, participant_code=code)


def test_a_fixed_order_is_the_order_of_the_batch() -> None:
    assert ordered_prompts(BATCH, order="fixed", order_seed=3, participant_code="P-0001") == BATCH


def test_a_random_order_follows_from_seed_and_code_as_the_docstring_says() -> None:
    places = sorted(range(1, 21), key=lambda n: sha256(f"3:P-0001:{n}".encode()).hexdigest())
    assert shuffled(3, "P-0001") == [100 + place for place in places]


def test_a_known_order_never_changes() -> None:
    five = [1, 2, 3, 4, 5]
    order = ordered_prompts(five, order="random", order_seed=3, participant_code="P-0001")
    assert order == [4, 3, 1, 2, 5]


@pytest.mark.parametrize("other", [(4, "P-0001"), (3, "P-0002")])
def test_another_seed_or_person_has_another_order(other: tuple[int, str]) -> None:
    assert shuffled(*other) != shuffled(3, "P-0001")


def test_every_prompt_comes_first_for_somebody() -> None:
    assert {shuffled(3, f"P-{n:04d}")[0] for n in range(300)} == set(BATCH)


@given(st.lists(st.integers(), unique=True, max_size=30), st.integers(min_value=0), st.text(max_size=9))
def test_no_prompt_is_lost_or_repeated(prompts: list[int], seed: int, code: str) -> None:
    order = ordered_prompts(prompts, order="random", order_seed=seed, participant_code=code)
    assert sorted(order) == sorted(prompts)
