"""manage.py describe_protocol: every protocol setting, its meaning, default, and what the pilot used."""

from django.core.management.base import BaseCommand

from studies.protocol.describing import settings_page


class Command(BaseCommand):
    help = "Print every protocol setting with its meaning, its default and what the pilot used, as Markdown."
    requires_system_checks = []

    def handle(self, *_: object, **__: object) -> None:
        self.stdout.write(settings_page(), ending="")
