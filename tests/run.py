"""Run every test on SQLite, then again on PostgreSQL and Redis where they answer; say what was left out.

CHIRON_TEST_PRODUCTION=required makes their absence a failure (continuous integration does).
"""

import os
import subprocess
import sys
from pathlib import Path

import psycopg
import redis

ROOT = Path(__file__).resolve().parent.parent
POSTGRES_URL = os.environ.get("CHIRON_TEST_DATABASE_URL", "postgres://postgres@127.0.0.1:5432/postgres")
REDIS_URL = os.environ.get("CHIRON_TEST_REDIS_URL", "redis://127.0.0.1:6379/9")


def main() -> int:
    print("== SQLite and the filesystem broker", flush=True)
    failed = pytest({})
    missing = absent_servers()
    if not missing:
        print("== PostgreSQL and Redis", flush=True)
        failed = pytest({"DATABASE_URL": POSTGRES_URL, "REDIS_URL": REDIS_URL}) or failed
    elif os.environ.get("CHIRON_TEST_PRODUCTION") == "required":
        failed = 1
    for line in missing:
        print(f"LEFT OUT: the run on PostgreSQL and Redis: {line}")
    print("make test: FAILED" if failed else "make test: passed")
    return failed


def pytest(extra: dict[str, str]) -> int:
    inherited = {k: v for k, v in os.environ.items() if k not in {"DATABASE_URL", "REDIS_URL", "CHIRON_MODE"}}
    command = [sys.executable, "-m", "pytest", *sys.argv[1:]]
    return subprocess.run(command, cwd=ROOT, env={**inherited, **extra}, check=False).returncode


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
