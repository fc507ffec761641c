"""manage.py freeze_study SLUG: fix the protocol under its hash."""

from argparse import ArgumentParser
from typing import Any

from django.utils import timezone

from studies.management.operators import OperatorCommand, named_person, named_study
from studies.services.studies import study_freeze


class Command(OperatorCommand):
    help = "Freeze a study: from then on its protocol changes only by recorded amendment."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("--by", help="the staff member the trail names")

    def handle(self, *_: Any, slug: str, by: str | None, **__: Any) -> None:
        study = study_freeze(study=named_study(slug), actor=named_person(by), now=timezone.now())
        self.stdout.write(f'The study "{study.slug}" is frozen under protocol {study.protocol_hash}')
