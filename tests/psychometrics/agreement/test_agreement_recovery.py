"""What simulated judges were given is found again."""

import math

import numpy as np
import pytest

from psychometrics.agreement.pairs import agreement_from_seed
from psychometrics.inference.clusters import Array, Codes

TRUTH, NOISE, LENIENCE = 0.08, 0.04, 0.03  # standard deviations and offset, far from the ends of the scale


def normal_judges(rng: np.random.Generator, n: int, *, stretch: float = 1.0) -> tuple[Array, Array]:
    """Two judges who see the same truth with their own noise; the second is stricter."""
    truth = rng.normal(0, TRUTH, n)
    x = 0.5 + truth + rng.normal(0, NOISE, n)
    y = 0.5 - LENIENCE + stretch * truth + rng.normal(0, NOISE, n)
    return x.clip(0, 1), y.clip(0, 1)


def test_correlation_concordance_and_limits_of_normal_judges_are_recovered() -> None:
    x, y = normal_judges(np.random.default_rng(1), 20_000)
    shared, total = TRUTH**2, TRUTH**2 + NOISE**2

    found = agreement_from_seed(x, y, np.arange(20_000) // 10, seed=1, resamples=200)

    assert found.pearson.value == pytest.approx(shared / total, abs=0.01)
    assert found.spearman.value == pytest.approx(6 / math.pi * math.asin(shared / total / 2), abs=0.01)
    assert found.ccc.value == pytest.approx(2 * shared / (2 * total + LENIENCE**2), abs=0.01)
    assert found.icc.value == pytest.approx(shared / (total + LENIENCE**2 / 2), abs=0.01)
    assert found.offset.value == pytest.approx(-LENIENCE, abs=0.002)
    sd = math.sqrt(2) * NOISE
    assert found.lower_limit.value == pytest.approx(-LENIENCE - 1.96 * sd, abs=0.003)
    assert found.upper_limit.value == pytest.approx(-LENIENCE + 1.96 * sd, abs=0.003)
    assert found.slope.low < 0 < found.slope.high


def test_a_judge_who_compresses_the_scale_has_a_negative_slope() -> None:
    x, y = normal_judges(np.random.default_rng(2), 20_000, stretch=0.8)
    of_x, of_y, shared = TRUTH**2 + NOISE**2, (0.8 * TRUTH) ** 2 + NOISE**2, 0.8 * TRUTH**2

    found = agreement_from_seed(x, y, np.arange(20_000), seed=1, resamples=100)

    assert found.slope.value == pytest.approx((of_y - of_x) / 2 / ((of_x + of_y + 2 * shared) / 4), abs=0.01)
    assert found.slope.high < 0


def flipping_judges(rng: np.random.Generator, responses: int) -> tuple[Array, Array, Codes]:
    """Six criteria a response, 70 % met; where the second judge flips one it tends to flip the next, too."""
    flip_rate = rng.beta(1, 9, responses)  # mean .1, different from response to response
    response = np.repeat(np.arange(responses), 6)
    x = (rng.random(6 * responses) < 0.7).astype(np.float64)
    flipped = rng.random(6 * responses) < flip_rate[response]
    return x, np.where(flipped, 1 - x, x).astype(np.float64), response


def test_kappa_and_its_companions_are_recovered() -> None:
    x, y, response = flipping_judges(np.random.default_rng(3), 5_000)
    p, q = 0.7, 0.7 * 0.9 + 0.3 * 0.1
    by_chance, met = p * q + (1 - p) * (1 - q), (p + q) / 2

    found = agreement_from_seed(x, y, response, seed=1, resamples=100)

    assert found.same_side.estimate.value == pytest.approx(0.9, abs=0.01)
    assert found.kappa.value == pytest.approx((0.9 - by_chance) / (1 - by_chance), abs=0.02)
    assert found.pabak.value == pytest.approx(0.8, abs=0.02)
    by_gwet = 2 * met * (1 - met)
    assert found.ac1.value == pytest.approx((0.9 - by_gwet) / (1 - by_gwet), abs=0.02)
    assert found.alpha_nominal.value == pytest.approx(1 - 0.1 / by_gwet, abs=0.02)


def test_the_bootstrap_by_response_covers_the_truth_as_often_as_it_says() -> None:
    rng = np.random.default_rng(4)
    covered = 0
    for seed in range(120):
        x, y, response = flipping_judges(rng, 80)
        share = agreement_from_seed(x, y, response, seed=seed, resamples=100).same_side.estimate
        covered += share.low <= 0.9 <= share.high  # .9 by construction

    assert 0.88 <= covered / 120 <= 0.99


def test_resampling_rows_would_be_too_narrow_where_the_criteria_of_a_response_go_together() -> None:
    # Flips within a response are beta-binomial: 1 + (6 - 1) / (1 + 9 + 1) times the binomial variance.
    x, y, response = flipping_judges(np.random.default_rng(5), 3_000)

    by_response = agreement_from_seed(x, y, response, seed=1, resamples=500).same_side.estimate
    by_row = agreement_from_seed(x, y, np.arange(18_000), seed=1, resamples=500).same_side.estimate

    assert by_response.se / by_row.se == pytest.approx(math.sqrt(1 + 5 / 11), rel=0.12)
