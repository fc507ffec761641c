import math

import numpy as np
import pytest

from psychometrics.inference.clusters import (
    Array,
    Leverage,
    cluster_variance,
    linear_estimate,
    participant_cluster_se,
    t_quantile,
)
from psychometrics.inference.estimates import Reason
from psychometrics.irt.ability import ability_of
from psychometrics.irt.bank import ItemBank
from psychometrics.irt.transform import Transform

NAN = math.nan


@pytest.mark.parametrize(
    ("probability", "df", "t"),
    [
        (0.95, 1, 12.706205),
        (0.95, 2, 4.302653),
        (0.95, 3, 3.182446),
        (0.95, 14, 2.144787),
        (0.95, 40, 2.021075),
        (0.95, 100_000, 1.959988),
        (0.99, 7, 3.499483),
        (0.5, 5, 0.726687),
    ],
)
def test_quantiles_of_t_are_those_of_the_tables(probability: float, df: int, t: float) -> None:
    assert t_quantile(probability, df) == pytest.approx(t, abs=1e-6)


def test_one_and_two_degrees_of_freedom_have_closed_forms() -> None:
    for probability in (0.1, 0.8, 0.999):
        of_two = probability * math.sqrt(2 / (1 - probability**2))
        assert t_quantile(probability, 1) == pytest.approx(math.tan(probability * math.pi / 2), rel=1e-12)
        assert t_quantile(probability, 2) == pytest.approx(of_two, rel=1e-12)


@pytest.mark.parametrize(("probability", "df"), [(0.95, 0), (0, 5), (1, 5), (NAN, 5)])
def test_there_is_no_quantile_without_freedom_or_at_certainty(probability: float, df: int) -> None:
    with pytest.raises(ValueError, match="no quantile of t"):
        t_quantile(probability, df)


def test_the_cluster_error_worked_out_on_paper() -> None:
    # a e = 1, -3, 2, 2: sums -2 (p1) and 4 (p2), A = 10, h = .2 and .8. V = (4 / .8 + 16 / .2) / 10^2 = .85
    error = participant_cluster_se([1, 1, 2, 2], [1, -3, 1, 1], ["p1", "p1", "p2", "p2"])

    assert error.se == pytest.approx(math.sqrt(0.85), abs=1e-12)
    assert (error.n, error.clusters, error.reason) == (4, 2, None)
    assert error.df == pytest.approx(1)
    around = error.around(1.5)
    assert around.value == 1.5
    assert around.high == pytest.approx(1.5 + 12.706204736 * math.sqrt(0.85), abs=1e-8)
    assert around.low == pytest.approx(1.5 - 12.706204736 * math.sqrt(0.85), abs=1e-8)


def test_the_error_is_that_of_a_loop_over_the_groups() -> None:
    rng = np.random.default_rng(1)
    a, e, groups = rng.lognormal(size=200), rng.normal(size=200), rng.integers(0, 23, 200)
    names = sorted(set(groups.tolist()))
    sums = [sum(a[k] * e[k] for k in range(200) if groups[k] == group) for group in names]
    h = [sum(a[k] ** 2 for k in range(200) if groups[k] == group) / sum(a * a) for group in names]
    variance = sum(s * s / (1 - own) for s, own in zip(sums, h, strict=True)) / sum(a * a) ** 2
    between = sum((x * y) ** 2 / ((1 - x) * (1 - y)) for i, x in enumerate(h) for y in h[:i] + h[i + 1 :])

    found = participant_cluster_se(a, e, groups)
    assert found.se == pytest.approx(math.sqrt(variance), rel=1e-12)
    assert found.df == pytest.approx(1 / (sum(own * own for own in h) + between), rel=1e-9)


def test_clusters_of_equal_weight_have_the_usual_factor_and_freedom() -> None:
    e = np.random.default_rng(8).normal(size=24)
    sums = np.bincount(np.arange(24) % 6, e)

    found = participant_cluster_se(np.ones(24), e, np.arange(24) % 6)

    assert found.se == pytest.approx(math.sqrt(6 / 5 * sums @ sums) / 24, rel=1e-12)
    assert found.df == pytest.approx(5, rel=1e-12)


def test_one_heavy_cluster_leaves_little_freedom_and_all_weight_in_one_leaves_no_error() -> None:
    a = np.array([10.0, 1, 1, 1, 1, 1])
    heavy = participant_cluster_se(a, np.ones(6), np.arange(6))
    assert 1 <= heavy.df < 1.2
    a[1:] = 1e-7
    alone = participant_cluster_se(a, np.ones(6), np.arange(6))
    assert math.isnan(alone.se)
    assert alone.reason == Reason.ONE_CLUSTER


