"""What has no answer says so, and why; numpy's warnings are errors in these tests."""

import math

import pytest

from psychometrics.agreement.pairs import Agreement, agreement_from_seed
from psychometrics.inference.estimates import Estimate, Reason
from psychometrics.inference.resampling import MIN_RESAMPLES

NAN = math.nan
NEED_THREE = (
    *("pearson", "spearman", "ccc", "icc", "alpha_interval", "alpha_nominal", "slope"),
    *("kappa", "pabak", "ac1"),
)
SPREAD = ("sd_of_differences", "lower_limit", "upper_limit")
SHARES = ("near_exact", "same_side", "met_x", "met_y", "partial_x", "partial_y")


def agreed(x: list[float], y: list[float], clusters: list[int] | None = None) -> Agreement:
    return agreement_from_seed(x, y, clusters or range(len(x)), seed=1, resamples=100)


def estimate_of(found: Agreement, name: str) -> Estimate:
    estimate: Estimate = getattr(found, name)
    return estimate


def why_unknown(found: Agreement, name: str) -> Reason | None:
    """The reason of a statistic that has no value; None if it has one."""
    estimate = estimate_of(found, name)
    return None if estimate.known else estimate.reason


def why_no_interval(found: Agreement, name: str) -> Reason | None:
    """The reason of a statistic that has a value and no interval; None if it is otherwise."""
    estimate = estimate_of(found, name)
    return estimate.reason if estimate.known and math.isnan(estimate.low) else None


@pytest.mark.parametrize(("x", "y"), [([], []), ([NAN, 0.5], [0.5, NAN]), ([NAN], [NAN])])
def test_without_a_pair_nothing_is_known(x: list[float], y: list[float]) -> None:
    found = agreed(x, y)

    assert (found.n, found.clusters, found.rows) == (0, 0, len(x))
    for name in (*NEED_THREE, *SPREAD, "mean_x", "mean_y", "offset"):
        assert why_unknown(found, name) is Reason.NO_PAIRS
    for name in SHARES:
        share = getattr(found, name)
        assert (share.count, share.n, share.estimate.reason) == (0, 0, Reason.NO_PAIRS)
        assert math.isnan(share.estimate.value)


def test_one_pair_has_means_and_shares_but_no_coefficient_and_no_interval() -> None:
    found = agreed([0.2], [0.7])

    assert (found.offset.value, found.mean_x.value) == (0.5, 0.2)
    assert why_no_interval(found, "offset") is Reason.ONE_CLUSTER
    assert why_no_interval(found, "mean_x") is Reason.ONE_CLUSTER
    assert (found.met_y.count, found.met_y.n, found.met_y.estimate.value) == (1, 1, 1)
    assert math.isnan(found.met_y.estimate.low)
    for name in (*NEED_THREE, *SPREAD):
        assert why_unknown(found, name) is Reason.TOO_FEW_PAIRS


def test_two_pairs_lie_on_a_line_whatever_they_are_and_have_no_coefficient() -> None:
    found = agreed([0.2, 0.9], [0.7, 0.8])

    assert found.sd_of_differences.value == pytest.approx(0.6 / math.sqrt(2))
    for name in NEED_THREE:
        assert why_unknown(found, name) is Reason.TOO_FEW_PAIRS


@pytest.mark.parametrize(
    ("x", "y", "reason"),
    [
        ([0.3] * 5, [0, 0.5, 1, 0.5, 0.2], Reason.X_CONSTANT),
        ([0, 0.5, 1, 0.5, 0.2], [0.3] * 5, Reason.Y_CONSTANT),
        ([0.3] * 5, [0.3] * 5, Reason.X_CONSTANT),
    ],
)
def test_a_judge_with_one_score_for_everything_correlates_with_nothing(
    x: list[float], y: list[float], reason: Reason
) -> None:
    found = agreed(x, y)

    for name in ("pearson", "spearman"):
        assert why_unknown(found, name) is reason


