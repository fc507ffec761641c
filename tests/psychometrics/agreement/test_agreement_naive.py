"""Every statistic again, by the textbook and with loops, in the sample and in every bootstrap draw."""

import itertools
import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import assume, given, settings, strategies as st

from psychometrics.agreement.krippendorff import alpha_interval, alpha_nominal, panel_agreement_from_seed
from psychometrics.agreement.pairs import Agreement, agreement_from_seed
from psychometrics.inference.clusters import Array
from psychometrics.inference.estimates import Estimate
from psychometrics.inference.resampling import draws_of_clusters

Loops = Callable[[list[float], list[float]], float]
NAN = math.nan


def mean(values: list[float]) -> float:
    return math.fsum(values) / len(values)


def product(x: list[float], y: list[float]) -> float:
    """Sum of products of deviations."""
    return math.fsum((u - mean(x)) * (v - mean(y)) for u, v in zip(x, y, strict=True))


def pearson(x: list[float], y: list[float]) -> float:
    return product(x, y) / math.sqrt(product(x, x) * product(y, y))


def mid_ranks(values: list[float]) -> list[float]:
    return [sum(w < v for w in values) + (sum(w == v for w in values) + 1) / 2 for v in values]


def spearman(x: list[float], y: list[float]) -> float:
    return pearson(mid_ranks(x), mid_ranks(y))


def ccc(x: list[float], y: list[float]) -> float:
    n = len(x)
    return 2 * product(x, y) / n / (product(x, x) / n + product(y, y) / n + (mean(x) - mean(y)) ** 2)


def icc(x: list[float], y: list[float]) -> float:
    """From the table of the two-way analysis of variance."""
    n, grand = len(x), mean(x + y)
    rows = [(u + v) / 2 for u, v in zip(x, y, strict=True)]
    judges = [mean(x), mean(y)]
    msr = 2 * math.fsum((row - grand) ** 2 for row in rows) / (n - 1)
    msc = n * math.fsum((judge - grand) ** 2 for judge in judges)
    left = [
        score - row - judge + grand
        for scores, judge in zip((x, y), judges, strict=True)
        for score, row in zip(scores, rows, strict=True)
    ]
    mse = math.fsum(residual**2 for residual in left) / (n - 1)
    return (msr - mse) / (msr + mse + 2 * (msc - mse) / n)


def differences(x: list[float], y: list[float]) -> list[float]:
    return [v - u for u, v in zip(x, y, strict=True)]


def sd_of_differences(x: list[float], y: list[float]) -> float:
    d = differences(x, y)
    return math.sqrt(product(d, d) / (len(d) - 1))


def lower_limit(x: list[float], y: list[float]) -> float:
    return mean(differences(x, y)) - 1.96 * sd_of_differences(x, y)


def upper_limit(x: list[float], y: list[float]) -> float:
    return mean(differences(x, y)) + 1.96 * sd_of_differences(x, y)


def slope(x: list[float], y: list[float]) -> float:
    means = [(u + v) / 2 for u, v in zip(x, y, strict=True)]
    return product(means, differences(x, y)) / product(means, means)


def sides(values: list[float]) -> list[float]:
    return [float(value >= 0.5) for value in values]


def observed(x: list[float], y: list[float]) -> float:
    return mean([float(u == v) for u, v in zip(sides(x), sides(y), strict=True)])


def kappa(x: list[float], y: list[float]) -> float:
    p, q = mean(sides(x)), mean(sides(y))
    by_chance = p * q + (1 - p) * (1 - q)
    return (observed(x, y) - by_chance) / (1 - by_chance)


def ac1(x: list[float], y: list[float]) -> float:
    met = mean(sides(x) + sides(y))
    return (observed(x, y) - 2 * met * (1 - met)) / (1 - 2 * met * (1 - met))


def pabak(x: list[float], y: list[float]) -> float:
    return 2 * observed(x, y) - 1


def alpha(units: list[list[float]], *, nominal: bool) -> float:
    """Krippendorff's definition, over all ordered pairs."""

    def delta(v: float, w: float) -> float:
        return float(v != w) if nominal else (v - w) ** 2

    units = [unit for unit in units if len(unit) >= 2]
    scores = list(itertools.chain(*units))
    n = len(scores)
    within = [
        math.fsum(delta(v, w) for v, w in itertools.permutations(unit, 2)) / (len(unit) - 1) for unit in units
    ]
    by_chance = math.fsum(delta(v, w) for v, w in itertools.permutations(scores, 2)) / (n * (n - 1))
    return 1 - math.fsum(within) / n / by_chance


def two_judge_alpha(x: list[float], y: list[float]) -> float:
    return alpha([[u, v] for u, v in zip(x, y, strict=True)], nominal=False)


def two_judge_alpha_nominal(x: list[float], y: list[float]) -> float:
    return alpha([[u, v] for u, v in zip(sides(x), sides(y), strict=True)], nominal=True)


LOOPS: dict[str, Loops] = {
    "mean_x": lambda x, y: mean(x),
    "mean_y": lambda x, y: mean(y),
    "pearson": pearson,
    "spearman": spearman,
    "ccc": ccc,
    "icc": icc,
    "alpha_interval": two_judge_alpha,
    "alpha_nominal": two_judge_alpha_nominal,
    "sd_of_differences": sd_of_differences,
    "lower_limit": lower_limit,
    "upper_limit": upper_limit,
    "slope": slope,
    "kappa": kappa,
    "pabak": pabak,
    "ac1": ac1,
}
SHARE_LOOPS: dict[str, Loops] = {
    "near_exact": lambda x, y: mean([float(abs(d) < 0.01 - 1e-9) for d in differences(x, y)]),
    "same_side": observed,
    "met_x": lambda x, y: mean(sides(x)),
    "met_y": lambda x, y: mean(sides(y)),
    "partial_x": lambda x, y: mean([float(0 < u < 1) for u in x]),
    "partial_y": lambda x, y: mean([float(0 < v < 1) for v in y]),
}


