"""Small versions of benchmarks/measurement/fit_and_dif.py on the real item bank."""

from pathlib import Path

import numpy as np
import pytest

from benchmarks.measurement.fit_and_dif import STATED_DIF, World, dif_table, fit_table, world_of
from benchmarks.measurement.misfit import BEHAVIOURS, STATED_POWER
from benchmarks.measurement.top_estimators import bank_of


@pytest.fixture(scope="module")
def world(shared_data: Path) -> World:
    """The stated rates are about the public bank."""
    if not (shared_data / "gim" / "irt_params.json").is_file():
        pytest.skip("the public item-parameter file is not here")
    rng = np.random.default_rng(2026)
    return world_of(bank_of(rng)[0], rng)


def test_misfit_is_found_as_often_as_stated_and_fitting_people_in_five_percent(world: World) -> None:
    found = fit_table(world, 3, np.random.default_rng(1))

    for name in ("Q", "outfit", "correlation"):
        assert np.mean(found[name, "fitting"]) == pytest.approx(0.05, abs=0.01), name
    for name, stated in STATED_POWER.items():
        for behaviour, power in zip(BEHAVIOURS, stated, strict=True):
            assert np.mean(found[name, behaviour]) == pytest.approx(power, abs=0.2), (name, behaviour)
    assert np.mean(found["Q, 2.53, chi2", "fitting"]) > 0.95
    assert np.mean(found["Q, own s1, chi2", "fitting"]) == pytest.approx(0.02, abs=0.02)


def test_the_spread_of_dif_and_a_shifted_category_are_recovered(world: World) -> None:
    table = dif_table(world, 4, np.random.default_rng(2))

    tolerance = {"items flagged": 0.03, "correlation": 0.06, "DIF SD": 0.35, "QR found": 0.3}
    for truth, stated in STATED_DIF.items():
        for name, value in stated.items():
            assert np.mean(table[truth][name]) == pytest.approx(value, abs=tolerance[name]), (truth, name)
    for truth in ("none", "DIF SD 1", "DIF SD 2"):
        assert np.mean(table[truth]["covers"]) >= 0.75, truth
    assert np.mean(table["none"]["false alarms"]) <= 0.15
