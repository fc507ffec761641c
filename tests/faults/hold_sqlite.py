"""Hold SQLite's one place to write for so many seconds: `python -m tests.faults.hold_sqlite 20`."""

import sqlite3
import sys
import time

import django

django.setup()

from django.conf import settings  # noqa: E402


def main() -> None:
    file = sqlite3.connect(settings.DATABASES["default"]["NAME"], timeout=30, isolation_level=None)
    file.execute("BEGIN IMMEDIATE")
    print("writes", flush=True)  # noqa: T201
    time.sleep(float(sys.argv[1]))
    file.execute("ROLLBACK")
    print("has written", flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
