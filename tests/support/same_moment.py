"""Things that many people do at the same moment."""

import threading
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from django.db import connection

T = TypeVar("T")


def at_the_same_moment(jobs: Iterable[Callable[[], T]]) -> list[T]:
    """Run every job in a thread of its own; all are let go together."""
    todo = list(jobs)
    # A PostgreSQL server of default size has 100 connections for everybody.
    room = threading.Semaphore(100 if connection.vendor == "sqlite" else 60)
    together = threading.Barrier(len(todo))

    def run(job: Callable[[], T]) -> T:
        together.wait(30)
        with room:
            try:
                return job()
            finally:
                connection.close()

    with ThreadPoolExecutor(max_workers=len(todo)) as pool:
        return list(pool.map(run, todo))
