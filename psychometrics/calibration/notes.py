"""Sentences that go with a bank: which model was chosen, and what the fit left open."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from psychometrics.calibration.design import MIN_FOR_DISCRIMINATION, MIN_RESPONSES, NAMED, named
from psychometrics.calibration.model import Calibration
from psychometrics.calibration.newton import MAX_ABILITIES, NewtonCheck
from psychometrics.calibration.problems import LeaveOneOut
from psychometrics.data.response_matrix import ResponseMatrix


def model_notes(matrix: ResponseMatrix, *, difficulty_only: bool, logistic: bool) -> Iterator[str]:
    """Which model was chosen, where it was not asked for."""
    number = len(matrix.configurations)
    if number < MIN_FOR_DISCRIMINATION and not difficulty_only:
        yield (
            f"difficulty only (a = 1): {number} configurations are fewer than the "
            f"{MIN_FOR_DISCRIMINATION} that discriminations need"
        )
    if logistic:
        yield (
            "fitted by the logistic model: joint penalised likelihood, the same ridge on log a, gauge "
            "mean(theta) = mean(log a) = 0; "
            "r_squared is the share of deviance explained; theta_QL is the score that fits this bank, "
            "while theta of equation 2 stretches its scale"
        )
    for value, alike in unbounded_rows(matrix).items():
        names = [matrix.configurations[i] for i in np.flatnonzero(alike)]
        if names:
            yield (
                f"every score is {value}: {named(names, len(names))}; no finite ability fits, so none is "
                "given (no_finite_solution); in the fit and its leave-one-out the squeeze of scores sets it"
            )


def unbounded_rows(matrix: ResponseMatrix) -> dict[int, NDArray[np.bool_]]:
    """Configurations (I,) all of whose scores are 1, and all of whose scores are 0; nobody is empty here."""
    sums = np.add.reduceat(matrix.p.data, matrix.p.indptr[:-1])
    return {1: sums == np.diff(matrix.p.indptr), 0: sums == 0}


def fit_notes(
    matrix: ResponseMatrix,
    fit: Calibration,
    check: NewtonCheck | None,
    left_out: LeaveOneOut | None,
    *,
    logistic: bool,
    asked: bool,
) -> Iterator[str]:
    """What the fit left open; `asked`: for leaving out each configuration."""
    if not fit.converged:
        yield (
            f"the search ended after {fit.sweeps} sweeps without converging: the responses hardly determine "
            "some parameters; collect more responses per item"
        )
    if check is not None and not check.minimum:
        yield "the curvature is not positive in every direction, so this may be no minimum; check the items"
    if check is None and not logistic and len(matrix.configurations) > MAX_ABILITIES:
        yield f"no Newton check above {MAX_ABILITIES:,} configurations; the gradient stands for it"
    if left_out is None and asked:
        yield "leave-one-configuration-out is not computed at this size: the refits would take too long"
    elif left_out is not None and len(left_out.unlinked):
        alone = [matrix.configurations[i] for i in left_out.unlinked[:NAMED]]
        yield (
            "parts of the matrix hang together by one configuration: "
            f"{named(alone, len(left_out.unlinked))}; without it they are compared by nothing, so it has no "
            "leave-one-out; let more configurations answer items of both parts"
        )
    few = int((matrix.item_counts < 2 * MIN_RESPONSES).sum())
    if few:
        yield f"items with fewer than {2 * MIN_RESPONSES} responses, whose parameters are rough: {few:,}"
