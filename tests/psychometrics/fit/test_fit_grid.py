"""Person fit of everybody, counted on a grid."""

import numpy as np
import pytest

from psychometrics.fit.abilities import Prior
from psychometrics.fit.people import Cell, PersonFit, fit_grid
from psychometrics.irt.transform import Array


def fit_of(correlation: Array, outfit_per_pair: Array, p: Array) -> PersonFit:
    people, ten = len(p), np.full(len(p), 10)
    nothing = np.zeros(people)
    return PersonFit(
        person=np.arange(people), n=ten, theta=nothing, correlation=correlation, outfit=10 * outfit_per_pair,
        p_correlation=p, p_outfit=np.ones(people), misfit=nothing, extremity=nothing, residual_sd=1.0,
        prior=Prior(0.0, 1.0, np.ones(1)), replicates=99,
    )  # fmt: skip


def test_people_of_one_cell_are_counted_by_whether_they_are_flagged() -> None:
    # Cells from 0.40 to 0.45 by 10^0 to 10^0.1, and from -0.15 to -0.10 by 10^0.6 to 10^0.7.
    fit = fit_of(
        np.array([0.41, 0.44, 0.42, -0.12]),
        np.array([1.01, 1.2, 1.25, 4.0]),
        np.array([0.5, 0.6, 0.05, 0.01]),
    )

    assert fit_grid(fit) == [
        Cell(correlation=-0.125, outfit=round(10**0.65, 4), fitting=0, flagged=1),
        Cell(correlation=0.425, outfit=round(10**0.05, 4), fitting=2, flagged=1),
    ]


def test_nobody_beyond_the_ends_is_lost_and_who_has_no_correlation_has_no_cell() -> None:
    fit = fit_of(
        np.array([1.0, -1.0, np.nan, 0.0]), np.array([1e9, 0.0, 1.0, 1.0]), np.array([0.5, 0.5, 0.5, 0.5])
    )

    cells = fit_grid(fit)

    assert sum(cell.fitting + cell.flagged for cell in cells) == 3
    assert [cell.correlation for cell in cells] == pytest.approx([-0.975, 0.025, 0.975])
    assert max(cell.outfit for cell in cells) < 100


def test_without_anybody_there_is_no_cell() -> None:
    assert fit_grid(fit_of(np.zeros(0), np.zeros(0), np.zeros(0))) == []
