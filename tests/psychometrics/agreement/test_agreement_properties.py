"""What holds for any scores: who comes first, in which order, and with what else beside them."""

import math
from dataclasses import fields
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from psychometrics.agreement.krippendorff import panel_agreement_from_seed
from psychometrics.agreement.pairs import Agreement, agreement_from_seed
from psychometrics.inference.estimates import Estimate, Reason, Share

NAN = math.nan
SYMMETRIC = (
    *("pearson", "spearman", "ccc", "icc", "alpha_interval", "alpha_nominal", "sd_of_differences"),
    *("kappa", "pabak", "ac1", "near_exact", "same_side"),
)
COUNTERPARTS = [("mean_x", "mean_y"), ("met_x", "met_y"), ("partial_x", "partial_y")]
MIRRORED = [("offset", "offset"), ("slope", "slope"), ("lower_limit", "upper_limit")]
UNCLIPPED = {"offset", "lower_limit", "upper_limit", "slope", "sd_of_differences", "icc"}

Row = tuple[float, float, int]
judged = st.sampled_from([0.0, 0.25, 0.5, 0.505, 0.8, 1.0, NAN])
rows_of_scores = st.lists(st.tuples(judged, judged, st.integers(0, 6)), max_size=25)
anything = st.one_of(judged, st.floats(0, 1))
rows_of_anything = st.lists(st.tuples(anything, anything, st.integers(0, 6)), max_size=12)
alike = st.floats(0, 1).flatmap(
    lambda score: st.lists(st.tuples(st.just(score), st.just(score), st.integers(0, 3)), max_size=8)
)


def agreed(rows: list[Row], *, seed: int = 1) -> Agreement:
    x, y, clusters = zip(*rows, strict=True) if rows else ((), (), ())
    return agreement_from_seed(x, y, np.array(clusters, dtype=np.int64), seed=seed, resamples=50)


def estimates(found: Agreement) -> dict[str, Estimate]:
    """Every statistic by its name; of a share its estimate."""
    values = {field.name: getattr(found, field.name) for field in fields(found)}
    shares = {name: value.estimate for name, value in values.items() if isinstance(value, Share)}
    return shares | {name: value for name, value in values.items() if isinstance(value, Estimate)}


def numbers(estimate: Estimate) -> tuple[float, float, float, float]:
    return estimate.value, estimate.se, estimate.low, estimate.high


def same(one: Estimate, other: Estimate) -> bool:
    alike = numbers(one) == pytest.approx(numbers(other), abs=1e-9, nan_ok=True)
    return alike and one.reason == other.reason


def mirrored(estimate: Estimate) -> Estimate:
    return Estimate(-estimate.value, estimate.se, -estimate.high, -estimate.low, estimate.reason)


@settings(max_examples=60, deadline=None)
@given(rows=rows_of_scores)
def test_it_does_not_matter_which_judge_comes_first(rows: list[Row]) -> None:
    one, other = agreed(rows), agreed([(y, x, cluster) for x, y, cluster in rows])
    of_one, of_other = estimates(one), estimates(other)

    for name in SYMMETRIC:
        if of_one[name].reason not in {Reason.X_CONSTANT, Reason.Y_CONSTANT}:
            assert same(of_one[name], of_other[name]), name
    for name, counterpart in COUNTERPARTS:
        assert same(of_one[name], of_other[counterpart]), name
        assert same(of_one[counterpart], of_other[name]), name
    for name, counterpart in MIRRORED:
        assert same(of_one[name], mirrored(of_other[counterpart])), name
    assert (one.missing_x, one.missing_y) == (other.missing_y, other.missing_x)


@settings(max_examples=60, deadline=None)
@given(rows=rows_of_scores, order=st.randoms())
def test_the_order_of_rows_does_not_matter(rows: list[Row], order: Random) -> None:
    shuffled = list(rows)
    order.shuffle(shuffled)
    one, other = agreed(rows), agreed(shuffled)

    assert (one.rows, one.n, one.clusters) == (other.rows, other.n, other.clusters)
    for name, estimate in estimates(one).items():
        assert same(estimate, estimates(other)[name]), name


