"""Small matrices are quickest on one thread: on more, each product waits for threads that do next to nothing.

numpy and scipy bring OpenBLAS along in their wheels and tell no public name for its threads. Where another
library stands behind them nothing is changed.
"""

import ctypes
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path

import numpy as np
import scipy

NAMES = ("scipy_openblas_{}_num_threads64_", "scipy_openblas_{}_num_threads", "openblas_{}_num_threads")
Control = tuple[Callable[[], int], Callable[[int], None]]


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Within it OpenBLAS takes one thread, in the whole process."""
    before = [(put, get()) for get, put in _controls()]
    try:
        for put, _ in before:
            put(1)
        yield
    finally:
        for put, number in before:
            put(number)


@cache
def _controls() -> tuple[Control, ...]:
    """How to ask for the number of threads of each OpenBLAS that is loaded, and how to set it."""
    found = []
    for package in (np, scipy):
        folder = Path(package.__file__ or "").parent
        for path in sorted(Path(f"{folder}.libs").glob("*openblas*")):
            with suppress(OSError):
                library = ctypes.CDLL(str(path))
                found += [
                    (getattr(library, name.format("get")), getattr(library, name.format("set")))
                    for name in NAMES
                    if hasattr(library, name.format("set")) and hasattr(library, name.format("get"))
                ][:1]
    return tuple(found)
