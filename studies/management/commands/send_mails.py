"""manage.py send_mails: send the mails that are due."""

from django.core.management.base import BaseCommand

from studies.services.database import database_now
from studies.services.mails.mails import mails_send


class Command(BaseCommand):
    help = "Send sign-in codes and notices. For cron, where no worker runs; more often does no harm."

    def handle(self, *_: object, **__: object) -> None:
        count = mails_send(clock=database_now)
        self.stdout.write(f"{count} mail{'' if count == 1 else 's'} sent.")
