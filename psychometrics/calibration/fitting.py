"""From a response matrix to a bank with everything one must know about it."""

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import numpy as np

from formats.item_parameters import MAX_PARAMETER, ResponseModel
from psychometrics.calibration.adam import calibrate_with_adam
from psychometrics.calibration.blas import one_blas_thread
from psychometrics.calibration.design import MIN_FOR_DISCRIMINATION, NAMED, named, refusals, threads
from psychometrics.calibration.model import CENTRING, RIDGE, Calibration, NotCalibratable, Objective
from psychometrics.calibration.newton import MAX_ABILITIES, NewtonCheck, newton_check
from psychometrics.calibration.notes import fit_notes, model_notes, unbounded_rows
from psychometrics.calibration.problems import LeastSquares, LeaveOneOut, Logistic, Problem, leave_one_out
from psychometrics.calibration.responses import responses_of
from psychometrics.data.response_matrix import ResponseMatrix
from psychometrics.inference.readable import Library, frame_of, number_text
from psychometrics.irt.transform import Transform

Solver = Literal["als", "adam"]
Progress = Callable[[str, int, int], None]  # what, how much is done, of how much (0 = unknown)

PUBLISHED = Transform(scale=0.998, offset=0.001)
# Wrong answers score 0 whatever the judge's confidence, right ones their confidence.
NEAR_ZERO, NEAR_ONE = 0.05, 0.75
# Means of several responses or criteria stay below the first share, single responses above the second.
# Between them one cell could decide, so the operator does.
FEW_NEAR, MAX_NEAR = 0.85, 0.95
FARTHEST_LOGIT = 6.5  # items with |a b| above it: failed or passed by nearly everybody
MIN_SIGMA = 1e-9


@dataclass(frozen=True)
class OptionNames:
    """What whoever calls knows the options by, for sentences that tell of them."""

    ridge: str = "FitOptions(ridge=...)"
    model: str = 'FitOptions(model=...), "2PL_logit_normal" or "2PL_logistic"'


@dataclass(frozen=True)
class FitOptions:
    """Weights of the objective, the solver, and whether all discriminations are 1.

    `model`: None lets the share of scores near 0 or 1 choose. `leave_one_out`: fit again without each
    configuration, which takes most of the time.
    """

    ridge: float = RIDGE
    centring: float = CENTRING
    solver: Solver = "als"
    difficulty_only: bool = False
    model: ResponseModel | None = None
    leave_one_out: bool = True


@dataclass(frozen=True, eq=False)
class BankFit:
    """A fitted bank with the matrix it rests on. `check` and `left_out` are None where `notes` say why.

    `reason` is why it is this response model.
    """

    matrix: ResponseMatrix
    response_model: ResponseModel
    reason: str
    transform: Transform
    model: str
    solver: str
    fit: Calibration
    check: NewtonCheck | None
    left_out: LeaveOneOut | None
    seconds: float
    notes: tuple[str, ...]

    def __repr__(self) -> str:
        matrix, fit = self.matrix, self.fit
        left = "" if self.left_out is None else ", checked by leaving each configuration out once"
        return (
            f"BankFit({self.model}: {len(matrix.items)} items from {len(matrix.configurations)} "
            f"configurations, sigma_hat {number_text(fit.sigma_hat)}, R2 {number_text(fit.r_squared)}{left})"
        )

    @property
    def abilities(self) -> dict[str, float]:
        """Theta (logits) of each configuration, on the scale that `FitOptions.centring` puts it on; NaN where
        all scores are 1, or all 0.
        """
        alike = np.any(list(unbounded_rows(self.matrix).values()), axis=0)
        theta = np.where(alike, np.nan, self.fit.theta)
        return dict(zip(self.matrix.configurations, theta.tolist(), strict=True))

    def to_frame(self, library: Library | None = None) -> Any:
        """One row an item: prompt_id, a, b (logits) and responses. Raises ImportError as `frame_of` does."""
        columns = {
            "prompt_id": self.matrix.items, "a": self.fit.a.tolist(), "b": self.fit.b.tolist(),
            "responses": self.matrix.item_counts.tolist(),
        }  # fmt: skip
        return frame_of(columns, library)

    @property
    def extreme_items(self) -> list[int]:
        """Columns with |a b| > 6.5, the farthest first."""
        far = np.abs(self.fit.a * self.fit.b)
        return [int(j) for j in np.argsort(-far, kind="stable") if far[j] > FARTHEST_LOGIT]