def test_one_and_the_same_score_from_both_says_nothing_about_agreement_beyond_chance() -> None:
    found = agreed([0.3] * 5, [0.3] * 5)

    for name in ("ccc", "icc", "alpha_interval", "alpha_nominal", "slope", "kappa"):
        assert why_unknown(found, name) is Reason.NO_VARIATION
    for name in ("offset", *SPREAD):
        assert estimate_of(found, name).value == 0
        assert why_no_interval(found, name) is Reason.NO_SPREAD
    assert found.near_exact.count == 5


def test_two_different_constant_scores_agree_less_than_chance() -> None:
    # Do = .25; ten scores, squared deviations 10 * .0625, De = 2 * .625 / 9
    found = agreed([0.2] * 5, [0.7] * 5)

    assert found.alpha_interval.value == pytest.approx(1 - 0.25 * 9 / 1.25, abs=1e-12)
    assert found.ccc.value == 0
    assert found.kappa.value == 0
    assert found.offset.value == pytest.approx(0.5)
    assert found.sd_of_differences.value == 0


def test_opposite_judges_have_no_slope_because_their_mean_never_changes() -> None:
    found = agreed([0, 0.3, 0.8, 1], [1, 0.7, 0.2, 0])

    assert found.pearson.value == pytest.approx(-1)
    assert why_unknown(found, "slope") is Reason.NO_VARIATION


def test_an_interval_of_no_width_is_not_claimed() -> None:
    found = agreed([0, 0.5, 1, 0.5], [0, 0.5, 1, 0.5])

    assert (found.ac1.value, found.offset.value) == (1, 0)
    assert why_no_interval(found, "ac1") is Reason.NO_SPREAD
    assert why_no_interval(found, "offset") is Reason.NO_SPREAD


def test_a_statistic_that_is_undefined_in_many_resamples_has_no_interval() -> None:
    # One of four clusters holds all that varies: (3/4)^4 = 32 % of the resamples leave it out.
    found = agreed([0, 0, 0, 0, 1, 0], [0, 0, 0, 0, 1, 0.2], [1, 2, 3, 4, 4, 4])

    assert found.kappa.value == 1
    assert why_no_interval(found, "kappa") is Reason.UNSTABLE
    assert why_no_interval(found, "pearson") is Reason.UNSTABLE


def test_scores_in_one_cluster_have_values_and_no_interval() -> None:
    found = agreed([0, 0.5, 1, 0.5], [0, 0.6, 1, 0.5], [7, 7, 7, 7])

    for name in ("pearson", "offset", "kappa"):
        assert why_no_interval(found, name) is Reason.ONE_CLUSTER


def test_scores_that_differ_only_in_the_ninth_decimal_are_still_told_apart() -> None:
    x = [0.5, 0.5 + 1e-9, 0.5 + 2e-9, 0.5 + 3e-9]

    found = agreed(x, [score + 1e-9 for score in x])

    assert found.pearson.value == pytest.approx(1)
    # Differences of 1 everywhere, scores 0..3 and 1..4: deviations 5 + 5 + 8 / 4 = 12 over eight scores.
    assert found.alpha_interval.value == pytest.approx(1 - 1 / (2 * 12 / 7))


@pytest.mark.parametrize(("resamples", "known"), [(MIN_RESAMPLES - 1, False), (MIN_RESAMPLES, True)])
def test_an_interval_needs_resamples_in_its_tails(resamples: int, known: bool) -> None:
    found = agreement_from_seed([0, 0.5, 1, 0.2], [0.1, 0.4, 1, 0.3], range(4), seed=1, resamples=resamples)

    assert math.isnan(found.mean_x.low) != known
    assert found.mean_x.reason is (None if known else Reason.TOO_FEW_RESAMPLES)


def test_three_pairs_have_every_coefficient() -> None:
    found = agreed([0, 0.5, 1], [0.1, 0.4, 0.9])

    assert [name for name in (*NEED_THREE, *SPREAD) if not estimate_of(found, name).known] == []
