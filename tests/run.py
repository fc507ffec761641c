"""Run the tests on SQLite, and beside them those whose outcome the database decides on PostgreSQL and Redis.

    python tests/run.py [--whole-studies] [PATH ...]

Paths name tests to run, on both. Those that take a whole study from its beginning to its numbers run with
`--whole-studies`, and nothing else does then. Both passes run at once, each in as many processes as there are
processors, up to four (CHIRON_TEST_PROCESSES=1 for another number): where a test waits, others work, and
whoever is done takes tests from the others. They share no folder, no database, no Redis database and no port.
What the pass on PostgreSQL has to say follows when the other one is done.

CHIRON_TEST_PRODUCTION=required makes the absence of those servers a failure (continuous integration does).
"""

import argparse
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from typing import IO

import psycopg
import redis

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tests.on_postgresql import HERE_ALONE, ON_BOTH  # noqa: E402

POSTGRES_URL = os.environ.get("CHIRON_TEST_DATABASE_URL", "postgres://postgres@127.0.0.1:5432/postgres")
REDIS_URL = os.environ.get("CHIRON_TEST_REDIS_URL", "redis://127.0.0.1:6379/9")
EMBEDDED = "SQLite and the filesystem broker"
PRODUCTION = "PostgreSQL and Redis"
# `make test-e2e` and `make test-faults` run these.
OTHER_RUNS = {"e2e", "faults"}
# The demo and the main job at real servers, the frozen studies computed anew, the kept releases upgraded.
WHOLE_STUDIES = (
    "tests/operations/test_demo.py",
    "tests/operations/test_main_job.py",
    "tests/scoring/test_frozen_studies.py",
    "tests/upgrades",
)
# Redis has sixteen databases, and the first one of ours is number 9.
MAX_PROCESSES = 4
SLOWEST = 10


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--whole-studies", action="store_true")
    parser.add_argument("paths", nargs="*")
    asked = parser.parse_args()
    named, whole = asked.paths, asked.whole_studies
    missing = absent_servers()
    alone = paths_of(HERE_ALONE)
    with_postgresql = [path for path in (*alone, *paths_of(ON_BOTH)) if is_of_whole_study(path) == whole]
    left_out = [*(() if whole else WHOLE_STUDIES), *(() if missing else alone)]
    # pytest collects what it is given by name, also where it is told to ignore it.
    on_sqlite = [path for path in (WHOLE_STUDIES if whole else folders()) if path not in left_out]
    on_sqlite += [f"--{'deselect' if '::' in path else 'ignore'}={path}" for path in left_out]
    servers = {"DATABASE_URL": POSTGRES_URL, "REDIS_URL": REDIS_URL}
    with TemporaryDirectory() as folder, TemporaryFile() as told_later:
        beside = None
        if not missing:
            beside = begin(named or with_postgresql, Path(folder) / "production", servers, told_later)
        print(f"== {EMBEDDED}", flush=True)
        failed = begin(named or on_sqlite, Path(folder) / "embedded", {}).wait()
        if beside:
            failed = beside.wait() or failed
            told_later.seek(0)
            print(f"== {PRODUCTION}\n{told_later.read().decode()}", flush=True)
    say_what_was_left_out(missing, all_tests=not (named or whole))
    if missing and os.environ.get("CHIRON_TEST_PRODUCTION") == "required":
        failed = 1
    target = "make test-studies" if whole else "make test"
    print(f"{target}: {'FAILED' if failed else 'passed'}")
    return failed


def paths_of(tests: Mapping[str, tuple[str, ...]]) -> list[str]:
    return [f"tests/{path}" for paths in tests.values() for path in paths]


def is_of_whole_study(path: str) -> bool:
    return any(path == one or path.startswith((f"{one}/", f"{one}::")) for one in WHOLE_STUDIES)


def folders() -> list[str]:
    """Every folder with tests but those of other runs."""
    holding = {path.relative_to(ROOT / "tests").parts[0] for path in ROOT.glob("tests/*/**/test_*.py")}
    return [f"tests/{name}" for name in sorted(holding - OTHER_RUNS, reverse=True)]


def begin(
    tests: list[str], folder: Path, servers: dict[str, str], output: IO[bytes] | None = None
) -> "subprocess.Popen[bytes]":
    """Start pytest in one environment; what fails is told in full at the end of its output."""
    folder.mkdir(mode=0o700)
    spread = ("-p", "tests.processes", "--numprocesses", str(processes()), "--dist", "worksteal")
    command = [sys.executable, "-m", "pytest", *spread, "--durations", str(SLOWEST), *tests]
    return subprocess.Popen(command, cwd=ROOT, env=environment(folder, servers), stdout=output, stderr=output)


def processes() -> int:
    return int(os.environ.get("CHIRON_TEST_PROCESSES") or min(os.cpu_count() or 1, MAX_PROCESSES))


def environment(folder: Path, servers: dict[str, str]) -> dict[str, str]:
    # Without compiled files each process would prepare the assertions of all tests again.
    left_out = {"DATABASE_URL", "REDIS_URL", "CHIRON_MODE", "PYTHONDONTWRITEBYTECODE"}
    inherited = {key: value for key, value in os.environ.items() if key not in left_out}
    # The processes share the processors: threads of numpy that wait for each other would only keep them busy.
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
    return {**inherited, **threads, "CHIRON_DATA_DIR": str(folder), **servers}


def say_what_was_left_out(missing: list[str], *, all_tests: bool) -> None:
    for line in missing:
        print(f"LEFT OUT: the run on {PRODUCTION}: {line}")
    if not all_tests:
        return
    print(f"LEFT OUT: {' '.join(WHOLE_STUDIES)}: `make test-studies` runs them.")
    if not missing:
        print("LEFT OUT on one of the two: what the other one decides; see tests/on_postgresql.py.")


def absent_servers() -> list[str]:
    """One line for each server that does not answer, with the remedy."""
    missing = []
    try:
        psycopg.connect(POSTGRES_URL, connect_timeout=3).close()
    except psycopg.OperationalError as error:
        missing.append(
            f"PostgreSQL does not answer ({str(error).splitlines()[0]}); set CHIRON_TEST_DATABASE_URL."
        )
    try:
        redis.Redis.from_url(REDIS_URL, socket_connect_timeout=3).ping()
    except redis.RedisError as error:
        missing.append(f"Redis does not answer ({error}); set CHIRON_TEST_REDIS_URL.")
    return missing


if __name__ == "__main__":
    sys.exit(main())
