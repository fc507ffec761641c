"""Quantiles of Student's t in plain Python: scipy's, the closed forms, and refused where there is none."""

import math

import pytest

from psychometrics.inference import clusters as by_scipy
from psychometrics.planning.student_t import t_quantile

# Where scipy's own have twelve digits: it takes (1 + p) / 2, which for a p near 0 or 1 cannot say p exactly
# unless that is a sum of few powers of two.
PROBABILITIES = (
    0.01, 0.05, 0.1, 0.25, 0.333, 0.49, 0.5, 0.51, 0.6, 0.75, 0.8, 0.9, 0.95, 0.975, 0.99, 0.999,
    1 - 2**-12, 1 - 2**-20, 1 - 2**-30, 1 - 2**-45,
)  # fmt: skip
DEGREES = (*range(1, 130), *range(130, 1000, 13), *range(1000, 10_000, 179), 10_000)


@pytest.mark.parametrize("probability", PROBABILITIES)
def test_it_is_that_of_scipy_to_twelve_digits(probability: float) -> None:
    for df in DEGREES:
        assert t_quantile(probability, df) == pytest.approx(
            by_scipy.t_quantile(probability, df), rel=1e-12, abs=0
        ), df


@pytest.mark.parametrize("probability", [1e-12, 1e-6, 0.001, 0.3, 0.5, 0.8, 0.95, 0.9999, 1 - 2**-40])
def test_it_is_the_closed_form_of_one_and_two_degrees(probability: float) -> None:
    outside = 1 - probability
    one = 1 / math.tan(math.pi * outside / 2) if probability > 0.5 else math.tan(math.pi * probability / 2)
    two = probability * math.sqrt(2 / (outside * (1 + probability)))
    found = t_quantile(probability, 1), t_quantile(probability, 2)
    assert found == pytest.approx((one, two), rel=1e-13, abs=0)


@pytest.mark.parametrize(("probability", "df"), [(0.0, 3), (1.0, 3), (-0.1, 3), (math.nan, 3), (0.95, 0)])
def test_there_is_none_outside(probability: float, df: int) -> None:
    with pytest.raises(ValueError, match="no quantile of t"):
        t_quantile(probability, df)
