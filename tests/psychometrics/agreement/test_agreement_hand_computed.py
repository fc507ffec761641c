"""Cases small enough to be worked out on paper, and published worked examples."""

import math

import numpy as np
import pytest

from psychometrics.agreement.paired import ScoresRefused
from psychometrics.agreement.pairs import Agreement, agreement, agreement_from_seed
from psychometrics.inference.estimates import Reason

NAN = math.nan


def agreed(
    x: list[float], y: list[float], clusters: list[str] | None = None, *, resamples: int = 0
) -> Agreement:
    labels = clusters or [f"r{number:03}" for number in range(len(x))]
    return agreement_from_seed(x, y, labels, seed=1, resamples=resamples)


def of_table(both: int, only_x: int, only_y: int, neither: int) -> Agreement:
    x = [1.0] * (both + only_x) + [0.0] * (only_y + neither)
    y = [1.0] * both + [0.0] * only_x + [1.0] * only_y + [0.0] * neither
    return agreed(x, y)


def test_four_pairs_worked_out_on_paper() -> None:
    # x = 0, .5, 1, .5 (mean .5); y = 0, 1, 1, .5 (mean .625); d = 0, .5, 0, 0 (mean .125).
    # Deviations of x: -.5, 0, .5, 0; of y: -.625, .375, .375, -.125.
    # Sums of squares: S_xx = .5, S_yy = .6875, S_xy = .5; of d: .25 - 4 * .125^2 = .1875.
    found = agreed([0, 0.5, 1, 0.5], [0, 1, 1, 0.5])

    assert found.mean_x.value == 0.5
    assert found.mean_y.value == 0.625
    assert found.pearson.value == pytest.approx(0.5 / math.sqrt(0.5 * 0.6875), abs=1e-12)
    # Ranks of x: 1, 2.5, 4, 2.5; of y: 1, 3.5, 3.5, 2. Deviations -1.5, 0, 1.5, 0 and -1.5, 1, 1, -.5.
    assert found.spearman.value == pytest.approx(3.75 / math.sqrt(4.5 * 4.5), abs=1e-12)
    assert found.ccc.value == pytest.approx(2 * 0.5 / (0.5 + 0.6875 + 4 * 0.125**2), abs=1e-12)
    # Mean squares: of the rows (S_xx + S_yy + 2 S_xy) / 2 / 3, residual (S_xx + S_yy - 2 S_xy) / 2 / 3,
    # of the judges 4 * .125^2 / 2.
    rows, residual, judges = 2.1875 / 6, 0.1875 / 6, 0.03125
    expected = (rows - residual) / (rows + residual + 2 * (judges - residual) / 4)
    assert found.icc.value == pytest.approx(expected, abs=1e-12)
    # The mean of d^2 is .0625. All eight scores have the mean .5625 and the squared deviations
    # .5 + .6875 + 8 * .0625^2 = 1.21875, expected is twice that over seven.
    assert found.alpha_interval.value == pytest.approx(1 - 0.0625 / (2 * 1.21875 / 7), abs=1e-12)
    assert found.offset.value == 0.125
    # Each pair is a cluster: CR1 is 4/3 * sum of squared residuals / 16.
    assert found.offset.se == pytest.approx(math.sqrt(4 / 3 * 0.1875 / 16), abs=1e-12)
    assert found.offset.high - 0.125 == pytest.approx(3.182446305 * found.offset.se, abs=1e-9)  # t, 3 degrees
    assert found.sd_of_differences.value == pytest.approx(0.25, abs=1e-12)
    assert found.lower_limit.value == pytest.approx(0.125 - 0.49, abs=1e-12)
    assert found.upper_limit.value == pytest.approx(0.125 + 0.49, abs=1e-12)
    # Means of both: 0, .75, 1, .5; squared deviations .546875; products with d: .5 * (.75 - .5625) = .09375.
    assert found.slope.value == pytest.approx(0.09375 / 0.546875, abs=1e-12)
    assert (found.near_exact.count, found.near_exact.n, found.near_exact.estimate.value) == (3, 4, 0.75)
    assert (found.met_x.count, found.met_y.count, found.same_side.count) == (3, 3, 4)
    assert (found.partial_x.count, found.partial_y.count) == (2, 1)
    assert found.kappa.value == 1


def test_a_cluster_that_agrees_with_itself_widens_the_error_of_the_offset() -> None:
    # d = .2, .2, 0, 0: mean .1, residuals .1, .1, -.1, -.1. Sums within a and b: .2 and -.2.
    # CR1 = 2/1 * (.04 + .04) / 16 = .01; t with one degree of freedom is 12.7062.
    found = agreed([0.1, 0.2, 0.3, 0.4], [0.3, 0.4, 0.3, 0.4], ["a", "a", "b", "b"])

    assert found.clusters == 2
    assert found.offset.value == pytest.approx(0.1, abs=1e-12)
    assert found.offset.se == pytest.approx(0.1, abs=1e-12)
    assert found.offset.high == pytest.approx(0.1 + 1.27062047, abs=1e-7)