def fit_matrix(
    matrix: ResponseMatrix,
    *,
    options: FitOptions,
    clock: Callable[[], float],
    transform: Transform = PUBLISHED,
    progress: Progress = lambda *_: None,
    names: OptionNames = OptionNames(),
) -> BankFit:
    """Check the design, choose the model, fit, check the fit, leave every configuration out once.

    `clock` gives seconds. Raises NotCalibratable with one sentence per problem.
    """
    matrix, empty = matrix.without_empty()
    if problems := list(refusals(matrix)):
        raise NotCalibratable("\n".join(problems))
    response_model, reason = _chosen_model(matrix, options, names)
    problem = _problem(matrix, options, response_model, transform)
    logistic = isinstance(problem, Logistic)
    with one_blas_thread() if logistic else nullcontext():
        started = clock()
        fit, check = _fit(problem, options, progress)
        seconds = clock() - started
        _refuse_unusable(matrix, fit, names)
        left_out = None
        if options.leave_one_out and problem.may_be_refitted:
            number = len(fit.theta)
            left_out = leave_one_out(
                problem, fit, progress=lambda done: progress("without one configuration", done, number)
            )
    notes = [
        *([f"left out, because they have no score: {named(empty, len(empty))}"] if empty else []),
        *model_notes(matrix, difficulty_only=options.difficulty_only, logistic=logistic),
        *fit_notes(matrix, fit, check, left_out, logistic=logistic, asked=options.leave_one_out),
        *threads(matrix),
    ]
    return BankFit(
        matrix=matrix, response_model=response_model, reason=reason, transform=transform, model=problem.name,
        solver="lbfgs" if logistic else options.solver, fit=fit, check=check, left_out=left_out,
        seconds=seconds, notes=tuple(notes),
    )  # fmt: skip


def _refuse_unusable(matrix: ResponseMatrix, fit: Calibration, names: OptionNames) -> None:
    """Refuse a bank without a residual, or with parameters that no item-parameter file holds."""
    if fit.sigma_hat < MIN_SIGMA:
        raise NotCalibratable(
            "the model reproduces every score exactly, so sigma_hat is 0 and no ability would have an "
            "interval; give measured scores"
        )
    wild = np.flatnonzero(np.maximum(fit.a, np.abs(fit.b)) > MAX_PARAMETER)
    if len(wild):
        examples = [f"{matrix.items[j]} (a = {fit.a[j]:.2g}, b = {fit.b[j]:.2g})" for j in wild[:NAMED]]
        raise NotCalibratable(
            f"items with parameters beyond {MAX_PARAMETER:,.0f}, {len(wild):,}: "
            f"{named(examples, len(wild))}; more of {names.ridge} keeps their discriminations from 0, "
            "or leave these columns out"
        )


def _chosen_model(
    matrix: ResponseMatrix, options: FitOptions, names: OptionNames
) -> tuple[ResponseModel, str]:
    """The response model, and why it is this one. Raises NotCalibratable where the scores do not say."""
    p = matrix.p.data
    near = float(((p <= NEAR_ZERO) | (p >= NEAR_ONE)).mean())
    share = f"{100 * near:.1f} % of the scores are near 0 or 1 (up to {NEAR_ZERO} or from {NEAR_ONE})"
    if options.model is not None:
        return ResponseModel(options.model), f"as asked for; {share}"
    if near > MAX_NEAR:
        return ResponseModel.LOGISTIC, f"{share}, so they are taken as single responses"
    if near < FEW_NEAR:
        return ResponseModel.LOGIT_NORMAL, f"{share}, so they are taken as means of responses or criteria"
    raise NotCalibratable(
        f"{share}: more than means of several responses or criteria have, fewer than single responses; say "
        f"which they are with {names.model}"
    )


def _problem(
    matrix: ResponseMatrix, options: FitOptions, model: ResponseModel, transform: Transform
) -> Problem:
    discriminating = not options.difficulty_only and len(matrix.configurations) >= MIN_FOR_DISCRIMINATION
    objective = Objective(options.ridge, options.centring, discriminating)
    if model is ResponseModel.LOGIT_NORMAL:
        return LeastSquares(responses_of(matrix.logits(transform), overwrite=True), objective)
    if options.solver == "adam":
        raise NotCalibratable(
            "these are single responses, which the logistic model fits; adam is a cross-check of least "
            "squares only: use the solver als"
        )
    return Logistic(responses_of(matrix.sparse_logits(transform), overwrite=True), objective)


def _fit(problem: Problem, options: FitOptions, progress: Progress) -> tuple[Calibration, NewtonCheck | None]:
    if options.solver == "adam":
        adam = calibrate_with_adam(problem.data, problem.objective, progress=partial(progress, "Adam steps"))
        return adam, None
    fit = problem.fit(progress=lambda done: progress("sweeps", done, 0))
    if isinstance(problem, LeastSquares) and problem.data.shape[0] <= MAX_ABILITIES:
        return newton_check(problem.data, fit, problem.objective)
    return fit, None
