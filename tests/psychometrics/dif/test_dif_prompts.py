"""DIF: hand-computed spreads and contrasts, Holm's correction, and designs that allow no error."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, strategies as st

from psychometrics.data.cohort import Pairs
from psychometrics.dif.groups import mean_shift, profile_shift, scale_invariance
from psychometrics.dif.heterogeneity import heterogeneity
from psychometrics.dif.prompts import item_dif, residuals_of
from psychometrics.fit.reference import Reference, reference_of
from psychometrics.inference.estimates import Reason
from psychometrics.inference.holm import holm
from psychometrics.irt.bank import ItemBank
from psychometrics.irt.responses import ResponseProcess, RubricResponses
from psychometrics.irt.transform import Transform

TRANSFORM = Transform(scale=0.998, offset=0.001)


def pairs_with(person: list[int], prompt: list[int], batch: list[int]) -> Pairs:
    n = len(person)
    who, which, where = (np.array(own, dtype=np.int64) for own in (person, prompt, batch))
    return Pairs(who, which, where, p=np.full(n, 0.5), a=np.ones(n), b=np.zeros(n), y=np.zeros(n))


def test_the_spread_of_true_effects_is_that_of_dersimonian_and_laird() -> None:
    # w = 1: Q = 2 (2^2) = 8 around the mean 2; s^2 = (8 - 2) / (3 - 3 / 3) = 3
    found = heterogeneity(np.array([0.0, 2.0, 4.0]), np.ones(3))

    assert found.variance == pytest.approx(3, abs=1e-12)
    assert found.mean == pytest.approx(2, abs=1e-12)
    assert found.shrunken(np.array([4.0]), np.ones(1))[0] == pytest.approx([2 + 0.75 * 2])
    assert found.sd.low < found.sd.value < found.sd.high


def test_effects_that_differ_as_their_errors_make_them_have_an_interval_from_zero() -> None:
    sd = heterogeneity(np.array([-1.0, -0.5, 0.0, 0.5, 1.0]), np.ones(5)).sd

    assert (sd.value, sd.low, sd.reason) == (0, 0, None)
    assert sd.high > 0


def test_equal_effects_have_no_spread_and_no_interval_of_width_zero() -> None:
    found = heterogeneity(np.full(6, 0.4), np.full(6, 0.2))

    assert (found.sd.value, found.sd.reason) == (0, Reason.CHANCE_ONLY)
    assert math.isnan(found.sd.low)
    assert math.isnan(found.sd.high)
    assert found.shrunken(np.full(6, 0.4), np.full(6, 0.2))[0] == pytest.approx(np.full(6, 0.4))


def test_two_effects_are_too_few_for_a_spread() -> None:
    found = heterogeneity(np.array([0.0, 9.0]), np.ones(2))

    assert found.sd.reason == Reason.TOO_FEW_PROMPTS
    assert math.isnan(found.sd.value)


def test_the_interval_of_the_spread_covers_as_often_as_it_says() -> None:
    rng = np.random.default_rng(1)
    covered = 0
    for _ in range(300):
        v = rng.uniform(0.5, 4, 60)
        sd = heterogeneity(rng.normal(0, np.sqrt(1.0 + v)), v).sd
        covered += sd.low <= 1.0 <= sd.high
    assert covered / 300 == pytest.approx(0.95, abs=0.04)


def test_holm_multiplies_the_smallest_by_all_and_never_falls() -> None:
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    found = holm([0.5, math.nan, 0.9])
    assert found[[0, 2]] == pytest.approx([1, 1])
    assert math.isnan(found[1])
    assert holm([]).shape == (0,)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8, unique=True))
def test_holm_keeps_the_order_of_its_p_values_wherever_they_stand(p: list[float]) -> None:
    adjusted = holm(p)
    assert (adjusted >= np.array(p) - 1e-15).all()
    assert (adjusted <= 1).all()
    assert holm(p[::-1])[::-1] == pytest.approx(adjusted)


def test_a_shift_is_the_mean_residual_with_its_batches_as_clusters() -> None:
    # Four batches of three prompts; batch means of r are 1, 2, 3, 4: mean 2.5, SE^2 = 4/3 * 5 / 16
    batch = np.repeat([0, 1, 2, 3], 3).tolist()
    pairs = pairs_with(list(range(12)), list(range(12)), batch)
    r = np.repeat([1.0, 2, 3, 4], 3)

    found = mean_shift(r, pairs, np.ones(12, dtype=bool), nested=True)

    assert found.estimate.value == pytest.approx(2.5)
    assert found.estimate.se == pytest.approx(math.sqrt(4 / 3 * 5 / 16))
    assert (found.n, found.clusters) == (12, 4)


def test_crossed_prompts_are_clustered_both_ways() -> None:
    # Four people and three prompts, all crossed; r = effect of the prompt: people all have the same mean.
    person, prompt = np.repeat(np.arange(4), 3), np.tile(np.arange(3), 4)
    pairs = pairs_with(person.tolist(), prompt.tolist(), person.tolist())
    r = np.array([-1.0, 0, 1])[prompt] + 0.01 * np.array([1, -1, 2, -2])[person]

    found = mean_shift(r, pairs, np.ones(12, dtype=bool), nested=False)

    by_prompt = math.sqrt(3 / 2 * 2 / 9)
    assert found.estimate.se == pytest.approx(by_prompt, rel=1e-3)
    assert found.clusters == 3


def test_a_profile_is_compared_within_itself_so_that_its_ability_plays_no_part() -> None:
    rng = np.random.default_rng(2)
    focal, part = rng.random(400) < 0.5, rng.random(400) < 0.5
    pairs = pairs_with(list(range(400)), list(range(400)), list(range(400)))
    abler = np.where(focal, 3.0, 0.0)

    none = profile_shift(abler, pairs, focal, part, nested=True)
    shifted = profile_shift(abler + (focal & part), pairs, focal, part, nested=True)

    assert none.estimate.value == pytest.approx(0, abs=1e-12)
    assert shifted.estimate.value == pytest.approx(1, abs=1e-12)


def test_a_few_pairs_or_a_single_batch_have_a_reason_instead_of_an_error() -> None:
    pairs = pairs_with(list(range(12)), list(range(12)), [0] * 12)
    r = np.arange(12.0)

    few = mean_shift(r, pairs, np.arange(12) < 5, nested=True)
    one = mean_shift(r, pairs, np.ones(12, dtype=bool), nested=True)

    assert few.estimate.reason == Reason.TOO_FEW_PAIRS
    assert one.estimate.value == pytest.approx(5.5)
    assert one.estimate.reason == Reason.ONE_CLUSTER
    assert math.isnan(one.p)


def test_a_compressed_axis_shows_as_a_slope_below_the_expected_one() -> None:
    rng = np.random.default_rng(3)
    n = 600
    a, b = rng.uniform(0.5, 2, n), rng.normal(0, 2, n)
    expected = a * (0.3 - b)
    y = 0.3 * a - 0.8 * a * b + rng.normal(0, 1, n)
    batch = np.arange(n) // 20
    pairs = Pairs(np.arange(n), np.arange(n), batch, np.full(n, 0.5), a, b, y)

    found = scale_invariance(y - expected, expected, pairs, nested=True)

    assert found.expected == pytest.approx(1, abs=1e-9)
    assert found.observed == pytest.approx(0.8, abs=0.05)
    assert found.excess.estimate.value == pytest.approx(found.observed - 1, abs=1e-9)
    assert found.excess.p < 0.001


def test_items_of_one_difficulty_allow_no_slope() -> None:
    pairs = pairs_with(list(range(12)), list(range(12)), list(range(12)))

    found = scale_invariance(np.arange(12.0), np.zeros(12), pairs, nested=True)

    assert found.excess.estimate.reason == Reason.NO_VARIATION
    assert math.isnan(found.observed)


@pytest.mark.parametrize("answers_each", [1, 4])
def test_a_line_through_two_prompts_has_no_error(answers_each: int) -> None:
    n = 2 * answers_each
    pairs = pairs_with(list(range(n)), [0, 1] * answers_each, [0, 1] * answers_each)
    pairs = replace(pairs, a=np.resize([0.7, 1.3], n), b=np.resize([-1.1, 0.9], n))

    found = scale_invariance(np.linspace(-0.3, 0.7, n), np.zeros(n), pairs, nested=True).excess

    assert not math.isnan(found.estimate.value)
    assert found.estimate.reason == Reason.TOO_FEW_PROMPTS
    assert math.isnan(found.estimate.se)
    assert math.isnan(found.p)


def test_residuals_on_a_line_leave_no_made_up_error() -> None:
    pairs = pairs_with(list(range(5)), list(range(5)), list(range(5)))
    pairs = replace(pairs, b=np.array([-1.1, -0.3, 0.2, 0.7, 1.9]))

    found = scale_invariance(0.3 - 0.1 * pairs.b, np.zeros(5), pairs, nested=True).excess

    assert found.estimate.value == pytest.approx(0.1)
    assert found.estimate.reason == Reason.NO_SPREAD


@pytest.fixture(scope="module")
def reference() -> Reference:
    bank = ItemBank(
        tuple(f"p{j}" for j in range(40)), np.ones(40), np.linspace(-2, 2, 40), ("",) * 40, TRANSFORM, 2.5
    )
    responses = RubricResponses(bank, np.full(40, 6), ResponseProcess())
    return reference_of(responses)


def answers(reference: Reference, people: int, rng: np.random.Generator) -> Pairs:
    person, prompt = np.repeat(np.arange(people), 40), np.tile(np.arange(40), people)
    y = reference.draw(rng.normal(0, 0.8, people)[person], prompt, rng)
    p = TRANSFORM.to_score(y)
    bank = reference.responses.bank
    return Pairs(person, prompt, np.zeros_like(person), p, bank.a[prompt], bank.b[prompt], y)


def test_where_nothing_is_shifted_little_spread_is_found_and_the_process_fits(reference: Reference) -> None:
    residuals = residuals_of(answers(reference, 120, np.random.default_rng(4)), reference)
    items = item_dif(residuals)

    assert items.between.sd.value < 0.3
    assert not items.between.sd.low > 0
    assert residuals.dispersion == pytest.approx(1, abs=0.05)
    assert items.flagged.mean() <= 0.15


def test_a_shifted_prompt_leads_the_list_for_review(reference: Reference) -> None:
    pairs = answers(reference, 120, np.random.default_rng(5))
    pairs.p[pairs.prompt == 20] = 0.0
    pairs.y[pairs.prompt == 20] = TRANSFORM.to_logit(np.zeros(1))[0]

    items = item_dif(residuals_of(pairs, reference))

    first = int(items.largest(10)[0])
    assert items.prompt[first] == 20
    assert items.d[first] < items.shrunken[first] < 0
    assert items.z[first] < -5


@pytest.mark.parametrize("score", [0.0, 1.0])
def test_people_who_all_score_alike_give_finite_residuals(score: float, reference: Reference) -> None:
    pairs = answers(reference, 3, np.random.default_rng(6))
    pairs.p[:], pairs.y[:] = score, TRANSFORM.to_logit(np.array([score]))[0]

    items = item_dif(residuals_of(pairs, reference))

    assert np.isfinite(items.d).all()
    assert np.isfinite(items.z).all()


def test_one_answer_alone_has_a_residual_and_no_spread(reference: Reference) -> None:
    residuals = residuals_of(
        answers(reference, 1, np.random.default_rng(7)).of(np.arange(40) == 5), reference
    )
    items = item_dif(residuals)

    assert len(residuals.r) == 1
    assert residuals.dispersion == 1
    assert items.between.sd.reason == Reason.TOO_FEW_PROMPTS


def test_where_nobody_has_two_answers_no_prompt_is_tested(reference: Reference) -> None:
    everything = answers(reference, 5, np.random.default_rng(8))
    items = item_dif(residuals_of(everything.of(everything.person == everything.prompt), reference))

    assert len(items.d) == 5
    assert np.isnan(items.z).all()
    assert not items.flagged.any()
    assert items.between.sd.reason == Reason.TOO_FEW_PAIRS


def test_responses_at_both_ends_of_their_scale_widen_the_interval_and_not_the_spread() -> None:
    rng, v = np.random.default_rng(9), np.ones(300)
    covered = 0
    for _ in range(200):
        extreme = rng.choice([-1.0, 0, 1], size=300, p=[0.05, 0.9, 0.05]) / 0.1**0.5  # kurtosis 10
        sd = heterogeneity(rng.normal(0, 0.5, 300) + extreme, v).sd
        covered += sd.low <= 0.5 <= sd.high
    assert covered / 200 >= 0.92
