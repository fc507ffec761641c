"""Percentile intervals of resampled values, and where there is none."""

import numpy as np
import pytest

from psychometrics.inference.estimates import Reason
from psychometrics.inference.resampling import bootstrap_estimate

DRAWS = np.linspace(3.6, 4.9, 200)


def test_the_interval_is_that_of_the_percentiles() -> None:
    found = bootstrap_estimate(4.0, DRAWS, clusters=5)

    assert (found.low, found.high) == pytest.approx(tuple(np.quantile(DRAWS, [0.025, 0.975])))
    assert found.se == pytest.approx(DRAWS.std(ddof=1))
    assert found.reason is None


@pytest.mark.parametrize("value", [3.59, 5.0])
def test_percentiles_that_miss_the_value_are_no_interval_of_it(value: float) -> None:
    found = bootstrap_estimate(value, DRAWS, clusters=5)

    assert (found.value, found.reason) == (value, Reason.ONE_SIDED)
    assert np.isnan([found.se, found.low, found.high]).all()


def test_a_value_at_the_end_of_its_interval_is_not_missed_by_rounding() -> None:
    draws = np.array([0.3] * 195 + [0.5] * 5)

    assert bootstrap_estimate(0.1 + 0.2, draws, clusters=5).reason is None
    assert bootstrap_estimate(0.3 - 1e-16, draws, clusters=5).reason is None


@pytest.mark.parametrize("centre", [0.0, 70.0])
def test_draws_that_differ_by_rounding_have_no_spread(centre: float) -> None:
    draws = centre + np.resize([0.0, -2.2e-16, -4.4e-16], 200)

    assert bootstrap_estimate(centre, draws, clusters=5).reason == Reason.NO_SPREAD