def test_the_error_of_several_fitted_columns_is_what_matrices_give() -> None:
    """Bell and McCaffrey written out with n x n matrices, for a contrast of two means over seven clusters."""
    rng = np.random.default_rng(9)
    cells = rng.integers(0, 2, 60)
    codes = rng.integers(0, 7, 60)
    columns = np.stack([(cells == c) / math.sqrt((cells == c).sum()) for c in (0, 1)], axis=1)
    weights = np.where(cells == 0, 1.0, -1.0) / np.bincount(cells)[cells]
    left = np.eye(60) - columns @ columns.T
    influence = weights * (left @ rng.normal(size=60))
    g = np.stack([weights * (codes == c) for c in range(7)])  # sums of influences = g (I - H) e
    covariance = g @ left @ g.T
    own = (g**2).sum(axis=1)
    factor = own / np.diag(covariance)
    scaled = np.sqrt(np.outer(factor, factor)) * covariance

    found = cluster_variance(influence, Leverage.of_weights(weights, columns), codes, 7)

    sums = np.bincount(codes, influence)
    assert found.value == pytest.approx(factor @ sums**2, rel=1e-12)
    assert found.df == pytest.approx(np.trace(scaled) ** 2 / (scaled**2).sum(), rel=1e-9)


def test_with_every_observation_its_own_cluster_the_error_of_a_mean_is_the_usual_one() -> None:
    z = np.random.default_rng(2).normal(size=30)

    found = linear_estimate(np.ones(30), z, np.arange(30)).estimate

    assert found.value == pytest.approx(z.mean(), abs=1e-12)
    assert found.se == pytest.approx(z.std(ddof=1) / math.sqrt(30), rel=1e-12)


def test_with_z_from_a_bank_the_estimate_is_the_ability_on_it() -> None:
    rng = np.random.default_rng(3)
    a, b, p = rng.lognormal(size=20), rng.normal(size=20), rng.random(20)
    names = tuple(f"p{number}" for number in range(20))
    bank = ItemBank(names, a, b, names, Transform(scale=0.998, offset=0.001), 2.5)
    z = bank.transform.to_logit(p) + a * b

    found = linear_estimate(a, z, np.arange(20) // 4)

    assert found.estimate.value == pytest.approx(ability_of(p, np.arange(20), bank).theta, abs=1e-12)
    assert (found.n, found.clusters) == (20, 5)


def test_the_change_of_ability_between_judges_is_the_estimate_of_their_difference() -> None:
    rng = np.random.default_rng(4)
    a, of_x, of_y, groups = (
        rng.lognormal(size=40),
        rng.normal(size=40),
        rng.normal(size=40),
        np.arange(40) // 5,
    )

    change = linear_estimate(a, of_y - of_x, groups).estimate

    theta_x, theta_y = (linear_estimate(a, z, groups).estimate.value for z in (of_x, of_y))
    assert change.value == pytest.approx(theta_y - theta_x, abs=1e-12)


def test_missing_observations_and_groups_without_any_contribute_nothing() -> None:
    with_missing = linear_estimate([1, 2, 1, 5], [1, NAN, 2, NAN], ["a", "a", "b", "c"])

    assert with_missing == linear_estimate([1, 1], [1, 2], ["a", "b"])
    assert (with_missing.n, with_missing.clusters) == (2, 2)


@pytest.mark.parametrize(
    ("a", "z", "groups", "value", "reason"),
    [
        ([], [], [], NAN, Reason.NO_PAIRS),
        ([1, 1], [NAN, NAN], ["a", "b"], NAN, Reason.NO_PAIRS),
        ([0, 0], [1, 2], ["a", "b"], NAN, Reason.NO_VARIATION),
        ([1, 1], [1, 2], ["a", "a"], 1.5, Reason.ONE_CLUSTER),
        ([1, 1, 1], [0.3, 0.3, 0.3], ["a", "b", "c"], 0.3, Reason.NO_SPREAD),
        ([1, 1, 1, 1], [0.1, 0.3, 0, 0.4], ["a", "a", "b", "b"], 0.2, Reason.NO_SPREAD),
    ],
)
def test_where_there_is_no_error_the_reason_is_named(
    a: list[float], z: list[float], groups: list[str], value: float, reason: Reason
) -> None:
    found = linear_estimate(a, z, groups).estimate

    assert found.value == pytest.approx(value, abs=1e-12, nan_ok=True)
    assert all(math.isnan(bound) for bound in (found.se, found.low, found.high))
    assert found.reason is reason
    if not math.isnan(value):
        assert participant_cluster_se(a, np.array(z) - value * np.array(a), groups).reason is reason


def test_arrays_that_do_not_belong_together_are_refused() -> None:
    with pytest.raises(ValueError, match="differ; expected one of"):
        participant_cluster_se([1, 1], [1], ["a", "b"])
    with pytest.raises(ValueError, match="a cluster label is NaN"):
        participant_cluster_se([1, 1], [1, 2], [1.0, NAN])


def study(rng: np.random.Generator) -> tuple[Array, Array, Array]:
    """Twenty people with ten observations each and a level of their own; the true estimate is 0."""
    people = np.repeat(np.arange(20), 10)
    a = rng.lognormal(0, 0.5, 200)
    return a, a * rng.normal(0, 0.5, 20)[people] + rng.normal(0, 1, 200), people.astype(np.float64)


def test_the_interval_covers_the_truth_as_often_as_it_says_and_one_that_ignores_people_does_not() -> None:
    rng = np.random.default_rng(11)
    by_person = by_row = 0
    for _ in range(400):
        a, z, people = study(rng)
        person, row = linear_estimate(a, z, people).estimate, linear_estimate(a, z, np.arange(200)).estimate
        by_person += person.low <= 0 <= person.high
        by_row += row.low <= 0 <= row.high

    assert 0.92 <= by_person / 400 <= 0.98
    assert by_row / 400 < 0.85
