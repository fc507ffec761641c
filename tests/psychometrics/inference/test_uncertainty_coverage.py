"""Small versions of benchmarks' interval_coverage.py: intervals cover what they say they are for."""

import numpy as np
import pytest

from benchmarks.measurement.interval_coverage import Cell, simulate
from benchmarks.measurement.theta_10k import bank_for


# With 120 studies, whether a bound this narrow holds depends on the draw; it does on the real items.
@pytest.mark.usefixtures("shared_data")
@pytest.mark.parametrize("dgp", ["R", "G"])
def test_errors_of_other_prompts_cover_them_and_the_published_one_does_not(dgp: str) -> None:
    bank, _ = bank_for(np.random.default_rng(1))
    found = simulate(bank, Cell(dgp, 0.8, 1.5, "T2"), studies=120, seed=1)
    covered = {error: one.coverage for (theta, error), one in found.items() if theta == "theta.pool"}

    assert covered["se.analytic"] < 0.75
    for error in ("se.batch", "se.twoway", "se.mixed"):
        assert 0.89 <= covered[error] <= 1.0
    spread = float(np.std(found["theta.pool", "se.batch"].values, ddof=1))
    assert float(np.mean(found["theta.pool", "se.batch"].errors)) == pytest.approx(spread, rel=0.2)
    assert found["theta.prompt", "se.jackknife_batch"].coverage >= 0.89


def test_the_error_by_people_covers_other_people_on_the_same_prompts() -> None:
    bank, _ = bank_for(np.random.default_rng(2))
    found = simulate(bank, Cell("R", 0.8, 0.0, "T1"), studies=120, seed=2)
    assert found["theta.pool", "se.participant"].coverage >= 0.89
    assert found["theta.pool", "se.analytic"].coverage < 0.7


def test_with_crossed_prompts_the_errors_by_people_and_prompts_serve_and_the_one_by_batch_is_refused() -> (
    None
):
    bank, _ = bank_for(np.random.default_rng(3))
    found = simulate(bank, Cell("R", 0.8, 1.5, "T2", nested=False), studies=80, seed=3)
    assert found["theta.pool", "se.twoway"].coverage >= 0.88
    assert found["theta.prompt", "se.jackknife_twoway"].coverage >= 0.88
    assert np.isnan(found["theta.pool", "se.batch"].errors).all()
    assert ("theta.prompt", "se.jackknife_batch") not in found
