"""manage.py sweep_sessions: end the sessions whose time is over."""

from typing import Any

from django.core.management.base import BaseCommand
from django.utils import timezone

from batches.services.ending import sessions_expire


class Command(BaseCommand):
    help = "End the sessions whose time is over. For cron, where no worker runs; more often does no harm."

    def handle(self, *_: Any, **__: Any) -> None:
        count = sessions_expire(now=timezone.now())
        self.stdout.write(f"{count} session{'' if count == 1 else 's'} ended.")