def estimate_of(found: Agreement, name: str) -> Estimate:
    field = getattr(found, name)
    estimate: Estimate = field if name in LOOPS else field.estimate
    return estimate


def simulated(seed: int, n: int) -> tuple[Array, Array, list[str]]:
    """Scores like judges give them: mostly 0 and 1, some in between; three to a response."""
    rng = np.random.default_rng(seed)
    x = np.where(rng.random(n) < 0.3, rng.random(n).round(2), rng.random(n) < 0.6)
    y = np.where(rng.random(n) < 0.3, rng.random(n).round(1), x)
    return x, y, [f"r{number:02}" for number in rng.integers(0, n // 3, n)]


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10_000), n=st.integers(12, 30))
def test_every_statistic_is_the_textbooks(seed: int, n: int) -> None:
    x, y, clusters = simulated(seed, n)
    assume(0 < (x >= 0.5).sum() < n)
    assume(np.ptp(y) > 0)

    found = agreement_from_seed(x, y, clusters, seed=1, resamples=0)

    for name, loops in (LOOPS | SHARE_LOOPS).items():
        expected = loops(x.tolist(), y.tolist())
        assert estimate_of(found, name).value == pytest.approx(expected, abs=1e-10), name


def test_every_interval_is_that_of_the_resampled_rows_themselves() -> None:
    x, y, clusters = simulated(5, 60)
    rows = [np.flatnonzero(np.array(clusters) == label) for label in sorted(set(clusters))]
    [draws] = draws_of_clusters(len(rows), 60, np.random.default_rng(3))
    samples = [
        np.concatenate([np.repeat(row, int(times)) for row, times in zip(rows, draw, strict=True)])
        for draw in draws
    ]

    found = agreement_from_seed(x, y, clusters, seed=3, resamples=60)

    for name, loops in (LOOPS | SHARE_LOOPS).items():
        resampled = [loops(x[sample].tolist(), y[sample].tolist()) for sample in samples]
        estimate = estimate_of(found, name)
        assert estimate.se == pytest.approx(np.std(resampled, ddof=1), abs=1e-10), name
        low, high = np.quantile(resampled, [0.025, 0.975])
        assert (estimate.low, estimate.high) == pytest.approx((low, high), abs=1e-10), name


def test_a_draw_has_as_many_clusters_as_there_are_and_does_not_depend_on_the_blocks() -> None:
    blocks = list(draws_of_clusters(100_000, 5, np.random.default_rng(1)))

    together = np.concatenate(blocks)
    drawn = np.random.default_rng(1).integers(0, 100_000, size=(5, 100_000))

    assert len(blocks) > 1
    assert together.sum(axis=1).tolist() == [100_000] * 5
    assert (together == [np.bincount(row, minlength=100_000) for row in drawn]).all()


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10_000), units=st.integers(4, 12), judges=st.integers(2, 5))
def test_alpha_of_a_panel_is_krippendorffs_definition(seed: int, units: int, judges: int) -> None:
    rng = np.random.default_rng(seed)
    scores = rng.choice([0.0, 0.25, 0.5, 1.0], size=(units, judges))
    scores[rng.random(scores.shape) < 0.3] = NAN
    listed = [[v for v in unit if not math.isnan(v)] for unit in scores.tolist()]
    pairable = list(itertools.chain(*(unit for unit in listed if len(unit) >= 2)))
    assume(sum(len(unit) >= 2 for unit in listed) >= 3)
    assume(min(pairable) < 0.5 <= max(pairable))

    found = panel_agreement_from_seed(scores, np.arange(units), seed=1, resamples=0)

    assert found.interval.value == pytest.approx(alpha(listed, nominal=False), abs=1e-10)
    assert found.interval.value == pytest.approx(alpha_interval(scores), abs=1e-12)
    met = [sides(unit) for unit in listed]
    assert found.nominal.value == pytest.approx(alpha(met, nominal=True), abs=1e-10)
    assert alpha_nominal(scores) == pytest.approx(alpha(listed, nominal=True), abs=1e-10)


def test_the_interval_of_a_panels_alpha_is_that_of_the_resampled_units() -> None:
    rng = np.random.default_rng(2)
    quality = rng.random((24, 1))
    scores = (quality + rng.normal(0, 0.15, (24, 3))).clip(0, 1).round(2)
    scores[rng.random(scores.shape) < 0.2] = NAN
    clusters = np.arange(24) // 2
    [draws] = draws_of_clusters(12, 50, np.random.default_rng(9))

    found = panel_agreement_from_seed(scores, clusters, seed=9, resamples=50)

    resampled = []
    for draw in draws:
        sample = np.repeat(scores, draw[clusters].astype(int), axis=0).tolist()
        resampled.append(alpha([[v for v in unit if not math.isnan(v)] for unit in sample], nominal=False))
    low, high = np.quantile(resampled, [0.025, 0.975])
    assert found.clusters == 12
    assert (found.interval.low, found.interval.high) == pytest.approx((low, high), abs=1e-10)
    assert found.interval.se == pytest.approx(np.std(resampled, ddof=1), abs=1e-10)