@settings(max_examples=60, deadline=None)
@given(rows=rows_of_scores, cluster=st.integers(-3, 10), y=judged)
def test_a_row_without_a_pair_changes_nothing_but_the_counts_of_what_is_missing(
    rows: list[Row], cluster: int, y: float
) -> None:
    before, after = agreed(rows), agreed([*rows, (NAN, y, cluster)])

    assert (after.rows, after.missing_x) == (before.rows + 1, before.missing_x + 1)
    assert after.missing_y == before.missing_y + math.isnan(y)
    assert (after.n, after.clusters) == (before.n, before.clusters)
    for name, estimate in estimates(before).items():
        assert numbers(estimate) == pytest.approx(numbers(estimates(after)[name]), abs=0, nan_ok=True), name
        assert estimate.reason == estimates(after)[name].reason


@settings(max_examples=100, deadline=None)
@given(rows=st.one_of(rows_of_anything, alike))
def test_no_scores_give_a_number_without_meaning_or_a_missing_one_without_a_reason(rows: list[Row]) -> None:
    found = agreed(rows)  # a warning of numpy would be an error here

    for name, estimate in estimates(found).items():
        value, se, low, high = numbers(estimate)
        assert not math.isinf(value), name
        assert (estimate.reason is not None) == math.isnan(low) == math.isnan(high) == math.isnan(se), name
        assert estimate.reason is not None or (low <= high and se > 0), name
        assert name in UNCLIPPED or math.isnan(value) or -1 <= value <= 1, name
    assert found.rows == found.n + sum(math.isnan(x) or math.isnan(y) for x, y, _ in rows)
    if found.n == 0:
        assert {estimate.reason for estimate in estimates(found).values()} == {Reason.NO_PAIRS}


@settings(max_examples=60, deadline=None)
@given(rows=rows_of_scores)
def test_judges_who_agree_on_everything_have_no_difference_and_full_agreement(rows: list[Row]) -> None:
    found = agreed([(x, x, cluster) for x, _, cluster in rows])

    for name in ("pearson", "spearman", "ccc", "icc", "alpha_interval", "alpha_nominal", "kappa", "pabak"):
        value = estimates(found)[name].value
        assert math.isnan(value) or value == pytest.approx(1, abs=1e-12), name
    for name in ("offset", "sd_of_differences", "lower_limit", "upper_limit", "slope"):
        assert estimates(found)[name].value in {0.0} or math.isnan(estimates(found)[name].value), name
    assert found.near_exact.count == found.same_side.count == found.n


panels = st.integers(2, 4).flatmap(
    lambda judges: st.lists(st.lists(anything, min_size=judges, max_size=judges), min_size=1, max_size=10)
)


@settings(max_examples=60, deadline=None)
@given(scores=panels, order=st.randoms())
def test_neither_the_order_of_judges_nor_a_unit_without_scores_changes_a_panels_alpha(
    scores: list[list[float]], order: Random
) -> None:
    judges = list(range(len(scores[0])))
    order.shuffle(judges)
    rearranged = [[unit[judge] for judge in judges] for unit in scores] + [[NAN] * len(judges)]

    one = panel_agreement_from_seed(scores, range(len(scores)), seed=1, resamples=50)
    other = panel_agreement_from_seed(rearranged, range(len(scores) + 1), seed=1, resamples=50)

    assert other.empty == one.empty + 1
    assert (other.units, other.scores, other.single) == (one.units, one.scores, one.single)
    assert same(one.nominal, other.nominal)
    assert one.interval.value == pytest.approx(other.interval.value, abs=1e-6, nan_ok=True)
    for estimate in (one.interval, one.nominal):
        assert (estimate.reason is not None) == math.isnan(estimate.low)
        assert math.isnan(estimate.value) or -1 - 1e-9 <= estimate.value <= 1
