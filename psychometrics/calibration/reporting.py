"""What is written into the bank's file and what is printed of a fit."""

import math
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from formats.item_parameters import ItemParameter, ItemParameters, ResponseModel
from psychometrics.calibration.fitting import BankFit
from psychometrics.calibration.model import Calibration
from psychometrics.irt.transform import Array, Transform


def item_parameters_of(
    fit: Calibration,
    *,
    prompt_ids: Sequence[str],
    subcategories: Sequence[str] | None = None,
    transform: Transform,
    response_model: ResponseModel = ResponseModel.LOGIT_NORMAL,
) -> ItemParameters:
    """Columns in the order of `prompt_ids`; without sub-categories the file holds empty ones."""
    labels = [""] * len(prompt_ids) if subcategories is None else subcategories
    columns = zip(prompt_ids, fit.a.tolist(), fit.b.tolist(), labels, strict=True)
    return ItemParameters(
        items=tuple(ItemParameter(*column) for column in columns),
        squeeze_scale=transform.scale,
        squeeze_offset=transform.offset,
        sigma_hat=fit.sigma_hat,
        n_models=len(fit.theta),
        r_squared=None if math.isnan(fit.r_squared) else fit.r_squared,
        response_model=response_model,
    )


def parameters_of(bank_fit: BankFit) -> ItemParameters:
    return item_parameters_of(
        bank_fit.fit, prompt_ids=bank_fit.matrix.items, transform=bank_fit.transform,
        response_model=bank_fit.response_model,
    )  # fmt: skip


def description_of(bank_fit: BankFit) -> str:
    matrix = bank_fit.matrix
    return (
        f"Item parameters calibrated on {len(matrix.configurations)} configurations and "
        f"{matrix.responses} responses; {bank_fit.model}: {bank_fit.reason}. "
        + " ".join(f"Note: {note}." for note in bank_fit.notes)
    ).strip()


def report_of(bank_fit: BankFit) -> dict[str, Any]:
    """What is printed; a number that does not exist is null."""
    fit, matrix = bank_fit.fit, bank_fit.matrix
    return {
        "model": bank_fit.model,
        "model_reason": bank_fit.reason,
        "solver": bank_fit.solver,
        "configurations": len(matrix.configurations),
        "items": len(matrix.items),
        "responses": matrix.responses,
        "loss": fit.loss,
        "sweeps": fit.sweeps,
        "converged": fit.converged,
        "gradient": fit.gradient,
        "r_squared": _number(fit.r_squared),
        "sigma_hat": fit.sigma_hat,
        "seconds": round(bank_fit.seconds, 6),
        "newton": None if bank_fit.check is None else _numbers(asdict(bank_fit.check)),
        "leave_one_out": _leave_one_out_of(bank_fit),
        "extreme_items": [
            {
                "item": matrix.items[j],
                "a": float(fit.a[j]),
                "b": float(fit.b[j]),
                "ab": float(fit.a[j] * fit.b[j]),
            }
            for j in bank_fit.extreme_items
        ],
        "notes": list(bank_fit.notes),
        "abilities": _numbers(bank_fit.abilities),
    }


def _leave_one_out_of(bank_fit: BankFit) -> dict[str, Any] | None:
    """Held-out minus joint abilities in logits, as published and with the scales aligned, and their sizes."""
    if bank_fit.left_out is None:
        return None
    published, aligned = bank_fit.left_out.difference, bank_fit.left_out.aligned
    columns = zip(bank_fit.matrix.configurations, published.tolist(), aligned.tolist(), strict=True)
    return {
        "published": _sizes(published),
        "aligned": _sizes(aligned),
        "differences": {name: _numbers({"published": p, "aligned": a}) for name, p, a in columns},
    }


def _sizes(differences: Array) -> dict[str, Any]:
    sizes = np.abs(differences[~np.isnan(differences)])
    if not len(sizes):
        return dict.fromkeys(("max", "mean", "median", "p95"))
    return {
        "max": float(sizes.max()),
        "mean": float(sizes.mean()),
        "median": float(np.median(sizes)),
        "p95": float(np.quantile(sizes, 0.95)),
    }


def _numbers(values: dict[str, Any]) -> dict[str, Any]:
    return {name: _number(value) if isinstance(value, float) else value for name, value in values.items()}


def _number(value: float) -> float | None:
    return value if math.isfinite(value) else None
