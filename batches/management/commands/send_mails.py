"""manage.py send_mails: send the mails that are due."""

from django.core.management.base import BaseCommand

from batches.tasks import send_mails
from presentation.numbers import quantity


class Command(BaseCommand):
    help = "Send sign-in codes and notices. For cron, where no worker runs; more often does no harm."

    def handle(self, *_: object, **__: object) -> None:
        count = send_mails()
        self.stdout.write(f"{quantity(count, 'mail', 'mails')} sent.")
