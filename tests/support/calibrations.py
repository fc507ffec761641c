"""Matrices to calibrate, and what comes of it."""

from collections.abc import Iterator
from itertools import count

import numpy as np
import pytest

from psychometrics.calibration import BankFit, FitOptions, NotCalibratable, fit_matrix
from psychometrics.calibration.fitting import PUBLISHED
from psychometrics.data.response_matrix import ResponseMatrix, response_matrix
from psychometrics.irt.transform import Array

NAN = np.nan


def scores(persons: int, items: int, *, seed: int = 1, missing: float = 0.1) -> Array:
    rng = np.random.default_rng(seed)
    a, b, theta = np.exp(rng.normal(0, 0.5, items)), rng.normal(0, 2, items), rng.standard_normal(persons)
    y = a * (theta[:, np.newaxis] - b) + 2 * rng.standard_normal((persons, items))
    p = PUBLISHED.to_score(y)
    p[rng.random(p.shape) < missing] = NAN
    return p


def matrix_of(p: Array) -> ResponseMatrix:
    persons, items = p.shape
    return response_matrix([f"m{i}" for i in range(persons)], [f"p{j}" for j in range(items)], p)


def seconds() -> Iterator[float]:
    """A clock that shows one second more at every look."""
    return (float(second) for second in count())


def fitted(p: Array, options: FitOptions | None = None) -> BankFit:
    clock = seconds()
    return fit_matrix(matrix_of(p), options=options or FitOptions(), clock=lambda: next(clock))


def refusal_of(p: Array, options: FitOptions | None = None) -> str:
    with pytest.raises(NotCalibratable) as refused:
        fitted(p, options)
    return str(refused.value)
