"""Random draws again: each block draws from a stream of its own, which the manifest's seed begins."""

import math
import zlib
from collections.abc import Iterator

import numpy as np

from scoring.export.recomputing.reading import Array, Run, Values

CELLS_AT_ONCE = 300_000  # how many numbers are drawn in one go: part of the order of the draws


def stream(run: Run, block: str) -> np.random.Generator:
    """Numpy's generator as it stood before the block drew anything."""
    return np.random.default_rng([run.entry["measurement"]["seed"], zlib.crc32(block.encode())])


def resamples(run: Run) -> int:
    return int(run.entry["measurement"]["resamples"])


def draws_of(number: int, draws: int, rng: np.random.Generator) -> Iterator[Array]:
    """How often each of `number` is drawn with replacement: blocks (r, number), `draws` rows in all."""
    rows = max(1, CELLS_AT_ONCE // number)
    for start in range(0, draws, rows):
        drawn = rng.integers(0, number, size=(min(rows, draws - start), number))
        yield np.stack([np.bincount(one, minlength=number) for one in drawn])


def spread_of(value: float, drawn: Array) -> Values:
    """A value with standard deviation and 95 % range of its draws, NaN where undefined.

    Without both where the range does not hold the value.
    """
    defined = drawn[~np.isnan(drawn)]
    if math.isnan(value) or len(defined) < 2:
        return {"value": value}
    low, high = np.quantile(defined, [0.025, 0.975])
    rounding = 1e-12 * max(abs(value), 1.0)
    if value < low - rounding or value > high + rounding:
        return {"value": value}
    return {"value": value, "se": float(defined.std(ddof=1)), "low": float(low), "high": float(high)}
