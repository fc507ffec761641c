"""The numbers of an export computed again in this process, by the library whose archive the export has.

A start of Python that reads the library out of that archive takes longer than most exports. That the script
of an export runs by itself is tested in tests/scoring/recompute.
"""

from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path

from psychometrics.recompute.__main__ import main


def computed_again(folder: Path) -> tuple[int, str]:
    """The exit code, and what is said."""
    said, errors = StringIO(), StringIO()
    with redirect_stdout(said), redirect_stderr(errors):
        code = main([str(folder)])
    assert not errors.getvalue()
    return code, said.getvalue()
