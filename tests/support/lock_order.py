"""On PostgreSQL tests watch the order of locks in their own process.

Two transactions that take them in different orders wait for each other, and the database ends one of them:
rarely, and on busy machines alone, so no test would show it by itself.
"""

import re
from collections.abc import Callable, Iterator
from typing import Any
from weakref import WeakKeyDictionary

import pytest
from django.db import connection
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.signals import connection_created
from psycopg.pq import TransactionStatus

# What is taken later has a higher number: beside a run, and beside a person.
ORDERS: tuple[dict[str, int], ...] = (
    {
        "scoring_judgingrun": 0, "scoring_judgeconfig": 1,
        "scoring_criterionscore": 2, "scoring_judgecall": 2, "studies_study": 2,
    },
    {
        "studies_invitation": 0, "scoring_judgingrun": 1, "studies_study": 2, "studies_participant": 3,
        "batches_session": 4, "batches_answer": 5, "studies_mailrecord": 6, "studies_outgoingmail": 7,
    },
)  # fmt: skip
WATCHED_TABLES = frozenset(table for order in ORDERS for table in order)
LOCKING = re.compile(
    r'(?:UPDATE|DELETE FROM|SELECT .*? FROM|INSERT INTO) "(?P<table>\w+)"', re.DOTALL | re.IGNORECASE
)
JOINED = re.compile(r'JOIN "(\w+)"')


class LocksWatched:
    """The tables of which rows are locked in each connection's transaction, and what was taken too late."""

    def __init__(self) -> None:
        self.too_late: list[str] = []
        self._held: WeakKeyDictionary[BaseDatabaseWrapper, set[str]] = WeakKeyDictionary()
        self._blocks: WeakKeyDictionary[BaseDatabaseWrapper, object] = WeakKeyDictionary()

    def __call__(
        self, execute: Callable[..., Any], sql: str, params: Any, many: bool, context: dict[str, Any]
    ) -> Any:
        connection = context["connection"]
        held = self._held.setdefault(connection, set())
        # A test's own transaction may be around those of the code that it runs.
        outermost = next((block for block in connection.atomic_blocks if not block._from_testcase), None)
        begins = connection.connection is None or (
            connection.connection.info.transaction_status is TransactionStatus.IDLE
        )
        if begins or outermost is not self._blocks.get(connection):
            held.clear()
        self._blocks[connection] = outermost
        result = execute(sql, params, many, context)
        tables = self._locked(sql) if outermost and context["cursor"].rowcount else frozenset()
        for table in tables - held:
            before = {
                other
                for order in ORDERS
                for other in held
                if order.get(other, -1) > order.get(table, len(order))
            }
            if before:
                self.too_late.append(f"{table} after {', '.join(sorted(before))}: {sql[:500]}")
        held |= tables
        return result

    def _locked(self, sql: str) -> frozenset[str]:
        """The watched tables of which a statement locks rows: of joined ones too, unless it says of which."""
        statement = LOCKING.match(sql)
        locks = {"SELECT": " FOR ", "INSERT": " DO UPDATE "}.get(sql[:6], "")
        if statement is None or locks not in sql:
            return frozenset()
        lists_all = sql.startswith("SELECT") and " OF " not in sql
        joined = JOINED.findall(sql.partition(" WHERE ")[0]) if lists_all else []
        return WATCHED_TABLES & {statement["table"], *joined}


WATCHED = LocksWatched()


def watch(connection: BaseDatabaseWrapper, **_: object) -> None:
    if connection.vendor == "postgresql" and WATCHED not in connection.execute_wrappers:
        connection.execute_wrappers.insert(0, WATCHED)


@pytest.fixture(scope="session", autouse=True)
def locks_watched() -> Iterator[None]:
    """Of each connection that a test opens, in whatever thread."""
    watch(connection)
    connection_created.connect(watch)
    yield
    connection_created.disconnect(watch)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call() -> Iterator[None]:
    """While a test runs: what clears its tables afterwards takes them in the order of their names."""
    WATCHED.too_late.clear()
    yield
    assert not WATCHED.too_late, "locks are taken in another order than elsewhere"
