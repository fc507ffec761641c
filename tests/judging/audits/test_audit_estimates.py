"""Weighted estimates of an audit, by hand and against a population whose truth is known."""

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from psychometrics.agreement.audit import WeightedAgreement, weighted_agreement
from psychometrics.agreement.audit_sample import Draw, JudgedVerdict, Stratum, draw_sample
from psychometrics.agreement.paired import ScoresRefused
from psychometrics.inference.estimates import Reason


def rng(seed: int = 1) -> np.random.Generator:
    return np.random.default_rng(seed)


FRAME = (Stratum("full/agree", verdicts=90, drawn=3), Stratum("full/differ", verdicts=10, drawn=2))
STRATA = ["full/agree"] * 3 + ["full/differ"] * 2
NAN = float("nan")


def weighted(
    human: Sequence[float],
    judge: Sequence[float],
    strata: Sequence[str] = STRATA,
    frame: Sequence[Stratum] = FRAME,
) -> WeightedAgreement:
    return weighted_agreement(human, judge, strata, frame, seed=1, resamples=200)


def test_weights_take_the_leaning_back_by_hand() -> None:
    """Each agreed one stands for 30 verdicts, each differing one for 5; of these the judge is wrong twice."""
    found = weighted([1, 1, 0, 0, 0], [1, 1, 0, 1, 1])
    assert found.same_side.value == pytest.approx(0.9)
    assert found.near_exact.value == pytest.approx(0.9)
    assert found.offset.value == pytest.approx(0.1)
    assert found.mean_human.value == pytest.approx(0.6)
    assert found.mean_judge.value == pytest.approx(0.7)
    # po = .9, pe = .6 x .7 + .4 x .3 = .54
    assert found.kappa.value == pytest.approx((0.9 - 0.54) / (1 - 0.54))
    assert found.pabak.value == pytest.approx(0.8)
    assert found.covered == 1.0


def test_what_is_not_rated_yet_is_stood_for_by_the_rest_of_its_stratum() -> None:
    """One agreed one is not rated: the other two stand for 45 each."""
    found = weighted([1, NAN, 0, 0, 0], [1, 1, 0, 1, 1])
    assert found.pairs == 4
    assert found.mean_human.value == pytest.approx(0.45)
    assert found.same_side.value == pytest.approx(0.9)


def test_what_counts_no_more_stands_for_nobody_and_makes_its_stratum_smaller() -> None:
    """One of two differing ones has gone, with 5 of the 10 it was drawn from: 95 verdicts are left."""
    found = weighted([1, 1, 0, 0], [1, 1, 0, 1], STRATA[:4])
    assert found.offset.value == pytest.approx(5 / 95)


def test_verdicts_without_a_score_of_the_judge_are_left_out_and_nobody_speaks_for_them() -> None:
    """30 of 100 verdicts have no score of this judge; agreement is about the other 70."""
    found = weighted([1, 1, 0, 0, 0], [1, NAN, 0, 1, 1])
    assert found.pairs == 4
    assert found.same_side.value == pytest.approx(60 / 70)


def test_nothing_is_said_of_all_verdicts_while_a_stratum_of_weight_is_not_rated() -> None:
    found = weighted([1, 1, 1, NAN, NAN], [1, 1, 1, 1, 1])
    assert found.covered == pytest.approx(0.9)
    assert np.isnan(found.kappa.value)
    assert found.kappa.reason == Reason.TOO_FEW_PAIRS
    small = (FRAME[0], replace(FRAME[1], verdicts=2))
    assert weighted([1, 0, 1, NAN, NAN], [1, 0, 1, 1, 1], frame=small).same_side.value == 1.0


def test_nothing_rated_is_not_zero() -> None:
    found = weighted([NAN] * 5, [1.0] * 5)
    assert np.isnan(found.offset.value)
    assert found.offset.reason == Reason.NO_PAIRS
    assert (found.pairs, found.covered) == (0, 0.0)
    empty = weighted([], [], [])
    assert empty.pairs == 0
    assert empty.kappa.reason == Reason.NO_PAIRS


def test_kappa_has_a_reason_where_everything_is_met() -> None:
    found = weighted([1, 1, 1, 1, 1], [1, 1, 1, 1, 0.9])
    assert np.isnan(found.kappa.value)
    assert found.kappa.reason == Reason.NO_VARIATION
    assert found.same_side.value == 1.0
    assert found.same_side.reason == Reason.NO_SPREAD
    assert weighted([1, 0], [1, 0], ["full/agree"] * 2, FRAME[:1]).kappa.reason == Reason.TOO_FEW_PAIRS


def test_a_sample_of_everything_has_no_error_of_drawing() -> None:
    frame = (Stratum("full/agree", verdicts=3, drawn=3), Stratum("full/differ", verdicts=2, drawn=2))
    found = weighted([1, 1, 0, 0, 1], [1, 1, 0, 1, 1], frame=frame)
    assert found.same_side.value == pytest.approx(0.8)
    assert found.same_side.reason == Reason.NO_SPREAD


def test_the_interval_of_a_mean_is_that_of_the_textbook() -> None:
    """Stratified mean: V = sum W_h^2 (1 - f_h) s_h^2 / n_h. Its error is what the resamples scatter by."""
    draws = np.random.default_rng(7)
    sizes, drawn = (400, 60), (60, 30)
    frame = [Stratum(f"s{h}", sizes[h], drawn[h]) for h in range(2)]
    human = [draws.integers(0, 2, size=n).astype(float) for n in drawn]
    names = [f"s{h}" for h in range(2) for _ in range(drawn[h])]
    found = weighted_agreement(np.concatenate(human), np.ones(90), names, frame, seed=1, resamples=4000)
    variance = sum(
        (sizes[h] / 460) ** 2 * (1 - drawn[h] / sizes[h]) * human[h].var(ddof=1) / drawn[h] for h in range(2)
    )
    assert found.mean_human.se == pytest.approx(variance**0.5, rel=0.05)


