import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from batches.rules.assembly import (
    AssemblyRefused,
    assemble_balanced,
    assemble_random,
    balance_features,
)
from batches.rules.coverage import PromptTraits
from batches.rules.covering import coverage_report


def simulated_bank(prompts: int, *, seed: int) -> list[PromptTraits]:
    """A bank with the spread of the published one: log a ~ N(0, .59), heavy-tailed b, seven categories."""
    rng = np.random.default_rng(seed)
    a = np.exp(rng.normal(0.0, 0.59, prompts))
    b = 2.0 * rng.standard_t(3, prompts)
    categories = rng.choice(["LR", "QR", "SI", "WK", "LN", "PR", "CT"], prompts)
    modalities = rng.choice(["text", "image", "pdf"], prompts, p=[0.72, 0.18, 0.10])
    rows = zip(a, b, categories, modalities, strict=True)
    return [
        PromptTraits(f"prompt-{number:04}", float(a_j), float(b_j), str(category), str(modality))
        for number, (a_j, b_j, category, modality) in enumerate(rows)
    ]


def published_bank(item_file: Path, *, prompts: int, seed: int) -> list[PromptTraits]:
    """The public item parameters, resampled up to `prompts`; modality is drawn, the file has none."""
    items = list(json.loads(item_file.read_text())["items"].values())
    rng = np.random.default_rng(seed)
    extra = [items[index] for index in rng.choice(len(items), max(0, prompts - len(items)))]
    modalities = rng.choice(["text", "image", "pdf"], prompts, p=[591 / 820, 150 / 820, 79 / 820])
    return [
        PromptTraits(f"prompt-{number:04}", item["a"], item["b"], item["subcategory"][:2], str(modality))
        for number, (item, modality) in enumerate(zip((items + extra)[:prompts], modalities, strict=True))
    ]


def ids(traits: list[PromptTraits]) -> list[str]:
    return [prompt.prompt_id for prompt in traits]


def known(value: float | None) -> float:
    assert value is not None
    return value


def rng(seed: int = 1) -> np.random.Generator:
    return np.random.default_rng(seed)


@pytest.mark.parametrize(
    ("prompts", "sizes"),
    [(820, {20: 41}), (615, {20: 30, 15: 1}), (20, {20: 1}), (21, {20: 1, 1: 1}), (7, {7: 1}), (1, {1: 1})],
)
def test_both_ways_cut_a_bank_into_full_batches_and_one_for_the_rest(
    prompts: int, sizes: dict[int, int]
) -> None:
    bank = simulated_bank(prompts, seed=0)
    at_random = assemble_random(ids(bank), batch_size=20, rng=rng())
    balanced = assemble_balanced(bank, batch_size=20, rng=rng())
    for batches in (at_random, balanced):
        assert Counter(len(batch) for batch in batches) == sizes
        assert len(batches[-1]) == min(sizes)
        assert sorted(prompt for batch in batches for prompt in batch) == ids(bank)


def test_no_prompts_make_no_batches() -> None:
    assert assemble_random([], batch_size=20, rng=rng()) == []
    assert assemble_balanced([], batch_size=20, rng=rng()) == []


def test_the_same_seed_makes_the_same_batches_in_any_order_of_prompts() -> None:
    bank = simulated_bank(205, seed=0)
    assert assemble_balanced(bank, batch_size=20, rng=rng(5)) == assemble_balanced(
        bank[::-1], batch_size=20, rng=rng(5)
    )
    assert assemble_random(ids(bank), batch_size=20, rng=rng(5)) == assemble_random(
        ids(bank)[::-1], batch_size=20, rng=rng(5)
    )


def test_another_seed_makes_other_batches() -> None:
    bank = simulated_bank(205, seed=0)
    assert assemble_balanced(bank, batch_size=20, rng=rng(5)) != assemble_balanced(
        bank, batch_size=20, rng=rng(6)
    )
    assert assemble_random(ids(bank), batch_size=20, rng=rng(5)) != assemble_random(
        ids(bank), batch_size=20, rng=rng(6)
    )


def test_balance_removes_most_of_the_spread_of_difficulty_and_information() -> None:
    bank = simulated_bank(820, seed=0)
    at_random = coverage_report(assemble_random(ids(bank), batch_size=20, rng=rng()), bank).spread
    balanced = coverage_report(assemble_balanced(bank, batch_size=20, rng=rng()), bank).spread
    for before, after in zip(at_random.expected_raw_sd, balanced.expected_raw_sd, strict=True):
        assert known(before) > 0.05
        assert known(after) < 0.015
    assert known(at_random.information_cv) > 0.2
    assert known(balanced.information_cv) < 0.12
    assert at_random.category_sd > 1.2
    assert balanced.category_sd < 0.5
    assert at_random.modality_sd > 1.2
    assert balanced.modality_sd < 0.6


def test_balance_of_the_published_bank_meets_the_design_figures(shared_data: Path) -> None:
    bank = published_bank(shared_data / "gim" / "irt_params.json", prompts=820, seed=20)
    at_random = coverage_report(assemble_random(ids(bank), batch_size=20, rng=rng()), bank).spread
    balanced = coverage_report(assemble_balanced(bank, batch_size=20, rng=rng()), bank).spread
    assert known(at_random.expected_raw_sd[0]) > 0.05
    assert known(balanced.expected_raw_sd[0]) <= 0.015
    assert known(at_random.information_cv) > 0.2
    assert known(balanced.information_cv) <= 0.12


