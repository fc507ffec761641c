"""Compute the numbers of an export again: `python -m psychometrics.recompute FOLDER`.

Says of every number whether it agrees (it differs by no more than 1e-9, times its size if that is above 1).
What cannot be computed from an export is counted, and each reason is said once. Exit code 1 if a number
differs or a file is not the one that the manifest names, 2 if the folder is no export, else 0.
"""

import json
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from psychometrics.recompute.comparing import Compared, compared
from psychometrics.recompute.counted import counted
from psychometrics.recompute.export import Export

SAY_EVERY = 10  # seconds
EXAMPLES = 3  # names that a reason is said with


def main(arguments: list[str]) -> int:
    """Compare the export in the folder that is named, or else in the present one."""
    folder = Path(arguments[0]) if arguments else Path()
    try:
        manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
        return _report(Export(folder, manifest))
    except OSError as error:
        sys.stderr.write(f"{folder} is not an export: {error.strerror}\n")
    except (ValueError, KeyError, TypeError) as error:
        sys.stderr.write(f"{folder} is not a whole export: {type(error).__name__} {error}\n")
    return 2


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")


def _report(export: Export) -> int:
    """Print what came out; the exit code."""
    measured = [run["measurement"] for run in export.manifest["runs"] if run["measurement"]]
    if not all(measurement.get("methods") for measurement in measured):
        _say("Measured by methods of before: errors and details are not compared.")
    changed = export.changed_files()
    for name in changed:
        _say(f"{name} is not the file that the manifest names")
    names: dict[str, list[Compared]] = defaultdict(list)
    reported_at = time.monotonic()
    for number, comparison in enumerate(compared(export), start=1):
        if time.monotonic() - reported_at > SAY_EVERY:
            reported_at = time.monotonic()
            sys.stderr.write(f"numbers so far: {number}, now {comparison.what}\n")
        names[comparison.what].append(comparison)
    _say(f"{'agree':>8} {'differ':>8} {'not here':>9}  what")
    for what, comparisons in names.items():
        wrong = [comparison for comparison in comparisons if comparison.agrees is False]
        right = sum(comparison.agrees is True for comparison in comparisons)
        _say(f"{right:>8} {len(wrong):>8} {sum(map(_is_left_out, comparisons)):>9}  {what}")
        for comparison in wrong[:5]:
            _say(f"{'':>28}differs: {comparison.note}")
    _say_reasons(names)
    _say("Counted from the tables, to be read beside the methods and the checklist of a report:")
    for what, count in counted(export):
        _say(f"{'':>28}{what}: {count}")
    everything = [comparison for of_name in names.values() for comparison in of_name]
    return _conclude(everything, changed=bool(changed))


def _conclude(everything: list[Compared], *, changed: bool) -> int:
    agreeing, differing = (
        sum(comparison.agrees is which for comparison in everything) for which in (True, False)
    )
    if empty := sum(comparison.empty for comparison in everything):
        _say(f"Rows without a number, with the reason why: {empty}")
    if differing:
        _say(f"Random draws are repeated with numpy {np.__version__}; another version may draw otherwise.")
    if not agreeing + differing:
        _say("No number of this export could be computed from its tables.")
        return 1
    _say(
        "Everything that could be computed agrees." if not differing else f"Numbers that differ: {differing}"
    )
    return int(bool(differing or changed))


def _say_reasons(names: Mapping[str, list[Compared]]) -> None:
    """Every reason why numbers are not here, once: how many these are, and some of their names."""
    reasons: dict[str, Counter[str]] = defaultdict(Counter)
    for what, found in names.items():
        for comparison in filter(_is_left_out, found):
            reasons[comparison.note][what] += 1
    if reasons:
        _say("Not here, and why:")
    for reason, left_out in reasons.items():
        more = len(left_out) - EXAMPLES
        examples = [*[*left_out][:EXAMPLES], *([f"and {more} more"] if more > 0 else [])]
        _say(f"{left_out.total():>8} x {reason}:")
        _say(f"{'':>11}{'; '.join(examples)}")


def _is_left_out(comparison: Compared) -> bool:
    return comparison.agrees is None and not comparison.empty


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
