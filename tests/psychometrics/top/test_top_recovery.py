"""Small versions of benchmarks' top_estimators.py, top_worlds.py and k_effect.py on the real item bank."""

from pathlib import Path

import numpy as np
import pytest

from benchmarks.measurement.k_effect import ABILITIES, STATED, thetas_by_k
from benchmarks.measurement.top_estimators import STATED_BIAS_G, STATED_R, bank_of, studies
from benchmarks.measurement.top_worlds import agreeing, cells_of, nearest, stated_cells, world_number
from psychometrics.irt.responses import dgp_r_table


@pytest.fixture(autouse=True)
def real_items(shared_data: Path) -> None:
    """The stated values are about the public bank."""


@pytest.mark.parametrize(("row", "tau"), [(0, 0.0), (3, 0.8)])
def test_rubric_answers_give_every_estimator_of_top_the_stated_bias(row: int, tau: float) -> None:
    found = studies(normal=False, tau=tau, number=20, resamples=60, rng=np.random.default_rng(row))

    for name, stated in STATED_R.items():
        bias = found[f"{name} est"] - found[f"{name} true"]
        assert bias.mean() == pytest.approx(stated[row][2], abs=4 * bias.std() / 20**0.5 + 0.02), name
    assert found["crossfit5 held"].mean() >= 0.8


def test_the_null_reference_is_what_equally_able_people_reach() -> None:
    equal = studies(normal=False, tau=0.0, number=12, resamples=0, rng=np.random.default_rng(5))
    unequal = studies(normal=False, tau=1.4, number=8, resamples=0, rng=np.random.default_rng(6))

    assert equal["null"].mean() == pytest.approx(equal["paper est"].mean(), abs=0.12)
    assert unequal["null"].mean() == pytest.approx(equal["null"].mean(), abs=0.15)
    assert unequal["paper est"].mean() > equal["null"].mean() + 0.9


def test_normal_answers_give_the_published_rule_its_smaller_bias() -> None:
    found = studies(normal=True, tau=0.5, number=12, resamples=0, rng=np.random.default_rng(3))

    bias = found["paper est"] - found["paper true"]
    assert bias.mean() == pytest.approx(STATED_BIAS_G[2], abs=0.08)
    assert (found["crossfit5 est"] - found["crossfit5 true"]).mean() == pytest.approx(0, abs=0.1)
    assert (found["eb est"] - found["eb true"]).mean() == pytest.approx(0, abs=0.1)


def test_one_draw_of_the_bank_near_in_true_ability_gives_nearly_the_stated_table() -> None:
    stated, near = stated_cells(), nearest(5, 1, seed=77)[0]

    found = cells_of(world_number(near, 77), 12, np.random.default_rng(9))

    assert len(stated) == 90
    assert found.keys() == stated.keys()
    assert len(agreeing(found, stated)) >= 72
    assert "eb bias 0.8" not in agreeing(found, {**stated, "eb bias 0.8": stated["eb bias 0.8"] - 1})


def test_theta_depends_on_the_number_of_responses_averaged_and_theta_ql_does_not() -> None:
    rng = np.random.default_rng(8)
    for row in (1, 3):
        found = [thetas_by_k(ABILITIES[row], 40, dgp_r_table(bank_of(rng)[0], rng), rng) for _ in range(3)]
        wls, quasi = (np.concatenate(part).mean(axis=0) for part in zip(*found, strict=True))
        assert wls == pytest.approx(np.array(STATED[row]), abs=0.06)
        assert np.abs(quasi - quasi[3]).max() <= 0.015