def test_the_published_bank_of_615_keeps_its_balance_in_the_smaller_last_batch(shared_data: Path) -> None:
    bank = published_bank(shared_data / "gim" / "irt_params.json", prompts=615, seed=20)
    report = coverage_report(assemble_balanced(bank, batch_size=20, rng=rng()), bank)
    overall = [known(batch.expected_raw[0]) for batch in report.batches]
    assert report.sizes == (20,) * 30 + (15,)
    assert overall[-1] == pytest.approx(np.mean(overall[:-1]), abs=0.02)


def test_prompts_without_parameters_are_balanced_on_category_and_modality() -> None:
    bank = [
        PromptTraits(
            f"p{number:03}", None, None, "ABCD"[number // 40], "image" if number % 4 == 0 else "text"
        )
        for number in range(160)
    ]
    batches = assemble_balanced(bank, batch_size=20, rng=rng())
    report = coverage_report(batches, bank)
    assert all(batch.categories == {"A": 5, "B": 5, "C": 5, "D": 5} for batch in report.batches)
    assert all(batch.modalities == {"image": 5, "text": 15} for batch in report.batches)


def test_prompts_without_parameters_do_not_spoil_the_balance_of_the_others() -> None:
    bank = simulated_bank(200, seed=3)
    mixed = bank + [PromptTraits(f"x{number:02}", None, None, "LR", "text") for number in range(40)]
    spread = coverage_report(assemble_balanced(mixed, batch_size=20, rng=rng()), mixed).spread
    assert known(spread.expected_raw_sd[0]) < 0.03


def test_the_order_within_a_batch_says_nothing_about_difficulty() -> None:
    bank = simulated_bank(820, seed=0)
    b_of = {prompt.prompt_id: prompt.b or 0.0 for prompt in bank}
    batches = assemble_balanced(bank, batch_size=20, rng=rng())
    hard_first = np.mean([np.corrcoef(np.arange(20), [b_of[p] for p in batch])[0, 1] for batch in batches])
    assert abs(hard_first) < 0.12


def test_without_swaps_the_start_is_already_stratified_on_expected_score() -> None:
    bank = simulated_bank(820, seed=0)
    start = coverage_report(assemble_balanced(bank, batch_size=20, rng=rng(), swaps=0), bank).spread
    assert known(start.expected_raw_sd[0]) < 0.01


def test_more_swaps_bring_the_information_of_batches_closer() -> None:
    bank = simulated_bank(400, seed=0)
    reports = [
        coverage_report(assemble_balanced(bank, batch_size=20, rng=rng(), swaps=swaps), bank)
        for swaps in (0, 50, 20_000)
    ]
    none, some, many = (known(report.spread.information_cv) for report in reports)
    assert none > some > many


def test_the_search_ends_where_no_swap_between_two_batches_helps() -> None:
    bank = simulated_bank(34, seed=4)
    batches = assemble_balanced(bank, batch_size=8, rng=rng())
    reached = between_batch_squares(batches, bank)
    swapped = (
        between_batch_squares(with_swap(batches, first, i, second, j), bank)
        for second in range(len(batches))
        for first in range(second)
        for i in range(len(batches[first]))
        for j in range(len(batches[second]))
    )
    assert min(swapped) >= reached - 1e-9


def between_batch_squares(batches: list[list[str]], bank: list[PromptTraits]) -> float:
    """Q = sum_b |S_b|^2 / n_b, straight from its definition."""
    row_of = dict(zip(ids(bank), balance_features(bank), strict=True))
    sums = [np.sum([row_of[prompt] for prompt in batch], axis=0) for batch in batches]
    return float(sum(s @ s / len(batch) for s, batch in zip(sums, batches, strict=True)))


def with_swap(batches: list[list[str]], first: int, i: int, second: int, j: int) -> list[list[str]]:
    copy = [list(batch) for batch in batches]
    copy[first][i], copy[second][j] = copy[second][j], copy[first][i]
    return copy


def test_a_batch_size_below_one_is_refused_with_the_remedy() -> None:
    with pytest.raises(AssemblyRefused, match=r"^Questions per person: 0; ask at least 1 of each\.$"):
        assemble_random(["a"], batch_size=0, rng=rng())


def test_a_prompt_named_twice_is_refused_and_named() -> None:
    with pytest.raises(
        AssemblyRefused, match=r"Prompt ids that occur more than once: 1 \(the first is 'a'\)"
    ):
        assemble_balanced([PromptTraits("a", 1.0, 0.0, "LR", "text")] * 2, batch_size=20, rng=rng())


@settings(max_examples=40, deadline=None)
@given(
    prompts=st.integers(1, 60),
    batch_size=st.integers(1, 25),
    seed=st.integers(0, 2**32),
    share_known=st.sampled_from([0.0, 0.5, 1.0]),
)
def test_every_prompt_appears_exactly_once_whatever_the_sizes(
    prompts: int, batch_size: int, seed: int, share_known: float
) -> None:
    bank = [
        prompt if index < share_known * prompts else PromptTraits(prompt.prompt_id, None, None, "LR", "text")
        for index, prompt in enumerate(simulated_bank(prompts, seed=seed % 1000))
    ]
    batches = assemble_balanced(bank, batch_size=batch_size, rng=rng(seed))
    full, rest = divmod(prompts, batch_size)
    assert [len(batch) for batch in batches] == [batch_size] * full + [rest] * (rest > 0)
    assert sorted(prompt for batch in batches for prompt in batch) == ids(bank)
