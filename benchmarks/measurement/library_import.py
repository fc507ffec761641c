"""How long importing the library takes above importing numpy and scipy.

Run:  python -m benchmarks.measurement.library_import [--runs 15]

Each import is a process of its own; the three take turns, so that a busy moment of the machine meets all.
"""

import argparse
import statistics
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BELOW = "import numpy, scipy.linalg, scipy.optimize, scipy.sparse, scipy.sparse.csgraph, scipy.special"
IMPORTS = {
    "numpy and scipy": BELOW,
    "and psychometrics": f"{BELOW}; import psychometrics",
    "and all of its public names": f"{BELOW}; from psychometrics import *",
}


def seconds(code: str) -> float:
    """Wall time of one process, start of Python included."""
    began = time.perf_counter()
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)
    return time.perf_counter() - began


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--runs", type=int, default=15)
    runs = parser.parse_args().runs
    for code in IMPORTS.values():
        seconds(code)  # the first run writes the bytecode
    taken: dict[str, list[float]] = {name: [] for name in IMPORTS}
    for _ in range(runs):
        for name, code in IMPORTS.items():
            taken[name].append(seconds(code))
    below = statistics.median(taken["numpy and scipy"])
    for name, times in taken.items():
        median = statistics.median(times)
        print(f"{name:30} {median:.2f} s   {median / below:.2f} x   {median - below:+.2f} s")


if __name__ == "__main__":
    main()
