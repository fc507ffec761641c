"""Tables for pandas or polars, whichever is installed; this library needs neither."""

from collections.abc import Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Literal

Library = Literal["pandas", "polars"]
LIBRARIES: tuple[Library, ...] = ("pandas", "polars")


def frame_of(columns: Mapping[str, Sequence[object]], library: Library | None = None) -> Any:
    """A DataFrame of columns of equal length: of `library`, or of pandas, or else of polars.

    Raises ImportError where it is not installed.
    """
    name = library or next((name for name in LIBRARIES if find_spec(name)), None)
    if name is None or find_spec(name) is None:
        wanted = name or "pandas or polars"
        raise ImportError(
            f"to_frame() needs {wanted}; install it, for example with: pip install {name or 'pandas'}"
        )
    return import_module(name).DataFrame({label: list(values) for label, values in columns.items()})
