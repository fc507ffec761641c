"""The pilot at full size, from an empty database to the exported result: `make rehearsal`.

820 synthetic prompts with the published item parameters, 246 simulated people over HTTP, machine-checked
scores, theta, export. Prints the seconds of each step and the peak memory of the largest process.
DATABASE_URL and REDIS_URL choose PostgreSQL and Redis; the database must be empty.
"""

import argparse
import json
import os
import platform
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.measurement.synthetic_bank import write_synthetic_bank

ROOT = Path(__file__).resolve().parents[2]
STUDY = "rehearsal"


def main() -> None:
    arguments = parse_arguments()
    if not arguments.item_bank.is_file():
        sys.exit(
            f"{arguments.item_bank} is not there; name the published item-parameter file: --item-bank FILE"
        )
    with tempfile.TemporaryDirectory(prefix="chiron-rehearsal-") as name:
        folder = Path(name)
        bank, items = write_synthetic_bank(folder, arguments.item_bank)
        protocol = folder / "protocol.json"
        protocol.write_text(json.dumps({"judge_kind": "checks"}))
        environment = {**os.environ, "CHIRON_DATA_DIR": str(folder / "data")}
        seconds = {
            step[0]: timed(step, environment)
            for step in (
                ["migrate", "--verbosity", "0"],
                ["import_bank", "chiron", str(bank), "--slug", "synthetic", "--strict"],
                ["import_item_bank", str(items), "--slug", "synthetic-items", "--bank", "synthetic"],
                [
                    *("create_study", STUDY, "--bank", "synthetic", "--item-bank", "synthetic-items"),
                    *("--protocol", str(protocol), "--simulated"),
                ],
                ["build_batches", STUDY],
                ["freeze_study", STUDY],
                ["rehearse", STUDY, "--at-once", str(arguments.at_once)],
                ["add_staff", "lead@example.org"],
                [
                    *("screen_study", STUDY, "--confirm-all", "--by", "lead@example.org"),
                    *("--reason", "Rehearsal: flagged answers are off-task by design."),
                ],
                ["score_study", STUDY],
                ["export_study", STUDY, str(folder / "export")],
            )
        }
    report(seconds)


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    default = ROOT.parent / "shared" / "data" / "gim" / "irt_params.json"
    parser.add_argument("--item-bank", type=Path, default=default)
    parser.add_argument("--at-once", type=int, default=8)
    return parser.parse_args()


def timed(step: list[str], environment: dict[str, str]) -> float:
    print(f"\n== {step[0]}", flush=True)
    started = time.monotonic()
    done = subprocess.run([sys.executable, "manage.py", *step], cwd=ROOT, env=environment, check=False)
    if done.returncode:
        sys.exit(f"the step {step[0]} failed; the rehearsal stops here")
    return time.monotonic() - started


def report(seconds: dict[str, float]) -> None:
    database = "PostgreSQL" if os.environ.get("DATABASE_URL", "").startswith("postgres") else "SQLite"
    print(
        f"\nFull-size rehearsal on {database}; {os.cpu_count()} cores, {platform.machine()}, "
        f"Python {platform.python_version()}"
    )
    for step, taken in seconds.items():
        print(f"  {taken:7.1f} s  {step}")
    print(f"  {sum(seconds.values()):7.1f} s  in all (target: 300 s)")
    # The largest of all processes below this one: commands, web workers, the background worker.
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    print(f"  {peak:7.0f} MiB peak memory of the largest process (target: 1,024 MiB)")


if __name__ == "__main__":
    main()
