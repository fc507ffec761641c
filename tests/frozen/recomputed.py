"""What an export's own script says of its numbers: how many agree, and what it leaves out."""

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

LINE = re.compile(r" *(\d+) +(\d+) +(\d+)  (.+)")
Recomputed = dict[str, Any]


def export_recomputed(folder: Path) -> Recomputed:
    """Run `recompute.py` as a reader does: alone, isolated from everything of ours.

    `agree` and `differ` count numbers, `left_out` counts those that are not computed, by name; `said` is the
    last line.
    """
    command = [sys.executable, "-I", "recompute.py"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    lines = done.stdout.splitlines()
    found = [match for match in map(LINE.fullmatch, lines) if match]
    return {
        "exit_code": done.returncode,
        "agree": sum(int(one[1]) for one in found),
        "differ": sum(int(one[2]) for one in found),
        "left_out": {one[4]: int(one[3]) for one in found if int(one[3])},
        "said": lines[-1] if lines else done.stderr,
    }
