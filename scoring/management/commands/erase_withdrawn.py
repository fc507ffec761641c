"""manage.py erase_withdrawn: delete the data of people who withdrew, once their time has come."""

from typing import Any

from django.core.management.base import BaseCommand
from django.utils import timezone

from scoring.services.erasure import withdrawn_erase
from studies.management.operators import plain_errors


class Command(BaseCommand):
    help = (
        "Delete the texts, files and messages of people who withdrew, once the promised days have passed. "
        "For cron, where no worker runs; more often does no harm."
    )

    def handle(self, *_: Any, **__: Any) -> None:
        with plain_errors():
            count = withdrawn_erase(now=timezone.now())
        self.stdout.write(f"Deleted the data of {count} {'person' if count == 1 else 'people'}.")
