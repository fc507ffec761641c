"""Run the tests with a database on SQLite and, beside it, on PostgreSQL and Redis where they answer.

What was left out is said. Unit and architecture tests touch no database, and who may open which address
depends on none: they run once, in the time that the others spend waiting.

CHIRON_TEST_PRODUCTION=required makes the absence of those servers a failure (continuous integration does).
"""

import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import psycopg
import redis

ROOT = Path(__file__).resolve().parent.parent
POSTGRES_URL = os.environ.get("CHIRON_TEST_DATABASE_URL", "postgres://postgres@127.0.0.1:5432/postgres")
REDIS_URL = os.environ.get("CHIRON_TEST_REDIS_URL", "redis://127.0.0.1:6379/9")
EMBEDDED = "SQLite and the filesystem broker"
PRODUCTION = "PostgreSQL and Redis"
ONCE = "Once"
WITH_DATABASE = ("tests/integration", "tests/functional")
ON_NO_DATABASE_IN_PARTICULAR = ("tests/unit", "tests/evidence", "tests/architecture", "tests/access")
# Some tests with a database watch the clock: they come first.
PATIENT = ("nice", "-n", "10")


def main() -> int:
    missing = absent_servers()
    runs = {EMBEDDED: Run(WITH_DATABASE, {})}
    if not missing:
        runs[PRODUCTION] = Run(WITH_DATABASE, {"DATABASE_URL": POSTGRES_URL, "REDIS_URL": REDIS_URL})
    if not sys.argv[1:]:
        runs[ONCE] = Run(ON_NO_DATABASE_IN_PARTICULAR, {}, PATIENT)
    required = os.environ.get("CHIRON_TEST_PRODUCTION") == "required"
    failed = run_all(runs) or (1 if missing and required else 0)
    for line in missing:
        print(f"LEFT OUT: the run on {PRODUCTION}: {line}")
    print("make test: FAILED" if failed else "make test: passed")
    return failed


class Run(NamedTuple):
    """One call of pytest: the tests, unless the command line names some, and what its environment adds.

    `before`: what stands before the command.
    """

    tests: tuple[str, ...]
    extra: dict[str, str]
    before: tuple[str, ...] = ()


def run_all(runs: dict[str, Run]) -> int:
    """Run pytest once for each environment, all at the same time; what each says comes in one piece.

    The first says it while it runs. They share no folder, no database and no port.
    """
    failed = 0
    with TemporaryDirectory() as folder:
        children = [
            (name, *start(Path(folder) / str(number), run, said_later=number > 0))
            for number, (name, run) in enumerate(runs.items())
        ]
        for name, child, log in children:
            print(f"== {name}", flush=True)
            failed = child.wait() or failed
            if log.is_file():
                print(log.read_text(errors="replace"), flush=True)
    return failed


def start(folder: Path, run: Run, *, said_later: bool) -> "tuple[subprocess.Popen[bytes], Path]":
    folder.mkdir()
    log = folder / "pytest.log"
    left_out = {"DATABASE_URL", "REDIS_URL", "CHIRON_MODE"}
    inherited = {key: value for key, value in os.environ.items() if key not in left_out}
    # The runs share the processor: threads of numpy that wait for each other would only keep it busy.
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
    environment = {**inherited, **threads, "CHIRON_DATA_DIR": str(folder / "data"), **run.extra}
    command = [*run.before, sys.executable, "-m", "pytest", *(sys.argv[1:] or run.tests)]
    if not said_later:
        return subprocess.Popen(command, cwd=ROOT, env=environment), log
    with log.open("wb") as out:
        child = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=out, stderr=out)
    return child, log


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
