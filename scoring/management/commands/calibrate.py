"""manage.py calibrate MATRIX --out BANK.json: a bank of item parameters from a response matrix."""

import json
import tempfile
import time
from argparse import ArgumentParser, ArgumentTypeError
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from tqdm import tqdm

from formats.csv_rows import strict_number
from formats.item_parameters import ItemParameters, ResponseModel, write_item_parameters
from psychometrics.calibration import BankFit, FitOptions, NotCalibratable, fit_matrix
from psychometrics.calibration.fitting import OptionNames
from psychometrics.calibration.model import CENTRING, RIDGE
from psychometrics.calibration.reporting import description_of, parameters_of, report_of
from psychometrics.data.response_matrix_files import ResponseMatrixRefused
from scoring.readers.response_matrices import read_response_matrix

MAX_WEIGHT = 1_000_000
MODELS = {"logit-normal": ResponseModel.LOGIT_NORMAL, "logistic": ResponseModel.LOGISTIC}
NAMES = OptionNames(ridge="--lambda", model="--model logit-normal or --model logistic")


class Command(BaseCommand):
    help = (
        "Calibrate an item bank on MATRIX (.csv, .jsonl or .parquet): rows are configurations, the first "
        "column names them, every other column is an item; scores from 0 to 1, empty = missing. Writes the "
        "public item-parameter format and prints the fit as JSON. No database is needed."
    )
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("matrix", type=Path, metavar="MATRIX")
        parser.add_argument("--out", type=Path, required=True, metavar="BANK.json")
        parser.add_argument("--replace", action="store_true", help="overwrite BANK.json if it exists")
        parser.add_argument(
            "--lambda",
            dest="ridge",
            type=_positive,
            default=RIDGE,
            help=f"weight of mean (log a)^2, above 0; default {RIDGE}",
        )
        parser.add_argument(
            "--mu",
            dest="centring",
            type=_weight,
            default=CENTRING,
            help=f"weight of (mean theta)^2; default {CENTRING}; the exact solution does not depend on it",
        )
        parser.add_argument(
            "--solver",
            choices=["als", "adam"],
            default="als",
            help="als: exact (default); adam: the published optimiser, 10,007 steps, as a cross-check",
        )
        parser.add_argument(
            "--model",
            choices=list(MODELS),
            help="logit-normal: scores are means of responses or criteria; logistic: single responses; "
            "default: by the share of scores near 0 or 1",
        )
        parser.add_argument("--difficulty-only", action="store_true", help="fix every discrimination at 1")
        parser.add_argument(
            "--no-leave-one-out",
            dest="leave_one_out",
            action="store_false",
            help="do not fit again without each configuration, which takes most of the time",
        )

    def handle(self, *_: Any, **options: Any) -> None:
        out, matrix, replace = options["out"], options["matrix"], options["replace"]
        _refuse_to_write(out, matrix, replace=replace)
        try:
            found = fitted(matrix, options)
            _refuse_to_write(out, matrix, replace=replace)  # another program may have been faster
            _write_whole(out, parameters_of(found), description=description_of(found))
        except KeyboardInterrupt:
            raise CommandError("Stopped; no bank was written.", returncode=130) from None
        self.stdout.write(json.dumps(report_of(found) | {"bank": str(out)}, indent=1, allow_nan=False))


def _weight(text: str) -> float:
    value = _number(text)
    if not 0 <= value <= MAX_WEIGHT:
        raise ArgumentTypeError(f"{text!r} is no weight; write a number from 0 to {MAX_WEIGHT:,}")
    return value


def _positive(text: str) -> float:
    value = _number(text)
    if not 0 < value <= MAX_WEIGHT:
        raise ArgumentTypeError(
            f"{text!r} leaves discriminations open; write a number above 0, up to {MAX_WEIGHT:,}"
        )
    return value


def _number(text: str) -> float:
    number = strict_number(text)
    if number is None:
        raise ArgumentTypeError(f"{text!r} is no number; write 0.5, say")
    return number


def fitted(path: Path, options: dict[str, Any]) -> BankFit:
    """Read the matrix and fit it; what refuses it becomes one message."""
    chosen = FitOptions(
        ridge=options["ridge"],
        centring=options["centring"],
        solver=options["solver"],
        difficulty_only=options["difficulty_only"],
        model=MODELS.get(options["model"] or ""),
        leave_one_out=options["leave_one_out"],
    )
    try:
        matrix = read_response_matrix(path)
        with tqdm(unit="", leave=False, disable=None) as bar:
            return fit_matrix(
                matrix,
                options=chosen,
                clock=time.perf_counter,
                progress=lambda what, done, of: show(bar, what, done, of),
                names=NAMES,
            )
    except ResponseMatrixRefused as refusal:
        raise CommandError(f"The response matrix {path} cannot be read:\n{refusal}") from None
    except NotCalibratable as refusal:
        raise CommandError(f"The response matrix {path} cannot be calibrated:\n{refusal}") from None


def show(bar: "tqdm[Any]", what: str, done: int, of: int) -> None:
    bar.set_description(what, refresh=False)
    bar.total, bar.n = of or None, done
    bar.refresh()


def _refuse_to_write(out: Path, matrix: Path, *, replace: bool) -> None:
    """Where `out` is no place for the bank."""
    obstacle = ""
    try:
        if out.is_dir():
            obstacle = f"{out} is a folder; name a file in it."
        elif not out.parent.is_dir():
            obstacle = f"There is no folder {out.parent}; make it first."
        elif out.exists() and not out.is_file():
            obstacle = f"{out} is a device or a pipe; name a file."
        elif out.exists() and matrix.exists() and out.samefile(matrix):
            obstacle = f"{out} is the matrix itself; name another file for the bank."
        elif out.exists() and not replace:
            obstacle = f"{out} exists; name another file, or overwrite it with --replace."
    except OSError as error:
        obstacle = f"cannot write {out}: {error.strerror}; name another file."
    if obstacle:
        raise CommandError(obstacle)


def _write_whole(out: Path, parameters: ItemParameters, *, description: str) -> None:
    """Write beside the file and move it into place: nobody ever reads half a bank."""
    try:
        with tempfile.TemporaryDirectory(dir=out.parent, prefix=".calibrate-") as folder:
            whole = Path(folder) / out.name
            write_item_parameters(whole, parameters, description=description)
            whole.replace(out)
    except OSError as error:
        raise CommandError(f"cannot write {out}: {error.strerror}; check the folder and its rights") from None
