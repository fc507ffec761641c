import math

import numpy as np
import pytest

from psychometrics.agreement.krippendorff import (
    PanelAgreement,
    alpha_interval,
    alpha_nominal,
    panel_agreement_from_seed,
)
from psychometrics.agreement.paired import ScoresRefused
from psychometrics.agreement.pairs import agreement_from_seed
from psychometrics.inference.estimates import Reason

NAN = math.nan

# Krippendorff (2011), section C: four observers, twelve units, five values.
OBSERVERS = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, NAN, NAN, NAN],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, NAN, 3],
    [NAN, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, NAN],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, NAN],
]
PUBLISHED = np.array(OBSERVERS).T


def panel(scores: list[list[float]], *, resamples: int = 0) -> PanelAgreement:
    return panel_agreement_from_seed(scores, range(len(scores)), seed=1, resamples=resamples)


def test_four_observers_and_twelve_units_have_the_published_alphas() -> None:
    assert round(alpha_nominal(PUBLISHED), 3) == 0.743
    assert round(alpha_interval(PUBLISHED), 3) == 0.849


def test_alpha_of_scores_does_not_depend_on_their_unit() -> None:
    found = panel((PUBLISHED / 5).tolist())

    assert round(found.interval.value, 3) == 0.849


def test_a_unit_with_one_score_takes_no_part_and_is_counted() -> None:
    found = panel([[0.1, 0.2, NAN], [0.5, NAN, 0.4], [0.9, 1.0, 0.8], [NAN, 0.7, NAN], [NAN, NAN, NAN]])

    assert (found.judges, found.units, found.scores, found.single, found.empty) == (3, 3, 7, 1, 1)
    assert found.missing == (2, 2, 3)
    assert found.clusters == 3
    assert found.interval.value == panel([[0.1, 0.2, NAN], [0.5, NAN, 0.4], [0.9, 1.0, 0.8]]).interval.value


def test_two_judges_of_a_panel_have_the_alphas_of_their_agreement() -> None:
    scores = np.random.default_rng(4).random((30, 2)).round(1)

    of_panel = panel_agreement_from_seed(scores, np.arange(30) // 3, seed=5, resamples=100)
    of_two = agreement_from_seed(scores[:, 0], scores[:, 1], np.arange(30) // 3, seed=5, resamples=100)

    for one, other in (
        (of_panel.interval, of_two.alpha_interval),
        (of_panel.nominal, of_two.alpha_nominal),
    ):
        assert (one.value, one.se, one.low, one.high) == pytest.approx(
            (other.value, other.se, other.low, other.high), abs=1e-12
        )


def test_judges_who_score_at_random_have_an_alpha_near_zero() -> None:
    found = panel(np.random.default_rng(6).random((2_000, 4)).tolist(), resamples=100)

    assert abs(found.interval.value) < 0.04
    assert abs(found.nominal.value) < 0.04
    assert found.interval.low < 0 < found.interval.high


def test_noise_of_half_the_variance_has_an_alpha_near_a_half() -> None:
    # var(truth) = var(noise) = .01: alpha tends to .01 / .02
    rng = np.random.default_rng(7)
    scores = 0.5 + rng.normal(0, 0.1, (2_000, 1)) + rng.normal(0, 0.1, (2_000, 3))

    found = panel(scores.clip(0, 1).tolist(), resamples=200)

    assert found.interval.value == pytest.approx(0.5, abs=0.03)
    assert found.interval.low < 0.5 < found.interval.high


def test_the_seed_is_kept_and_repeats_the_bootstrap() -> None:
    scores = np.random.default_rng(1).random((20, 3))

    first, other = (panel_agreement_from_seed(scores, range(20), seed=n, resamples=50) for n in (2, 3))
    again = panel_agreement_from_seed(scores, range(20), seed=first.seed, resamples=50)

    assert again == first
    assert other.interval.low != first.interval.low


@pytest.mark.parametrize(
    ("scores", "reason", "nominal_reason"),
    [
        ([[NAN, NAN], [0.5, NAN]], Reason.NO_PAIRS, Reason.NO_PAIRS),
        ([[0.1, 0.9], [0.2, 0.8]], Reason.TOO_FEW_PAIRS, Reason.TOO_FEW_PAIRS),
        ([[0.3, 0.3]] * 5, Reason.NO_VARIATION, Reason.NO_VARIATION),
        ([[0.6, 0.8], [0.7, 0.7], [0.9, 1.0], [1.0, 0.8]], None, Reason.NO_VARIATION),
    ],
)
def test_where_alpha_means_nothing_it_is_nan_with_the_reason(
    scores: list[list[float]], reason: Reason | None, nominal_reason: Reason
) -> None:
    found = panel(scores, resamples=50)

    assert math.isnan(found.interval.value) == (reason is not None)
    assert found.interval.reason is reason
    assert math.isnan(found.nominal.value)
    assert found.nominal.reason is nominal_reason


def test_one_cluster_and_full_agreement_have_an_alpha_and_no_interval() -> None:
    scores = [[0.0, 0.1], [1.0, 0.9], [0.4, 0.3]]
    one = panel_agreement_from_seed(scores, [1, 1, 1], seed=1, resamples=50)
    full = panel([[value, value] for value in np.linspace(0, 1, 20)], resamples=50)

    assert one.interval.value > 0.9
    assert one.interval.reason is Reason.ONE_CLUSTER
    assert math.isnan(one.interval.low)
    assert full.interval.value == full.nominal.value == 1
    assert full.interval.reason is Reason.NO_SPREAD


def test_nothing_to_pair_and_nothing_that_varies_give_nan() -> None:
    for values in ([[NAN, 1.0]], [[2.0, 2.0], [2.0, NAN], [2.0, 2.0]], np.empty((0, 3)), np.empty((4, 0))):
        assert math.isnan(alpha_interval(values))
        assert math.isnan(alpha_nominal(values))


def test_what_is_no_matrix_of_scores_is_refused() -> None:
    with pytest.raises(ScoresRefused, match=r"expected \(units, judges\)"):
        panel_agreement_from_seed([0.5, 0.5], [1, 2], seed=1, resamples=0)
    with pytest.raises(ScoresRefused, match="a score is 2"):
        panel_agreement_from_seed([[0.5, 2.0]], [1], seed=1, resamples=0)
    with pytest.raises(ScoresRefused, match="one per unit"):
        panel_agreement_from_seed([[0.5, 1.0]], [1, 2], seed=1, resamples=0)


def test_a_panels_scores_that_differ_only_in_the_ninth_decimal_are_still_told_apart() -> None:
    steps = np.array([[0, 1], [2, 2], [4, 5]])

    assert alpha_interval(0.7 + steps * 1e-9) == pytest.approx(alpha_interval(steps), abs=1e-6)
