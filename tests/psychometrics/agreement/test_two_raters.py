"""Kappa of two raters in plain Python is that of the arrays, to the last digit."""

import math

import numpy as np
import pytest

from psychometrics.agreement.coefficients import kappa
from psychometrics.agreement.paired import columns, pair_scores, sums_of
from psychometrics.agreement.two_raters import kappa_of


def by_arrays(x: np.ndarray, y: np.ndarray) -> float:
    pairs = pair_scores(x, y, np.arange(len(x)))
    return float(kappa(sums_of(columns(pairs).sum(axis=0, keepdims=True), pairs))[0]) if pairs.n else math.nan


@pytest.mark.parametrize("n", [0, 1, 2, 3, 4, 7, 20, 200])
def test_it_is_the_same_number(n: int) -> None:
    rng = np.random.default_rng(n)
    grid = np.array([0, 0.1 + 0.2, 0.3, 0.5 - 1e-10, 0.5, 0.75, 1, np.nan])
    for _ in range(100):
        x, y = rng.choice(grid, n), rng.choice(grid, n)
        found, expected = kappa_of(x, y), by_arrays(x, y)
        assert found == expected or (math.isnan(found) and math.isnan(expected)), (x, y)


def test_where_both_put_everything_on_one_side_there_is_none() -> None:
    assert math.isnan(kappa_of([1, 1, 1], [1, 0.5, 1]))
    assert kappa_of([1, 1, 0, 0], [1, 0, 0, 0]) == 0.5
