"""The interval that stands first: wide enough for few clusters, and for chance alone."""

import numpy as np
import pytest

from psychometrics.data.cohort import Cohort
from psychometrics.inference.clusters import linear_estimate
from psychometrics.inference.first_error import first_error
from psychometrics.inference.standard_errors import cluster_error, pooled_fit
from tests.psychometrics.inference.small_cohorts import cohort, score


def test_intervals_of_eight_unequal_clusters_cover_what_they_should() -> None:
    """Answers of unequal weight in eight sets, as those of a category are: CR1 with t of 7 covers 0.90."""
    rng, held, before = np.random.default_rng(6), [], []
    codes = np.repeat(np.arange(8), [2, 3, 4, 6, 8, 10, 14, 20])
    for _ in range(1500):
        a = rng.lognormal(0, 0.6, len(codes))
        z = a * 0.3 * rng.standard_normal(8)[codes] + rng.standard_normal(len(codes))
        found = linear_estimate(a, z, codes).estimate
        held.append(found.low <= 0 <= found.high)
        sums = np.bincount(codes, a * (z - a * found.value)) / (a @ a)
        before.append(abs(found.value) <= 2.3646 * np.sqrt(8 / 7 * sums @ sums))
    assert np.mean(held) == pytest.approx(0.95, abs=0.015)
    assert np.mean(before) < 0.925


@pytest.fixture
def canceling() -> Cohort:
    """Two batches of two people, who differ much within each batch and not at all between batches."""
    y = {0: (3, 2), 1: (-3, -2), 2: (2.5, 3), 3: (-2.5, -2.9)}
    rows = [(i, 2 * (i // 2) + j, 1 + i // 2, score(y[i][j])) for i in range(4) for j in range(2)]
    return cohort(rows, [1.0] * 4, [0.0] * 4)


def test_no_theta_is_surer_than_chance_alone_leaves_it(canceling: Cohort) -> None:
    pairs = canceling.pairs
    fit = pooled_fit(pairs)
    by_batch, by_people = (cluster_error(fit, groups) for groups in (pairs.batch, pairs.person))
    assert 12.7 * by_batch.se < 3 * by_people.se

    found = first_error(fit, pairs, nested=True)

    assert found.facts == {"error": "se.batch", "at_least": "se.participant"}
    assert found.found == by_people
    assert first_error(fit, pairs, nested=True, whole=False) == found  # a part of fewer than eight batches


def test_parts_of_eight_batches_have_the_error_by_batch() -> None:
    rng = np.random.default_rng(3)
    rows = [(i, j, 1 + i // 2, score(3 - 6 * (i % 2) + rng.normal())) for i in range(16) for j in (i // 2,)]
    pairs = cohort(rows, [1.0] * 8, [0.0] * 8).pairs

    whole, part = (first_error(pooled_fit(pairs), pairs, nested=True, whole=one) for one in (True, False))

    assert (whole.at_least, part.at_least) == ("se.participant", "")
    assert whole.found.half_width > part.found.half_width
