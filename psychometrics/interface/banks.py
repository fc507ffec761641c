"""Calibrate an item bank on a matrix of scores, and keep it."""

import time
from pathlib import Path

from numpy.typing import ArrayLike

from formats.item_parameters import write_item_parameters
from psychometrics.calibration.fitting import BankFit, FitOptions, fit_matrix
from psychometrics.calibration.reporting import description_of, parameters_of
from psychometrics.data.response_matrix import ResponseMatrix
from psychometrics.data.response_matrix_files import read_response_matrix
from psychometrics.interface.arguments import Table, matrix_from
from psychometrics.interface.scores import StrPath
from psychometrics.irt.bank import ItemBank, item_bank_from


def load_response_matrix(path: StrPath) -> ResponseMatrix:
    """Scores (I x J) of configurations on items from a .csv or .jsonl file; empty or null is missing.

    Raises ResponseMatrixRefused with every problem of the file.
    """
    return read_response_matrix(Path(path))


def calibrate(matrix: ResponseMatrix | Table | ArrayLike, options: FitOptions | None = None) -> BankFit:
    """Fit a (logits per logit) and b (logits) of every item, and theta of every configuration.

    Means of several responses or criteria: the published ridge objective on logits of scores (GIM paper,
    section 4). Single right-or-wrong responses: the logistic 2PL. The scores tell which, or `options.model`.
    Fewer than 20 configurations: a = 1. `notes` of the result say what to know before the bank is used.
    `matrix` may be a frame (pandas: the index names configurations; polars: the first column does) or rows of
    scores. Raises NotCalibratable with one sentence per problem, ValueError for what is no matrix of scores.
    """
    return fit_matrix(matrix_from(matrix), options=options or FitOptions(), clock=time.perf_counter)


def item_bank_of(fit: BankFit) -> ItemBank:
    """The calibrated items as a bank to score with."""
    return item_bank_from(parameters_of(fit))


def save_item_bank(path: StrPath, fit: BankFit) -> None:
    """Write the bank as JSON, as `load_item_bank` reads it; replaces a file of that name. Raises OSError."""
    write_item_parameters(Path(path), parameters_of(fit), description=description_of(fit))