def test_kappa_of_a_balanced_table() -> None:
    # po = 35/50 = .7, marginals .6 and .5: pe = .3 + .2 = .5, kappa .4.
    found = of_table(20, 10, 5, 15)

    assert found.same_side.estimate.value == 0.7
    assert found.met_x.estimate.value == 0.6
    assert found.met_y.estimate.value == 0.5
    assert found.kappa.value == pytest.approx(0.4, abs=1e-12)
    assert found.pabak.value == pytest.approx(0.4, abs=1e-12)
    # q = .55: pe = .495
    assert found.ac1.value == pytest.approx((0.7 - 0.495) / 0.505, abs=1e-12)


def test_where_nearly_everything_is_met_kappa_sinks_and_its_companions_do_not() -> None:
    # Gwet's example of 125 people: 118 both, 5 and 2 one only, none neither; po = .944.
    found = of_table(118, 5, 2, 0)

    assert round(found.kappa.value, 4) == -0.0234
    assert round(found.ac1.value, 4) == 0.9408
    assert found.pabak.value == pytest.approx(0.888, abs=1e-12)


def test_alpha_of_two_judges_and_ten_binary_units_is_the_published_one() -> None:
    # Krippendorff (2011), section A: alpha = .095
    x = [0, 1, 0, 0, 0, 0, 0, 0, 1, 0]
    y = [1, 1, 1, 0, 0, 1, 0, 0, 0, 0]

    found = agreed([float(value) for value in x], [float(value) for value in y])

    assert round(found.alpha_nominal.value, 3) == 0.095
    assert round(found.alpha_interval.value, 3) == 0.095


def test_a_row_that_lacks_a_score_takes_no_part_and_is_counted() -> None:
    x = [0, NAN, 0.5, 1, NAN, 0.5, 0.25]
    y = [0, 1, 1, 1, NAN, 0.5, NAN]

    found = agreed(x, y)

    assert (found.rows, found.n, found.missing_x, found.missing_y, found.clusters) == (7, 4, 2, 2, 4)
    assert found.offset.value == 0.125
    assert found.near_exact.n == 4


@pytest.mark.parametrize(("y", "near"), [(0.29, 0), (0.289, 1), (0.271, 1), (0.27, 0)])
def test_a_difference_of_a_hundredth_is_not_near_exact_whatever_binary_fractions_make_of_it(
    y: float, near: int
) -> None:
    found = agreed([0.28], [y])

    assert found.near_exact.count == near


def test_sums_in_another_order_are_the_same_score() -> None:
    assert 0.1 + 0.2 != 0.3

    found = agreed([0.1 + 0.2, 0.3, 0.5 - 1e-12], [0.3, 0.3, 0.5])

    assert found.pearson.value == 1
    assert found.spearman.value == 1
    assert found.met_x.count == found.met_y.count == 1


def test_the_seed_is_drawn_kept_and_repeats_the_bootstrap() -> None:
    x, y = [0, 0.5, 1, 0.5, 0.2], [0, 1, 1, 0.5, 0.1]

    first = agreement(x, y, list("abcde"), rng=np.random.default_rng(7), resamples=200)
    again = agreement_from_seed(x, y, list("abcde"), seed=first.seed, resamples=200)
    other = agreement(x, y, list("abcde"), rng=np.random.default_rng(8), resamples=200)

    assert first.resamples == 200
    assert again.lower_limit == first.lower_limit
    assert again.seed == first.seed
    assert other.seed != first.seed
    assert other.lower_limit.low != first.lower_limit.low


def test_what_the_paper_calls_directional_agreement_is_being_on_the_same_side_of_a_half() -> None:
    found = agreed([0.6, 0.4, 0.5, 0.1], [0.9, 0.1, 0.49, 0.49])

    assert found.directional_agreement is found.same_side
    assert (found.directional_agreement.count, found.directional_agreement.n) == (3, 4)


@pytest.mark.parametrize(
    ("x", "y", "clusters", "sentence"),
    [
        ([1.01], [0.5], ["a"], "scores must be between 0 and 1; a score is 1.01"),
        ([0.5], [-math.inf], ["a"], "a score is -inf"),
        ([0.5, 0.5], [0.5], ["a", "b"], "differ; expected one of"),
        ([0.5], [0.5], ["a", "b"], "differ; expected one of"),
    ],
)
def test_what_cannot_be_scores_of_the_same_things_is_refused(
    x: list[float], y: list[float], clusters: list[str], sentence: str
) -> None:
    with pytest.raises(ScoresRefused, match=sentence):
        agreed(x, y, clusters)


def test_without_resamples_there_are_values_and_no_intervals() -> None:
    found = agreed([0, 0.5, 1, 0.5], [0, 1, 1, 0.5])

    assert found.kappa.value == 1
    assert math.isnan(found.kappa.low)
    assert found.kappa.reason is Reason.TOO_FEW_RESAMPLES
    assert found.offset.reason is None
