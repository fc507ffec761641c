"""manage.py freeze_study SLUG: fix the protocol under its hash."""

from django.utils import timezone

from studies.management.operators import BY, OperatorCommand, named_person, named_study
from studies.services.studies import study_freeze


class Command(OperatorCommand):
    help = "Freeze a study: from then on its protocol changes only by recorded amendment."
    arguments = {"slug": {}, **BY}

    def handle(self, *_: object, slug: str, by: str | None, **__: object) -> None:
        study = study_freeze(study=named_study(slug), actor=named_person(by), now=timezone.now())
        self.stdout.write(f'The study "{study.slug}" is frozen under protocol {study.protocol_hash}')
