"""Jobs that a page starts, worked to their end as a worker does."""

from collections.abc import Callable
from datetime import datetime
from typing import Any
from unittest.mock import patch

from django.test import Client
from django.utils import timezone

from jobs.services import working


def worked(clock: Callable[[], datetime] = timezone.now) -> None:
    """Run the one job that waits. Nothing keeps its lease: what does looks by a connection of its own, which
    sees nothing of a test's transaction.
    """
    with patch.object(working, "WRITE_SECONDS", 600):
        assert working.jobs_work(clock=clock) == 1


def waited_for(client: Client, reply: Any, clock: Callable[[], datetime] = timezone.now) -> Any:
    """What whoever waits at a job sees in the end: its page, or where it leads."""
    page = reply["Location"]
    assert page.startswith("/staff/jobs/"), page
    worked(clock)
    state = client.get(f"{page}state/").json()
    return client.get(state["link"] if state["leads"] else page)
