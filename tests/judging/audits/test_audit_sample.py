"""Audit samples: strata, shares and draws, by hand and by property."""

import random
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from psychometrics.agreement.audit_sample import (
    MIN_PER_STRATUM,
    Band,
    JudgedVerdict,
    SizeRefused,
    Standing,
    StratumKind,
    allocated,
    draw_sample,
    stratum_of,
)

AGREED = StratumKind(Band.FULL, Standing.AGREE)
DIFFERING = StratumKind(Band.FULL, Standing.DIFFER)
RARE = StratumKind(Band.LOW, Standing.NEAR)
SCORES = st.sampled_from([0.0, 0.2, 0.495, 0.5, 0.7, 0.999, 1.0])


def rng(seed: int = 1) -> np.random.Generator:
    return np.random.default_rng(seed)


@pytest.mark.parametrize(
    ("score", "others", "confidence", "name"),
    [
        (0.0, (), 1.0, "none/sure"),
        (0.0, (), 0.94, "none/unsure"),
        (0.0, (0.005,), 0.1, "none/agree"),
        (0.0, (0.01,), 1.0, "none/near"),
        (0.49, (0.495, 0.5), 1.0, "low/differ"),
        (0.5, (0.5, 0.9), 1.0, "high/near"),
        (0.999, (1.0,), 1.0, "high/agree"),
        (1.0, (1.0, 1.0), 0.2, "full/agree"),
        (1.0, (0.0,), 1.0, "full/differ"),
        (0.1 + 0.2 + 0.2, (0.5,), 1.0, "high/agree"),
        (1.0, (), 0.95, "full/sure"),
    ],
)
def test_a_verdict_belongs_to_one_stratum(
    score: float, others: tuple[float, ...], confidence: float, name: str
) -> None:
    assert str(stratum_of(JudgedVerdict(1, score, confidence, others))) == name


def test_disagreement_is_drawn_more_often_than_it_occurs() -> None:
    """By hand, after 5 of each: the next goes to where leaning x N / (2 n + 1) is largest."""
    assert allocated({AGREED: 80, DIFFERING: 20}, 20) == {AGREED: 10, DIFFERING: 10}
    assert allocated({AGREED: 90, DIFFERING: 10}, 20) == {AGREED: 14, DIFFERING: 6}


def test_a_small_stratum_is_drawn_whole_and_the_others_take_what_it_leaves() -> None:
    assert allocated({AGREED: 1000, RARE: 2, DIFFERING: 1}, 30) == {AGREED: 27, RARE: 2, DIFFERING: 1}
    assert allocated({AGREED: 3, RARE: 2, DIFFERING: 1}, 6) == {AGREED: 3, RARE: 2, DIFFERING: 1}
    assert allocated({AGREED: 1000, RARE: 2, DIFFERING: 1}, 3) == {AGREED: 1, RARE: 1, DIFFERING: 1}


@pytest.mark.parametrize("size", [-1, 0, 2, 7])
def test_a_size_that_cannot_be_drawn_is_refused_with_what_can(size: int) -> None:
    with pytest.raises(SizeRefused, match="between 3 and 6") as refused:
        allocated({AGREED: 3, RARE: 2, DIFFERING: 1}, size)
    assert (refused.value.least, refused.value.most) == (3, 6)


def test_nothing_can_be_drawn_from_nothing() -> None:
    with pytest.raises(SizeRefused) as refused:
        draw_sample([], size=1, rng=rng())
    assert refused.value.most == 0


@st.composite
def populations(draw: st.DrawFn) -> list[JudgedVerdict]:
    facts = st.tuples(SCORES, SCORES, st.lists(SCORES, max_size=2))
    found = draw(st.lists(facts, min_size=1, max_size=60))
    return [
        JudgedVerdict(key, score, confidence, tuple(others))
        for key, (score, confidence, others) in enumerate(found)
    ]


@settings(max_examples=150, deadline=None)
@given(population=populations(), share=st.floats(0, 1), seed=st.integers(0, 2**63 - 1))
def test_every_stratum_is_represented_and_the_numbers_add_up(
    population: list[JudgedVerdict], share: float, seed: int
) -> None:
    there = Counter(str(stratum_of(verdict)) for verdict in population)
    size = len(there) + round(share * (len(population) - len(there)))
    draw = draw_sample(population, size=size, rng=rng(seed))
    assert {one.name: one.verdicts for one in draw.strata} == there
    assert Counter(name for _key, name in draw.drawn) == {one.name: one.drawn for one in draw.strata}
    assert len({key for key, _name in draw.drawn}) == size == len(draw.drawn)
    by_key = {verdict.key: str(stratum_of(verdict)) for verdict in population}
    assert all(by_key[key] == name for key, name in draw.drawn)
    few = min(MIN_PER_STRATUM, size // len(there))
    assert all(min(few, one.verdicts) <= one.drawn <= one.verdicts for one in draw.strata)


@settings(max_examples=50, deadline=None)
@given(population=populations(), seed=st.integers(0, 1000), order=st.randoms())
def test_the_same_seed_draws_the_same_in_whatever_order_the_rows_come(
    population: list[JudgedVerdict], seed: int, order: random.Random
) -> None:
    size = max(len(population) // 2, len({stratum_of(verdict) for verdict in population}))
    first = draw_sample(population, size=size, rng=rng(seed))
    mixed = list(population)
    order.shuffle(mixed)
    assert draw_sample(mixed, size=size, rng=rng(seed)) == first


def test_seeds_draw_differently_and_the_order_says_nothing_of_the_stratum() -> None:
    population = [JudgedVerdict(key, float(key % 2), 1.0) for key in range(400)]
    draws = [draw_sample(population, size=40, rng=rng(seed)) for seed in range(20)]
    assert len({draw.drawn for draw in draws}) == 20
    firsts = Counter(draw.drawn[0][1] for draw in draws)
    assert set(firsts) == {"none/sure", "full/sure"}


def test_every_verdict_of_a_stratum_is_drawn_with_the_probability_that_is_kept() -> None:
    population = [JudgedVerdict(key, 1.0, 1.0) for key in range(20)]
    hits: Counter[int] = Counter()
    for seed in range(2000):
        hits.update(key for key, _name in draw_sample(population, size=5, rng=rng(seed)).drawn)
    (stratum,) = draw_sample(population, size=5, rng=rng()).strata
    assert stratum.probability == 0.25
    # Binomial(2000, 1/4): sd 19.4; five of them either way.
    assert all(abs(hits[key] - 500) < 97 for key in range(20))
