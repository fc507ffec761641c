"""What a notebook has at hand as what the library computes with: lists, arrays, mappings, pandas and polars.

A table is anything with columns by name: a frame of pandas or polars, or a mapping of lists. Each refusal is
a ValueError that names the argument and the column.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from formats.item_parameters import ResponseModel
from psychometrics.calibration.fitting import PUBLISHED
from psychometrics.data.response_matrix import ResponseMatrix, response_matrix
from psychometrics.irt.bank import ItemBank
from psychometrics.irt.transform import Array

Table = Any  # with columns by name; no type holds pandas, polars and mappings without needing them


def item_bank(
    prompt_ids: Sequence[object],
    a: ArrayLike,
    b: ArrayLike,
    *,
    sigma_hat: float = np.nan,
    categories: Sequence[object] | None = None,
    logistic: bool = False,
) -> ItemBank:
    """A bank of items with discriminations `a` > 0 and difficulties `b` in logits, all (J,).

    `sigma_hat` is the residual SD of the calibration; without it there are no analytic intervals. `logistic`:
    fitted by the logistic 2PL. Raises ValueError for other shapes or numbers, or an id that occurs twice.
    """
    names = tuple(str(name) for name in prompt_ids)
    slopes, difficulties = numbers("a", a), numbers("b", b)
    parts = tuple(map(str, categories)) if categories is not None else ("",) * len(names)
    lengths = {"prompt_ids": len(names), "a": len(slopes), "b": len(difficulties), "categories": len(parts)}
    if len(set(lengths.values())) > 1:
        raise ValueError("; ".join(f"{name} has {size} items" for name, size in lengths.items()))
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise ValueError(f"prompt_ids holds {twice[0]!r} twice; keep one item for each prompt")
    if not (np.isfinite(slopes).all() and (slopes > 0).all()):
        raise ValueError("a must be finite and above 0")
    if not np.isfinite(difficulties).all():
        raise ValueError("b must be finite")
    model = ResponseModel.LOGISTIC if logistic else ResponseModel.LOGIT_NORMAL
    return ItemBank(names, slopes, difficulties, parts, PUBLISHED, float(sigma_hat), model)


def bank_from(bank: Table) -> ItemBank:
    """A bank as it is, or from a table with the columns prompt_id, a and b, and subcategory if it has one."""
    if isinstance(bank, ItemBank):
        return bank
    columns = columns_of("bank", bank, ("prompt_id", "a", "b"))
    return item_bank(columns["prompt_id"], columns["a"], columns["b"], categories=columns.get("subcategory"))


def matrix_from(matrix: Table) -> ResponseMatrix:
    """A matrix as it is; of a frame, whose columns are items; or of rows of scores (I, J), NaN for missing.

    A frame of pandas names configurations by its index, one of polars by its first column; of a mapping each
    key is an item. Where nothing names them, configurations and items are numbered from 1.
    """
    if isinstance(matrix, ResponseMatrix):
        return matrix
    if hasattr(matrix, "columns") and hasattr(matrix, "index"):  # pandas
        rows, items = ([str(name) for name in names] for names in (matrix.index, matrix.columns))
        return response_matrix(rows, items, scores_in("matrix", matrix.to_numpy()))
    if hasattr(matrix, "columns") or isinstance(matrix, Mapping):
        columns = columns_of("matrix", matrix, ())
        first = None if isinstance(matrix, Mapping) else columns.pop(next(iter(columns)))
        p = scores_in("matrix", list(columns.values())).T
        rows = [str(place + 1) for place in range(len(p))] if first is None else list(map(str, first))
        return response_matrix(rows, list(columns), p)
    p = scores_in("matrix", matrix)
    rows, items = ([str(place + 1) for place in range(size)] for size in p.shape)
    return response_matrix(rows, items, p)


def scores_in(argument: str, rows: ArrayLike) -> Array:
    """Rows of numbers as an array (I, J); None is NaN."""
    kind = getattr(getattr(rows, "dtype", None), "kind", "")
    if kind not in ("f", "i", "u", "b"):  # numbers already, which may be many
        if isinstance(rows, str) or not hasattr(rows, "__iter__"):
            raise ValueError(f"{argument} holds no rows of scores, but is a {type(rows).__name__}")
        if not all(hasattr(row, "__iter__") for row in rows):
            raise ValueError(f"{argument} has one dimension; expected configurations x items")
        found = [numbers(argument, row) for row in rows]
        if len({len(row) for row in found}) > 1:
            raise ValueError(f"{argument} has rows of different lengths")
        rows = np.stack(found) if found else np.empty((0, 0))
    p = np.asarray(rows, dtype=np.float64)
    if p.ndim != 2:
        raise ValueError(f"{argument} has shape {p.shape}; expected configurations x items")
    return p


def columns_of(argument: str, table: Table, required: Sequence[str]) -> dict[str, list[Any]]:
    """The columns of a table as lists."""
    names = table.keys() if isinstance(table, Mapping) else getattr(table, "columns", None)
    if names is None:
        raise ValueError(f"{argument} is no table with columns by name, but a {type(table).__name__}")
    held = [str(name) for name in names]
    if missing := [name for name in required if name not in held]:
        raise ValueError(f"{argument} has no column {missing[0]!r}; it has {', '.join(held) or 'none'}")
    return {name: list(table[name]) for name in held}


def numbers(argument: str, values: ArrayLike) -> Array:
    """Values (n,) as numbers; None, and what a frame has for it, is NaN."""
    try:
        rows = [np.nan if is_absent(value) else value for value in list(values)]  # type: ignore[arg-type]
        found = np.asarray(rows, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"{argument} holds something that is no number") from None
    if found.ndim != 1:
        raise ValueError(f"{argument} has shape {found.shape}; expected one number a row")
    return found


def whole_numbers(argument: str, values: ArrayLike) -> Array:
    """The same of whole numbers."""
    found = numbers(argument, values)
    if (broken := found[np.isinf(found) | (np.floor(found) != found) & ~np.isnan(found)]).size:
        raise ValueError(f"{argument} holds {broken[0]:g}; expected whole numbers")
    return found


def names(argument: str, values: Sequence[object], *, required: bool = False) -> list[str]:
    """Values (n,) as texts; what is absent is "", or refused where each row is `required` to have one."""
    if isinstance(values, str) or not hasattr(values, "__iter__"):
        raise ValueError(f"{argument} is no column, but a {type(values).__name__}")
    found = ["" if is_absent(value) else str(value) for value in values]
    if required and "" in found:
        raise ValueError(f"{argument} is empty in row {found.index('') + 1}")
    return found


def is_absent(value: object) -> bool:
    """Whether nothing is there: None, NaN, or the NA of pandas, which is equal to nothing and no truth."""
    return value is None or type(value).__name__ == "NAType" or (isinstance(value, float) and value != value)
