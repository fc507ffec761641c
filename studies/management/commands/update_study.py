"""manage.py update_study SLUG --protocol JSON: change the settings of a draft."""

from argparse import ArgumentParser
from typing import Any

from django.utils import timezone

from studies.management.operators import OperatorCommand, json_object, named_person, named_study
from studies.protocol.settings import read_settings
from studies.services.studies import study_update_settings


class Command(OperatorCommand):
    help = "Change some settings of a study in draft. Batches that were built before must be built again."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug")
        parser.add_argument(
            "--protocol", required=True, help="a JSON file of the new values, or the JSON itself"
        )
        parser.add_argument("--by", help="the staff member the trail names")

    def handle(self, *_: Any, slug: str, protocol: str, by: str | None, **__: Any) -> None:
        study = named_study(slug)
        settings = read_settings({**study.settings, **json_object(protocol)})
        study_update_settings(study=study, settings=settings, actor=named_person(by), now=timezone.now())
        self.stdout.write(f'Changed the draft "{slug}". If its batches were built already, build them again.')
