"""Errors of DIF allow for what is fitted to the same answers: abilities, deviations, confidences."""

import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from benchmarks.measurement.false_rates import PROCESSES, World, study_of, world_of
from psychometrics.data.cohort import Cohort, Pairs
from psychometrics.dif.groups import ScaleInvariance, mean_shift, scale_invariance
from psychometrics.dif.prompts import DEVIATIONS, Residuals, fitted_residuals, residuals_of
from psychometrics.fit.reference import ASSUMED, Reference, certainty_influence, judged_process


@pytest.fixture(scope="module")
def rng() -> np.random.Generator:
    return np.random.default_rng(15)


@pytest.fixture(scope="module")
def world(rng: np.random.Generator) -> World:
    return world_of(PROCESSES["40 % of confidences at 0.8"], rng)


@pytest.fixture(scope="module")
def cohort(world: World, rng: np.random.Generator) -> Cohort:
    return study_of(world, 0.8, 76, rng)


@pytest.fixture(scope="module")
def reference(world: World, cohort: Cohort) -> Callable[[float, float], Reference]:
    process = judged_process(cohort)

    def of_process(sd: float, less_certain: float) -> Reference:
        share = process.certain_share - less_certain
        return world.reference(replace(process, sigma_deviation=sd, certain_share=share))

    return of_process


def slope_of(found: Residuals) -> ScaleInvariance:
    return scale_invariance(
        found.r, found.expected, found.pairs, nested=True, deviation=found.deviation, prior=found.prior
    )


def jackknife(pairs: Pairs, value: Callable[[Pairs], float]) -> float:
    """The error of a value by leaving out each batch."""
    left = np.array([value(pairs.of(pairs.batch != one)) for one in np.unique(pairs.batch)])
    return math.sqrt((len(left) - 1) * float(left.var()))


def test_the_error_of_a_shift_is_that_of_leaving_out_batches_with_abilities_fitted_anew(
    world: World, cohort: Cohort
) -> None:
    tables = world.reference(ASSUMED)
    found = residuals_of(cohort.pairs, tables)
    everything = np.ones(len(found.r), dtype=bool)

    shift = mean_shift(found.r, found.pairs, everything, nested=True, prior=found.prior).estimate

    error = jackknife(cohort.pairs, lambda pairs: float(residuals_of(pairs, tables).r.mean()))
    assert shift.se == pytest.approx(error, rel=0.05)
    known = mean_shift(found.r, found.pairs, everything, nested=True).estimate
    assert known.se > 1.3 * error  # what abilities take up of it


def test_the_error_of_the_slope_is_that_of_leaving_out_batches_with_everything_fitted_anew(
    cohort: Cohort, reference: Callable[[float, float], Reference]
) -> None:
    found = fitted_residuals(cohort.pairs, reference)

    def slope(pairs: Pairs) -> float:
        return slope_of(fitted_residuals(pairs, reference)).excess.estimate.value

    assert found.deviation.fitted
    assert slope_of(found).excess.estimate.se == pytest.approx(jackknife(cohort.pairs, slope), rel=0.1)


def test_what_the_share_of_confidences_moves_is_what_another_share_gives(
    cohort: Cohort, reference: Callable[[float, float], Reference]
) -> None:
    def less(sd: float, less_certain: float) -> Reference:
        return reference(sd, less_certain + 0.1)

    alone = fitted_residuals(cohort.pairs, reference)
    told = fitted_residuals(cohort.pairs, reference, certainty_influence(cohort))
    other = fitted_residuals(cohort.pairs, less)

    certainty = told.deviation.influence[:, 1]
    by_share = (
        (told.deviation.influence - alone.deviation.influence)[:, 0] @ certainty / (certainty @ certainty)
    )
    assert by_share == pytest.approx((alone.deviation.sd - other.deviation.sd) / 0.1, rel=0.2)


def test_a_share_of_confidences_below_the_step_moves_residuals_as_much_as_slightly_more_does(
    shared_data: Path, cohort: Cohort, world: World
) -> None:
    """Of the real item parameters: the items simulated in their absence are not near enough to these."""
    process = replace(judged_process(cohort), certain_share=0.005)

    def rare(sd: float, less_certain: float) -> Reference:
        share = max(process.certain_share - less_certain, 0.0)
        return world.reference(replace(process, sigma_deviation=sd, certain_share=share))

    told = fitted_residuals(cohort.pairs, rare, certainty_influence(cohort)).deviation
    sd = max(one for one in DEVIATIONS if one <= told.sd)
    own, more = (residuals_of(cohort.pairs, rare(sd, less)).r for less in (0.0, -0.001))

    change = (more - own) / 0.001
    assert told.change[:, 1] @ change / (change @ change) == pytest.approx(1, abs=0.15)


def test_a_slope_is_surer_where_the_confidences_that_it_hangs_on_are_the_studys_own(
    cohort: Cohort, reference: Callable[[float, float], Reference]
) -> None:
    known, told = (
        slope_of(fitted_residuals(cohort.pairs, reference, certainty)).excess.estimate
        for certainty in (None, certainty_influence(cohort))
    )

    assert told.value == known.value
    assert told.se < 0.95 * known.se