def test_a_single_rating_for_many_verdicts_still_has_an_error() -> None:
    frame = (Stratum("full/agree", verdicts=30, drawn=3), Stratum("full/differ", verdicts=30, drawn=1))
    found = weighted([1, 1, 1, 0], [1, 1, 1, 1], STRATA[:4], frame)
    assert found.offset.value == pytest.approx(0.5)
    assert found.offset.se > 0


def test_the_same_seed_gives_the_same_interval() -> None:
    first, second = (weighted([1, 1, 0, 0, 1], [1, 0, 0, 1, 1]) for _ in range(2))
    assert first == second


def test_a_stratum_nobody_drew_from_is_refused() -> None:
    with pytest.raises(ScoresRefused, match="none/sure"):
        weighted([1], [1], ["none/sure"])


def test_weighted_estimates_recover_what_is_true_of_all_verdicts() -> None:
    """4,000 verdicts; people contradict the judge in 45 % of what judges differ on, and in 3 % of the rest.

    The mean over draws is right, the sample's own kappa far too low, and intervals of 95 % hold the truth.
    """
    first, _second, human = population()
    truth = kappa_of(human, first)
    found, naive, held = [], [], 0
    for seed, draw in enumerate(sixty_draws()):
        keys = [key for key, _name in draw.drawn]
        estimate = estimated(draw, human[keys], first[keys], seed)
        found.append(estimate.kappa.value)
        naive.append(kappa_of(human[keys], first[keys]))
        held += estimate.kappa.low <= truth <= estimate.kappa.high
    error = np.std(found, ddof=1) / 60**0.5
    assert abs(np.mean(found) - truth) < 3 * error + 0.005  # kappa is a ratio: a small bias is its own
    assert np.mean(naive) < truth - 0.1
    assert held >= 51  # of 60; 57 expected, and 51 is 3.5 sd below


def test_the_public_part_of_a_draw_tells_of_the_public_verdicts() -> None:
    """Most of what judges differ on is private; weights and intervals are those of the public part."""
    first, second, human = population()
    public = public_part(first, second)
    truth = float((first - human)[public].mean())
    found, held = [], 0
    for seed, draw in enumerate(sixty_draws()):
        drawn = [(key, name) for key, name in draw.drawn if public[key]]
        keys, names = [key for key, _ in drawn], [name for _, name in drawn]
        frame = [one.public for one in draw.strata if one.public_verdicts]
        assert sum(one.verdicts for one in frame) == public.sum()
        assert sum(one.drawn for one in frame) == len(keys)
        offset = weighted_agreement(human[keys], first[keys], names, frame, seed=seed, resamples=300).offset
        if offset.reason is None:
            found.append(offset.value)
            held += offset.low <= truth <= offset.high
    assert len(found) > 40
    assert abs(np.mean(found) - truth) < 3 * np.std(found, ddof=1) / len(found) ** 0.5
    assert held >= 0.85 * len(found)


def test_a_stratum_of_which_nothing_was_drawn_is_not_covered() -> None:
    human, judge = [1, 1, 0, 0, 0], [1, 1, 0, 1, 1]
    few, many = (Stratum("none/agree", verdicts=number, drawn=0) for number in (5, 6))
    found = weighted(human, judge, frame=(*FRAME, few))
    assert found.covered == pytest.approx(100 / 105)
    assert found.offset.value == pytest.approx(0.1)
    found = weighted(human, judge, frame=(*FRAME, many))
    assert found.covered == pytest.approx(100 / 106)
    assert math.isnan(found.offset.value)


def population() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    draws = np.random.default_rng(3)
    first = draws.choice([0.0, 0.3, 0.6, 1.0], size=4000, p=[0.3, 0.05, 0.1, 0.55])
    differs = draws.random(4000) < 0.08
    second = np.where(differs, 1 - first, first)
    contradicted = draws.random(4000) < np.where(differs, 0.45, 0.03)
    return first, second, np.where(contradicted, 1 - first, first)


def public_part(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    chance = np.random.default_rng(5).random(len(first))
    return chance < np.where(first == second, 0.6, 0.2)


@cache
def sixty_draws() -> list[Draw]:
    """Draws of 200 of these verdicts; two tests look at them."""
    first, second, _human = population()
    public = public_part(first, second)
    verdicts = [
        JudgedVerdict(key, first[key], 1.0, (second[key],), bool(public[key])) for key in range(len(first))
    ]
    return [draw_sample(verdicts, size=200, rng=rng(seed)) for seed in range(60)]


def kappa_of(human: np.ndarray, judge: np.ndarray) -> float:
    x, y = human >= 0.5, judge >= 0.5
    observed = (x == y).mean()
    by_chance = x.mean() * y.mean() + (1 - x.mean()) * (1 - y.mean())
    return float((observed - by_chance) / (1 - by_chance))


def estimated(draw: Draw, human: np.ndarray, judge: np.ndarray, seed: int) -> WeightedAgreement:
    names = [name for _key, name in draw.drawn]
    return weighted_agreement(human, judge, names, draw.strata, seed=seed, resamples=300)
