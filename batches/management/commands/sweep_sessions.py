"""manage.py sweep_sessions: end the sessions whose time is over."""

from typing import Any

from batches.services.clock import ending_moment
from batches.services.ending import sessions_expire
from batches.services.sums import COUNTED_AT_ONCE, sessions_count
from presentation.numbers import quantity
from studies.clock import Ending
from studies.management.operators import OperatorCommand


class Command(OperatorCommand):
    help = "End the sessions whose time is over. For cron, where no worker runs; more often does no harm."

    def handle(self, *_: Any, **__: Any) -> None:
        now = ending_moment(Ending.SESSIONS)
        try:
            # First: what ends late only now is not counted while a save may still be at it.
            sessions_count(now=now, at_most=COUNTED_AT_ONCE)
        finally:
            count = sessions_expire(now=now)
            self.stdout.write(f"{quantity(count, 'session', 'sessions')} ended.")
