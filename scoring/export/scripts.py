"""What computes an export's numbers again: a short command, the library that it runs, an independent script.

The library are the very formulas that computed the numbers; the independent script was written from the
papers alone, and computes what a paper quotes.
"""

import io
import zipfile
from functools import cache
from pathlib import Path

SCRIPT_NAME = "recompute.py"
LIBRARY_NAME = "psychometrics.zip"
INDEPENDENT_NAME = "independent.py"
ROOT = Path(__file__).resolve().parents[2]
ROOMS = ("formats", "psychometrics")  # less what only builds the wheel
NO_TIME = (1980, 1, 1, 0, 0, 0)  # the earliest that an archive can tell: equal files make equal archives
SCRIPT = '''#!/usr/bin/env python3
"""Compute the numbers of an export again, from its own tables, and say of each whether it agrees.

    python recompute.py [FOLDER]        the folder of the export; without it, the one this file lies in

Needs Python 3.11 or later, numpy and scipy, and psychometrics.zip beside this file: the library with every
formula as it was when the export was written. Numbers agree where they differ by no more than 1e-9 (times
their size, if that is above 1). What cannot be computed from an export is counted, and each reason is said
once. Exit code 1 if a number differs or a file is not the one that the manifest names, 2 if the folder is no
export or Python lacks something, else 0.

independent.py beside it was written by itself, from the papers, in numpy alone.
"""

import importlib.util
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent


def missing():
    """What it lacks here, in a sentence; nothing where all is there."""
    if sys.version_info < (3, 11):
        return "recompute.py needs Python 3.11 or later; this is Python %d.%d." % sys.version_info[:2]
    lacking = [name for name in ("numpy", "scipy") if importlib.util.find_spec(name) is None]
    if lacking:
        return "recompute.py needs %s: python -m pip install numpy scipy" % " and ".join(lacking)
    if not (HERE / "psychometrics.zip").is_file():
        return "recompute.py needs psychometrics.zip beside it, which the export has."
    return ""


if __name__ == "__main__" and missing():
    sys.stderr.write(missing() + "\\n")
    sys.exit(2)
sys.path.insert(0, str(HERE / "psychometrics.zip"))

from psychometrics.recompute.__main__ import main  # noqa: E402

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:] or [str(HERE)]))
'''


def independent_script() -> str:
    """The short script, `scoring.export.independent` as it stands."""
    return (Path(__file__).parent / INDEPENDENT_NAME).read_text(encoding="utf-8")


@cache
def library_archive() -> bytes:
    """The library as a zip that Python imports from; the same bytes for the same sources."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for path in sorted(path for room in ROOMS for path in (ROOT / room).rglob("*.py")):
            if "packaging" in path.parts:
                continue
            entry = zipfile.ZipInfo(path.relative_to(ROOT).as_posix(), NO_TIME)
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, path.read_bytes())
    return packed.getvalue()
