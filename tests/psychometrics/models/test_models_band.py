"""A published theta as single responses would give it: modelled."""

from pathlib import Path

import numpy as np
import pytest

from formats.item_parameters import read_item_parameters
from psychometrics.irt.bank import ItemBank, item_bank_from
from psychometrics.irt.responses import dgp_r_table
from psychometrics.irt.transform import Transform
from psychometrics.models.band import VARIANTS, single_response_bands


@pytest.fixture
def bank() -> ItemBank:
    rng = np.random.default_rng(1)
    a, b = np.exp(0.5 * rng.standard_normal(300)), 1.5 * rng.standard_normal(300)
    return ItemBank(tuple(map(str, range(300))), a, b, ("",) * 300, Transform(0.998, 0.001), 2.5)


def test_the_published_bank_gives_the_published_spread(shared_data: Path) -> None:
    real = item_bank_from(read_item_parameters(shared_data / "gim" / "irt_params.json"))
    thetas = np.array([-1.0, 0.11, 1.0, 2.04])
    bands = single_response_bands(thetas, 5, real, np.random.default_rng(1))
    documented = [(-1.24, -1.15), (0.21, 0.29), (1.26, 1.38), (2.31, 2.47)]
    for band, (low, high) in zip(bands, documented, strict=True):
        assert band.low < band.central < band.high
        assert (band.low, band.high) == pytest.approx((low, high), abs=0.08)
    assert 2.31 <= bands[3].low < bands[3].high <= 2.47


def test_a_theta_of_single_responses_stays_what_it_is(bank: ItemBank) -> None:
    one = single_response_bands(np.array([0.7]), 1, bank, np.random.default_rng(1))[0]
    assert (one.central, one.low, one.high) == pytest.approx((0.7, 0.7, 0.7), abs=1e-9)


def test_what_lies_beyond_the_simulated_range_is_unknown(bank: ItemBank) -> None:
    one = single_response_bands(np.array([40.0]), 5, bank, np.random.default_rng(1))[0]
    assert np.isnan([one.central, one.low, one.high]).all()


def test_simulated_responses_fall_on_the_modelled_value(bank: ItemBank) -> None:
    """An examinee's five-epoch theta, looked up, meets the theta of the single epochs."""
    rng = np.random.default_rng(2)
    scores = dgp_r_table(bank, rng).epoch_scores(np.full(30, 1.6), 5, rng)
    weight = bank.a @ bank.a
    five = (bank.transform.to_logit(scores.mean(axis=2)) + bank.a * bank.b) @ bank.a / weight
    single = (bank.transform.to_logit(scores).mean(axis=2) + bank.a * bank.b) @ bank.a / weight
    band = single_response_bands(np.array([five.mean()]), 5, bank, rng)[0]
    assert band.central == pytest.approx(single.mean(), abs=0.08)
    assert single.mean() - five.mean() > 0.15


def test_there_are_fourteen_different_variants() -> None:
    assert len(set(VARIANTS)) == 14
