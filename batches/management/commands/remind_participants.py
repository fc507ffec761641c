"""manage.py remind_participants: mail those who have not started that their study closes soon."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from batches.services.clock import clocks_agree
from batches.services.reminders import reminders_queue
from presentation.numbers import quantity
from studies.services.clock import server_now


class Command(BaseCommand):
    help = (
        "Mail people who have not started that their study closes within three days, once for each closing "
        "time. For cron, where no worker runs; more often does no harm."
    )

    def handle(self, *_: Any, **__: Any) -> None:
        if not clocks_agree():
            raise CommandError(
                "This machine's clock differs from the database's, so nobody was reminded; set the clock."
            )
        count = reminders_queue(now=server_now(), site_url=settings.SITE_URL or "")
        self.stdout.write(f"{quantity(count, 'reminder', 'reminders')} queued.")
