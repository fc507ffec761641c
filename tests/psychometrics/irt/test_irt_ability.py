import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from formats.item_parameters import read_item_parameters
from psychometrics.irt.ability import abilities_of, ability_of, group_ability
from psychometrics.irt.bank import ItemBank, item_bank_from
from psychometrics.irt.responses import logit_normal_scores
from psychometrics.irt.transform import Array, ScoreOutOfRange, Transform

PUBLISHED = Transform(scale=0.998, offset=0.001)
NAN = math.nan


def bank_of(a: list[float], b: list[float], *, sigma_hat: float = 2.0) -> ItemBank:
    names = tuple(f"p{number}" for number in range(len(a)))
    subcategories = tuple("QR-DA" for _ in a)
    return ItemBank(names, np.array(a), np.array(b), subcategories, PUBLISHED, sigma_hat)


def simulated_bank(items: int, *, seed: int) -> ItemBank:
    rng = np.random.default_rng(seed)
    return bank_of(np.exp(rng.normal(0, 0.59, items)).tolist(), rng.normal(0, 2, items).tolist())


def naive_theta(p: Array, bank: ItemBank) -> tuple[float, float, int]:
    """The published formula, item by item, in plain floats."""
    above = below = 0.0
    n = 0
    for score, a, b in zip(p.tolist(), bank.a.tolist(), bank.b.tolist(), strict=True):
        if not math.isnan(score):
            q = bank.transform.scale * score + bank.transform.offset
            above += a * (math.log(q / (1 - q)) + a * b)
            below += a * a
            n += 1
    return (above / below, bank.sigma_hat / math.sqrt(below), n) if n else (NAN, NAN, 0)


def test_a_hand_computed_case() -> None:
    # p = 0.5 has logit 0. Two items, a = 1 and 2, b = 1 and -2: theta = (1*1 + 2*(-4)) / (1 + 4) = -1.4,
    # SE = 2 / sqrt(5).
    bank = bank_of([1.0, 2.0], [1.0, -2.0])

    ability = ability_of(np.array([0.5, 0.5]), np.array([0, 1]), bank)

    assert ability.theta == pytest.approx(-1.4, abs=1e-12)
    assert ability.se == pytest.approx(0.894427190999916, abs=1e-12)
    assert ability.ci_low == pytest.approx(-1.4 - 1.96 * 0.894427190999916, abs=1e-12)
    assert ability.ci_high == pytest.approx(-1.4 + 1.96 * 0.894427190999916, abs=1e-12)
    assert ability.n == 2


def test_scores_of_zero_and_one_have_the_published_logits() -> None:
    assert PUBLISHED.to_logit(np.array([0.0, 0.5, 1.0])) == pytest.approx([-6.906755, 0, 6.906755], abs=1e-6)


def test_the_way_back_from_logits_returns_the_scores_and_clips_beyond_them() -> None:
    p = np.array([0.0, 0.123, 1.0])

    assert PUBLISHED.to_score(PUBLISHED.to_logit(p)) == pytest.approx(p, abs=1e-12)
    assert PUBLISHED.to_score(np.array([-1000.0, 1000.0])).tolist() == [0.0, 1.0]


@pytest.mark.parametrize(("scale", "offset"), [(1.0, 0.0), (0.998, 0.002), (-1.0, 0.5), (0.998, -0.001)])
def test_a_transform_that_lets_a_score_reach_zero_or_one_is_refused(scale: float, offset: float) -> None:
    with pytest.raises(ValueError, match="must stay strictly between 0 and 1"):
        Transform(scale=scale, offset=offset)


@settings(max_examples=50)
@given(seed=st.integers(0, 10_000), missing=st.floats(0, 1))
def test_every_estimator_equals_the_published_formula(seed: int, missing: float) -> None:
    rng = np.random.default_rng(seed)
    bank = simulated_bank(30, seed=seed)
    p = rng.random((5, 30)).round(2)
    p[rng.random(p.shape) < missing] = NAN

    found = abilities_of(p, bank)

    for row, theta, se, n in zip(p, found.theta, found.se, found.n, strict=True):
        expected = naive_theta(row, bank)
        alone = ability_of(row, np.arange(30), bank)
        assert (theta, se, n) == pytest.approx(expected, abs=1e-12, nan_ok=True)
        assert (alone.theta, alone.se, alone.n) == pytest.approx(expected, abs=1e-12, nan_ok=True)


def test_many_groups_are_scored_alike_whatever_chunk_they_fall_into() -> None:
    bank = simulated_bank(7, seed=1)
    p = np.tile(np.random.default_rng(2).random((1, 7)), (600, 1))

    found = abilities_of(p, bank)

    assert found.theta == pytest.approx(np.full(600, naive_theta(p[0], bank)[0]), abs=1e-12)
    assert found.ci_high - found.ci_low == pytest.approx(2 * 1.96 * found.se, abs=1e-12)


def test_the_estimator_recovers_simulated_abilities() -> None:
    # Logits stay within +-4 or so, where the scale is not clipped; the errors are then N(0, SE^2).
    rng = np.random.default_rng(3)
    bank = bank_of(rng.uniform(0.5, 1.5, 400).tolist(), rng.uniform(-1, 1, 400).tolist(), sigma_hat=0.5)
    theta = np.linspace(-1, 1, 100)

    found = abilities_of(logit_normal_scores(theta, bank, sigma=0.5, rng=rng), bank)

    errors = (found.theta - theta) / found.se
    assert np.abs(errors).max() < 4
    assert abs(errors.mean()) < 0.3
    assert 0.8 < errors.std() < 1.2


