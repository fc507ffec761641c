"""Waiting out a database that is away for a moment: what a judge was paid for must not be lost for that."""

import logging
import time
from collections.abc import Callable
from typing import TypeVar

from django.db import InterfaceError, OperationalError, connection

Result = TypeVar("Result")

OUTAGE_SECONDS = 60.0
MAX_WAIT_SECONDS = 2.0
logger = logging.getLogger(__name__)


def retry_on_db_outage(work: Callable[[], Result], *, seconds: float = OUTAGE_SECONDS) -> Result:
    """Do `work`, a whole transaction, again until the database is there; at most so many seconds.

    Raises the last OperationalError or InterfaceError.
    """
    until, wait = time.monotonic() + seconds, 0.05
    while True:
        try:
            return work()
        except (OperationalError, InterfaceError) as error:
            if time.monotonic() > until:
                raise
            logger.warning("the database is away; trying again", extra={"error": type(error).__name__})
            connection.close()
        time.sleep(wait)
        wait = min(2 * wait, MAX_WAIT_SECONDS)
