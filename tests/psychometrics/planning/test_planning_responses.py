"""The simulator of single responses matches what is published about them."""

from pathlib import Path

import numpy as np
import pytest

from benchmarks.measurement.simulated_banks import dgp_g_scores, extended_bank
from formats.item_parameters import read_item_parameters
from psychometrics.irt.ability import abilities_of
from psychometrics.irt.bank import ItemBank, item_bank_from
from psychometrics.irt.responses import ResponseProcess, RubricResponses, dgp_r_table
from psychometrics.irt.transform import Transform


@pytest.fixture(scope="module")
def responses(shared_data: Path) -> RubricResponses:
    path = shared_data / "gim" / "irt_params.json"
    if not path.is_file():
        pytest.skip("the public item-parameter file is not here")
    rng = np.random.default_rng(5)
    return dgp_r_table(extended_bank(item_bank_from(read_item_parameters(path)), rng), rng)


def small_bank(items: int = 40) -> ItemBank:
    a, b = np.full(items, 1.0), np.linspace(-2, 2, items)
    names = tuple(f"item-{j}" for j in range(items))
    return ItemBank(names, a, b, ("",) * items, Transform(scale=0.998, offset=0.001), 2.53)


def test_five_epochs_leave_the_published_residual_and_one_response_almost_twice_as_much(
    responses: RubricResponses,
) -> None:
    rng, bank = np.random.default_rng(1), responses.bank
    scores = responses.epoch_scores(rng.normal(0, 1, 53), 5, rng)
    assert 2.5 <= residual_sd(scores.mean(axis=2), bank) <= 2.65
    assert 4.7 <= residual_sd(scores[:, :, 0], bank) <= 4.9


def residual_sd(p: np.ndarray, bank: ItemBank) -> float:
    theta = abilities_of(p, bank).theta[:, np.newaxis]
    return float((bank.transform.to_logit(p) - bank.a * (theta - bank.b)).std())


@pytest.mark.parametrize(
    ("k", "expected"),
    [
        (1, (-1.11, 0.06, 1.28, 2.09, 2.38)),
        (2, (-1.09, 0.04, 1.17, 1.98, 2.28)),
        (3, (-1.03, 0.02, 1.07, 1.88, 2.19)),
        (5, (-0.97, -0.01, 0.93, 1.74, 2.05)),
        (10, (-0.87, -0.02, 0.79, 1.57, 1.90)),
    ],
)
def test_the_mean_of_more_responses_lies_lower_at_the_top_by_what_the_design_states(
    responses: RubricResponses, k: int, expected: tuple[float, ...]
) -> None:
    found = responses.true_ability(np.array([-1, 0, 1, 2, 2.5]), k)
    assert np.abs(found - expected).max() <= 0.1  # items resampled and criteria drawn anew


def test_true_ability_is_the_mean_of_what_the_scorer_finds(responses: RubricResponses) -> None:
    rng = np.random.default_rng(2)
    found = abilities_of(responses.epoch_means(np.full(60, 1.0), 1, rng), responses.bank).theta
    truth = responses.true_ability(np.array([1.0]))[0]
    assert found.mean() == pytest.approx(truth, abs=4 * found.std() / 60**0.5)


def test_two_responses_of_a_person_to_an_item_share_the_deviation_and_those_of_two_people_do_not() -> None:
    model = dgp_r_table(small_bank(), np.random.default_rng(3), ResponseProcess(sigma_deviation=6))
    rng, n = np.random.default_rng(4), 4000
    items, person = np.repeat(np.arange(n) % 40, 2), np.repeat(np.arange(n), 2)
    same = model.scores(np.zeros(n), items, person, rng).reshape(n, 2)
    other = model.scores(np.zeros(2 * n), items, np.arange(2 * n), rng).reshape(n, 2)
    assert correlation(same) > correlation(other) + 0.3


def correlation(pairs: np.ndarray) -> float:
    centred = pairs - pairs.mean(axis=0)
    return float((centred[:, 0] * centred[:, 1]).mean() / (centred[:, 0].std() * centred[:, 1].std()))


def test_the_same_seed_gives_the_same_responses_within_zero_and_one() -> None:
    model = dgp_r_table(small_bank(), np.random.default_rng(3))
    items, person = np.arange(40), np.zeros(40, dtype=np.int64)
    first, again = (model.scores(np.zeros(1), items, person, np.random.default_rng(9)) for _ in range(2))
    assert (first == again).all()
    assert ((first >= 0) & (first <= 1)).all()


def test_abilities_far_outside_the_bank_are_answered_without_a_warning() -> None:
    model = dgp_r_table(small_bank(), np.random.default_rng(3))
    scores = model.epoch_scores(np.array([-500.0, 500.0]), 1, np.random.default_rng(1))
    assert scores[0].max() == 0
    assert scores[1].mean() > 0.98
    assert model.true_ability(np.array([-500.0]))[0] == pytest.approx(-6.907, abs=0.01)


def test_the_gaussian_process_is_model_true_and_clipped() -> None:
    bank, rng = small_bank(), np.random.default_rng(8)
    items = np.tile(np.arange(40), 500)
    y = bank.transform.to_logit(dgp_g_scores(np.zeros(len(items)), items, bank, rng))
    assert (y + bank.b[items]).mean() == pytest.approx(0, abs=0.1)
    assert np.abs(y).max() == pytest.approx(6.907, abs=0.001)


def test_an_extended_bank_keeps_the_known_items_and_no_bank_is_made_smaller() -> None:
    longer = extended_bank(small_bank(), np.random.default_rng(1), items=60)
    assert (len(longer), len(set(longer.prompt_ids))) == (60, 60)
    assert (longer.b[:40] == small_bank().b).all()
    assert len(extended_bank(small_bank(), np.random.default_rng(1), items=10)) == 40