def test_where_nothing_is_scored_the_ability_is_nan_and_never_zero() -> None:
    bank = bank_of([1.0, 2.0], [0.0, 0.0])

    alone = ability_of(np.array([NAN]), np.array([1]), bank)
    both = abilities_of(np.array([[NAN, NAN], [0.5, NAN]]), bank)

    assert math.isnan(alone.theta)
    assert math.isnan(alone.se)
    assert alone.n == 0
    assert np.isnan(both.theta).tolist() == [True, False]
    assert np.isnan(both.ci_low).tolist() == [True, False]
    assert both.n.tolist() == [0, 1]


@pytest.mark.parametrize("score", [-0.01, 1.01, math.inf, -math.inf])
def test_a_score_outside_zero_to_one_is_refused(score: float) -> None:
    bank = bank_of([1.0], [0.0])

    with pytest.raises(ScoreOutOfRange, match="scores must be between 0 and 1"):
        abilities_of(np.array([[score]]), bank)
    with pytest.raises(ScoreOutOfRange, match=f"a score is {score}"):
        ability_of(np.array([score]), np.array([0]), bank)


def test_positions_and_shapes_that_do_not_fit_the_bank_are_refused() -> None:
    bank = bank_of([1.0, 1.0], [0.0, 0.0])

    with pytest.raises(IndexError, match="between 0 and 1"):
        ability_of(np.array([0.5]), np.array([-1]), bank)
    with pytest.raises(IndexError, match="between 0 and 1"):
        ability_of(np.array([0.5]), np.array([2]), bank)
    with pytest.raises(ValueError, match=r"expected \(groups, 2\)"):
        abilities_of(np.array([[0.5]]), bank)


def test_a_group_is_scored_by_prompt_means_and_by_pooled_pairs() -> None:
    # Prompt 0 is answered 0 and 1: its mean 0.5 has logit 0, and the two pairs have logits -L and +L.
    # By prompt: (1*(0+1) + 2*(L-4)) / 5. Pooled: (-L+1 + L+1 + 2*(L-4)) / 6.
    bank = bank_of([1.0, 2.0], [1.0, -2.0])
    logit = math.log(0.999 / 0.001)

    group = group_ability(np.array([0, 0, 1]), np.array([0.0, 1.0, 1.0]), bank)

    assert group.theta == pytest.approx((1 + 2 * (logit - 4)) / 5, abs=1e-12)
    assert group.se == pytest.approx(2 / math.sqrt(5), abs=1e-12)
    assert group.theta_pool == pytest.approx((2 + 2 * (logit - 4)) / 6, abs=1e-12)
    assert group.se_pool == pytest.approx(2 / math.sqrt(6), abs=1e-12)
    assert (group.pairs, group.prompts, group.responses_per_prompt) == (3, 2, 1.5)
    assert group.raw_mean == pytest.approx(2 / 3, abs=1e-12)
    assert group.coverage == 1.0


def test_missing_scores_and_unknown_prompts_contribute_nothing_to_a_group() -> None:
    bank = bank_of([1.0, 2.0, 1.0], [1.0, -2.0, 0.0])

    group = group_ability(np.array([0, -1, 1, 0]), np.array([0.5, 1.0, NAN, NAN]), bank)

    assert group == group_ability(np.array([0]), np.array([0.5]), bank)
    assert (group.pairs, group.prompts, group.raw_mean) == (1, 1, 0.5)
    assert group.coverage == pytest.approx(1 / 3)


def test_a_group_without_a_score_has_no_estimate() -> None:
    group = group_ability(np.array([], dtype=np.int64), np.array([]), bank_of([1.0], [0.0]))

    assert (group.pairs, group.prompts, group.coverage) == (0, 0, 0.0)
    estimates = (group.theta, group.se, group.theta_pool, group.se_pool, group.raw_mean)
    assert all(math.isnan(estimate) for estimate in estimates)
    assert math.isnan(group.responses_per_prompt)


def test_a_part_of_a_bank_keeps_its_order_and_its_scale() -> None:
    part = bank_of([1.0, 2.0, 3.0], [0.1, 0.2, 0.3]).subset(["p2", "unknown", "p0"])

    assert part.prompt_ids == ("p0", "p2")
    assert part.index == {"p0": 0, "p2": 1}
    assert part.a.tolist() == [1.0, 3.0]
    assert part.b.tolist() == [0.1, 0.3]
    assert part.transform == PUBLISHED


def test_on_the_published_bank_a_perfect_group_reaches_the_top_of_the_scale(shared_data: Path) -> None:
    path = shared_data / "gim" / "irt_params.json"
    bank = item_bank_from(read_item_parameters(path))
    items = json.loads(path.read_text())["items"].values()
    weight = sum(item["a"] ** 2 for item in items)

    found = abilities_of(np.array([np.ones(615), np.zeros(615)]), bank)

    # a (y + a b) with y = +-6.9068 throughout
    highest = sum(item["a"] * (math.log(999) + item["a"] * item["b"]) for item in items) / weight
    assert found.theta[0] == pytest.approx(highest, abs=1e-12)
    assert found.theta[0] > 3
    assert found.theta[1] < -3
    assert found.se[0] == pytest.approx(2.530444383621216 / math.sqrt(weight), abs=1e-12)
